import assert from 'node:assert/strict'
import { test } from 'vitest'
import { sourcesBelow } from './floors.ts'
import type { Counts } from './owners.ts'
import {
  differencesOf,
  foreignWrites,
  owners,
  productTables,
  savepoints,
  sideEffectCalls,
  writtenTables,
} from './owners.ts'

const tables = new Set(productTables())
const sources = [...sourcesBelow('packages/server'), ...sourcesBelow('packages/demo')]

/** Writes for which the owner has no command yet. The list may only get shorter; `*` is a table name in a variable. */
const writesNotMoved: Counts = {
  'demo connection': 1,
  'demo connection_route': 2,
  'demo device_link': 1,
  'demo device_route': 1,
  'demo person': 1,
  'demo series': 1,
  'demo tenant': 1,
  'features/telemetry *': 1,
  'postgres *': 3,
}

/** Calls of features that have no events yet. The list may only get shorter. */
const callsNotMoved: Counts = {
  'bulk audit()': 2,
  'bulk changed()': 2,
  'bulk makeDue()': 3,
  'changes makeDue()': 1,
  'cli audit()': 2,
  'cli changed()': 1,
  'connectors changedQuietly()': 3,
  'connectors makeDue()': 1,
  'features/actions audit()': 2,
  'features/alerts audit()': 7,
  'features/alerts changed()': 10,
  'features/alerts makeDue()': 3,
  'features/alerts enqueueMessages()': 1,
  'features/boilers audit()': 1,
  'features/case-records audit()': 1,
  'features/case-records changed()': 1,
  'features/commands audit()': 1,
  'features/commands auditAll()': 1,
  'features/commands changed()': 7,
  'features/commands enqueueMessages()': 1,
  'features/compliance audit()': 3,
  'features/compliance changed()': 3,
  'features/compliance makeDue()': 2,
  'features/conditions makeDue()': 1,
  'features/connections audit()': 11,
  'features/connections auditAll()': 1,
  'features/connections changed()': 12,
  'features/connections makeDue()': 1,
  'features/damp changed()': 2,
  'features/damp makeDue()': 1,
  'features/devices changed()': 1,
  'features/devices changedQuietly()': 1,
  'features/devices makeDue()': 1,
  'features/documents audit()': 4,
  'features/documents changed()': 4,
  'features/imports audit()': 1,
  'features/imports auditAll()': 2,
  'features/imports changed()': 6,
  'features/imports makeDue()': 1,
  'features/lighting audit()': 7,
  'features/lighting auditAll()': 1,
  'features/lighting changed()': 10,
  'features/lighting enqueueMessages()': 2,
  'features/maintenance audit()': 2,
  'features/maintenance changed()': 3,
  'features/properties audit()': 7,
  'features/properties changed()': 6,
  'features/properties makeDue()': 1,
  'features/provisioning audit()': 1,
  'features/reads audit()': 1,
  'features/reports changed()': 6,
  'features/reports makeDue()': 2,
  'features/residents audit()': 4,
  'features/residents changed()': 4,
  'features/telemetry makeDue()': 5,
  'features/tenants audit()': 3,
  'features/tenants changed()': 10,
  'features/tenants makeDue()': 3,
  'features/views audit()': 4,
  'features/views changed()': 2,
  'features/void audit()': 1,
  'features/void changed()': 7,
  'features/void makeDue()': 3,
  'files makeDue()': 1,
  'identity audit()': 2,
  'mail changed()': 3,
  'mail makeDue()': 1,
  'mqtt changed()': 1,
  'mqtt changedQuietly()': 1,
  'mqtt makeDue()': 3,
  'postgres makeDue()': 1,
  'webhooks makeDue()': 2,
}

test('every table has one owner', () => {
  assert.deepEqual(Object.keys(owners).sort(), [...tables].sort())
})

test('no folder writes tables of another folder, apart from the listed ones', () => {
  assert.deepEqual(differencesOf(foreignWrites(sources, tables), writesNotMoved), [])
})

test('only projections write the consequences of a change, apart from the listed ones', () => {
  assert.deepEqual(differencesOf(sideEffectCalls(sources), callsNotMoved), [])
})

test('no statement sets a savepoint, because events of a rolled-back part would survive', () => {
  assert.deepEqual(savepoints(sources), [])
})

const inFeature = (text: string, file = 'packages/server/src/features/void/keep.ts') => [{ file, text }]

test('a write to a table of another owner is detected in any form', () => {
  for (const text of [
    `tx.updateTable('device').set({ room })`,
    `tx.insertInto('device').values(row)`,
    `tx.deleteFrom('device as gone')`,
    `updateEach(tx, { table: 'device', ids })`,
    `updateEach(tx, {\n  table: 'device',\n  ids,\n})`,
    'sql`update device set room = null`',
    'sql`insert into "device" (id) values (1)`',
    'sql`with one as (delete from device where true returning id) select 1`',
  ])
    assert.deepEqual(foreignWrites(inFeature(text), tables), { 'features/void device': 1 }, text)
  for (const text of ['tx.deleteFrom(table)', 'tx.insertInto(kind).values(rows)', 'sql`update ${sql.table(kind)} set`'])
    assert.deepEqual(foreignWrites(inFeature(text), tables), { 'features/void *': 1 }, text)
  for (const text of [
    `tx.updateTable('void_effect')`,
    `tx.selectFrom('device')`,
    `// update device set`,
    'sql`select 1 from device for no key update of device`',
  ])
    assert.deepEqual(foreignWrites(inFeature(text), tables), {}, text)
  const write = `tx.updateTable('device')`
  for (const file of ['devices/place.ts', 'features/void/keep.test.ts', 'testing/furnish/devices.ts'])
    assert.deepEqual(foreignWrites(inFeature(write, `packages/server/src/${file}`), tables), {}, file)
  assert.deepEqual(foreignWrites(inFeature(write, 'packages/demo/src/fleet.ts'), tables), { 'demo device': 1 })
  assert.deepEqual(writtenTables('update something set a = 1', tables), [])
})

test('a side effect call outside the projections is detected, and another function of the same name is not', () => {
  const from = `import { changed } from '../../changes/changed.ts'\n`
  assert.deepEqual(sideEffectCalls(inFeature(`${from}await changed(tx, 'device', ids)`)), {
    'features/void changed()': 1,
  })
  assert.deepEqual(sideEffectCalls(inFeature(`const changed = (a) => a\nchanged(1)`)), {})
  assert.deepEqual(sideEffectCalls(inFeature(`${from}changed(tx)`, 'packages/server/src/projections/a.ts')), {})
})

test('a count may only fall, and has to be updated when it does', () => {
  assert.deepEqual(differencesOf({ a: 1 }, { a: 1 }), [])
  assert.match(differencesOf({ a: 2 }, { a: 1 }).join(), /a: 2, allowed 1/)
  assert.match(differencesOf({}, { a: 1 }).join(), /Enter nothing/)
  assert.deepEqual(savepoints(inFeature('sql`savepoint one`')).length, 1)
})
