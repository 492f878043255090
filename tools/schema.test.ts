import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import type { Checked } from '@caretaker/server/postgres/database.ts'
import type { TestDatabase } from '@caretaker/server/testing/database.ts'
import { testDatabase } from '@caretaker/server/testing/database.ts'
import { root } from './child.mjs'
import { readCatalog } from './schema-catalog.ts'
import { generateFiles, renderTypes } from './schema.ts'
import { renderDiagrams, subjects } from './schema-diagrams.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

test('the column types and the diagrams are those of the migrated database: npm run schema writes them', async () => {
  for (const [file, text] of await generateFiles(database.owner))
    assert.equal(readFileSync(path.join(root, file), 'utf8').replaceAll('\r\n', '\n'), text, `${file}: npm run schema`)
})

test('every table is in the diagram of exactly one subject: tools/schema-diagrams.ts lists them', async () => {
  const { tables } = await readCatalog(database.owner)
  assert.deepEqual(Object.values(subjects).flat().sort(), [...tables.keys()].sort())
})

test('a new column, table and reference appear in both', async () => {
  await database.owner.query(`
    create table building_photo (tenant_id text not null, id uuid not null, building_id uuid, note text not null default '', taken_on date,
      sizes bigint[] not null, details jsonb, note_folded text generated always as (lower(note)) stored, primary key (tenant_id, id),
      foreign key (tenant_id, building_id) references building (tenant_id, id))`)
  try {
    const catalog = await readCatalog(database.owner)
    assert.match(
      renderTypes(catalog),
      / {2}building_photo: \{\n.*\n {4}id: string\n {4}building_id: string \| null\n {4}note: Generated<string>\n {4}taken_on: Day \| null\n {4}sizes: string\[\]\n {4}details: Json \| null\n {4}note_folded: GeneratedAlways<string \| null>\n {2}\}/,
    )
    const diagrams = renderDiagrams({
      ...catalog,
      tables: new Map([['floor_plan', catalog.tables.get('building_photo')!]]),
    })
    assert.match(diagrams, / {2}floor_plan \{\n {4}uuid id PK\n {4}uuid building_id\n {4}text note\n/)
    const reference = catalog.foreignKeys.find(({ from }) => from === 'building_photo')
    assert.deepEqual(reference, {
      from: 'building_photo',
      columns: ['building_id'],
      to: 'building',
      isNullable: true,
      isUnique: false,
    })
  } finally {
    await database.owner.query('drop table building_photo')
  }
})

test('a database type without a TypeScript type is refused by its name', () => {
  const column = {
    name: 'at',
    type: 'interval',
    isNullable: false,
    hasDefault: false,
    isGenerated: false,
    isInPrimaryKey: false,
  }
  assert.throws(
    () => renderTypes({ tables: new Map([['thing', [column]]]), foreignKeys: [] }),
    /Add the database type interval/,
  )
})

test('an override of a column that does not exist or holds other values does not compile', () => {
  type _Known = Checked<{ device: { product: 'EM' } }>
  // @ts-expect-error -- there is no such column
  type _Unknown = Checked<{ device: { colour: 'red' } }>
  // @ts-expect-error -- the column holds numbers
  type _Other = Checked<{ device: { severity: 'high' } }>
})
