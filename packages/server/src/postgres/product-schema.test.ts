import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'vitest'
import { migrations } from '../migrations/index.ts'
import { emptyDatabase } from '../testing/database.ts'
import { recordSchemaChanges } from '../testing/schema-changes.ts'
import { schemaAfter } from './product-schema.ts'

test('tables.json lists what each migration creates: npm run migrations:lock writes it', async () => {
  const database = await emptyDatabase()
  try {
    const written: unknown = JSON.parse(readFileSync(new URL('../migrations/tables.json', import.meta.url), 'utf8'))
    assert.deepEqual(written, await recordSchemaChanges(database.owner))
  } finally {
    await database.drop()
  }
})

test('the schema after some migrations contains what they create, and nothing from unknown ones', () => {
  const names = Object.keys(migrations)
  const first = schemaAfter(names.slice(0, 1))
  const newest = schemaAfter(names)
  assert.ok(first.tables.has('public.webhook_delivery') && first.tables.has('idp.account'))
  assert.ok(first.tables.get('public.device')!.includes('serial'))
  assert.ok(!first.tables.get('public.device')!.includes('serial_folded'), 'generated columns are not stored by hand')
  assert.ok(first.functions.includes('public.switch_tenant_flag(uuid, text, text, text, boolean)'))
  for (const [table] of first.tables) assert.ok(newest.tables.has(table), `${table} is there still`)
  assert.deepEqual([...schemaAfter(['9999-unknown']).tables], [])
})
