import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'vitest'
import { migrations } from '../migrations/index.ts'
import { emptyDatabase } from '../testing/database.ts'
import { recordSchemaChanges } from '../testing/schema-changes.ts'
import { schemaAfter } from './product-schema.ts'

test('tables.json says what each migration makes: npm run migrations:lock writes it', async () => {
  const database = await emptyDatabase()
  try {
    const written: unknown = JSON.parse(readFileSync(new URL('../migrations/tables.json', import.meta.url), 'utf8'))
    assert.deepEqual(written, await recordSchemaChanges(database.owner))
  } finally {
    await database.drop()
  }
})

test('the schema after some migrations has the tables and columns of those, and of no later ones', () => {
  const names = Object.keys(migrations)
  const newest = schemaAfter(names)
  const older = schemaAfter(names.filter((name) => name < '0057'))
  const gasDates = ({ tables }: typeof newest) =>
    tables.get('public.property')!.filter((column) => /^gas_.*due_at$/.test(column))
  assert.deepEqual(gasDates(older), [])
  assert.deepEqual(gasDates(schemaAfter(names.filter((name) => name < '0059'))), ['gas_due_at'])
  assert.deepEqual(gasDates(newest), ['gas_check_due_at'], 'a column that was renamed has its new name alone')
  assert.ok(newest.tables.has('public.webhook_delivery') && !older.tables.has('public.webhook_delivery'))
  assert.ok(newest.tables.has('idp.account'))
  assert.deepEqual(older.functions, ['public.switch_tenant_flag(uuid, text, text, text, boolean)'])
  assert.deepEqual([...schemaAfter(['9999-unknown']).tables], [])
})
