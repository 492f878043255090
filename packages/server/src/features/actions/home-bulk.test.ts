import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, test } from 'vitest'
import {
  getBulkAction,
  getBulkActions,
  getSelectionTags,
  previewPropertySelection,
  previewSelection,
  retryBulkAction,
  startBulkAction,
  startPropertyBulkAction,
  undoBulkAction,
} from '@caretaker/contract/actions.ts'
import { fetchProperties, getProperty } from '@caretaker/contract/properties.ts'
import type { PropertySelection } from '@caretaker/contract/property-selection.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { doBulkActions } from './job.ts'

const tenant = 'north'
const [manager, limited, engineer, guest, stranger] = [
  ...['manager@north.test', 'limited@north.test', 'engineer@north.test', 'guest@north.test'],
  'manager@south.test',
] as const
const north = {
  features: ['PropertyCentric'] as const,
  capabilities: ['ViewProperties', 'EditAccessRightsTags'] as const,
}

let app: TestApp
let east: string
let west: string
beforeAll(async () => {
  app = await testApp()
  for (const [id, ...more] of [[tenant, 'AwaabsLaw'], ['south']])
    await app.addTenant(id!, { features: [...north.features, ...more], capabilities: [...north.capabilities] } as never)
  east = await addAccessRightsTag(app, tenant, 'East Patch')
  west = await addAccessRightsTag(app, tenant, 'West Patch')
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, limited, 'Manager', [east])
  await app.addMember(tenant, engineer, 'BoilerEngineer')
  await app.addMember(tenant, guest, 'Guest')
  await app.addMember('south', stranger, 'Manager')
})
afterAll(() => app.close())

const query = (text: string, values: unknown[] = []) => app.database.owner.query(text, values)
/** Ids of properties by their references. */
const homes: Record<string, string> = {}
async function addHome(reference: string, at = tenant, tag: string | null = null) {
  const id = (homes[reference] = randomUUID())
  await query(
    `insert into property (tenant_id, id, reference, address1, access_rights_tag_id)
     values ($1, $2, $3::text, $3::text || ' Street', $4)`,
    [at, id, reference, tag],
  )
}
let light: string
beforeEach(async () => {
  await query('update device set property_id = null')
  for (const table of ['bulk_action', 'property', 'audit_entry', 'device_tag']) await query(`delete from ${table}`)
  for (const reference of ['A-1', 'A-2', 'A-3']) await addHome(reference)
  await addHome('B-1', tenant, east)
  await addHome('S-1', 'south')
  light ??= await addDevice(app, tenant)
  await query('update device set property_id = $1 where id = $2', [homes['A-3'], light])
})

const picked = (...references: string[]) => ({ propertyIds: references.map((reference) => homes[reference]!) })
const found = (search = 'A-', except: string[] = []): PropertySelection => ({
  query: { listing: 'Properties', search },
  except: except.map((reference) => homes[reference]!),
})
const preview = (selection: PropertySelection, who: string = manager) =>
  app.send(previewPropertySelection, { body: { tenant, selection } }, who)
const start = (body: object, who: string = manager) =>
  app.send(startPropertyBulkAction, { body: { tenant, ...body } as never }, who)
const archive = (selection: PropertySelection, more: object = {}, who: string = manager) =>
  start({ action: 'archive properties', reason: 'Sold to the council', selection, ...more }, who)
const setTag = (selection: PropertySelection, accessRightsTagId = west, who: string = manager) =>
  start({ action: 'set access rights tag of properties', accessRightsTagId, selection }, who)

/** Starts the action, runs a worker, and returns the finished run with its failures. */
async function run(started: ReturnType<typeof start>) {
  const { status, body } = await started
  assert.equal(status, 200, JSON.stringify(body))
  await doBulkActions(app.context)
  return outcome(body.data!.bulkActionId)
}
const outcome = async (bulkActionId: string, who: string = manager) =>
  (await app.send(getBulkAction, { body: { tenant, bulkActionId } }, who)).body.data!
const listed = async () =>
  (await app.send(fetchProperties, { body: { tenant, listing: 'Properties' } }, manager)).body
    .data!.rows.map(({ propertyReference }) => propertyReference)
    .toSorted()
const tagOf = async (reference: string) =>
  (await app.send(getProperty, { params: { tenant, propertyId: homes[reference]! } }, manager)).body.accessRightsTag
    ?.displayName
const audited = async (action: string) =>
  (
    await query(
      'select subject_name as name, before, after from audit_entry where tenant_id = $1 and action = $2 order by subject_name',
      [tenant, action],
    )
  ).rows

test('a selection of properties is counted by the server, with the actions that are possible', async () => {
  const { body } = await preview(found())
  assert.deepEqual([body.data!.total, body.data!.occupied, body.data!.devices], [3, 1, 1])
  assert.deepEqual(
    body.data!.actions.map(({ action, suitable, reason }) => [action, suitable, reason]),
    [
      ['add tags', 1, null],
      ['remove tags', 1, null],
      ['archive properties', 2, '1 selected property has devices'],
      ['set access rights tag of properties', 3, null],
      ['remove access rights tag of properties', 3, null],
    ],
  )
  assert.equal((await preview(found('A-', ['A-2']))).body.data!.total, 2)
  assert.equal((await preview(picked('A-1', 'S-1'))).body.data!.total, 1)
})

test('properties are archived together with a reason, each with an audit entry, and restored by undo', async () => {
  const { run: ended, failures } = await run(archive(found('A-', ['A-2'])))
  assert.deepEqual([ended.subject, ended.total, ended.done, ended.failed], ['property', 2, 1, 1])
  assert.deepEqual(
    failures.map(({ serial, name, message }) => [serial, name, message]),
    [['A-3', 'A-3 Street', 'A device is in this property. Move or uninstall it first.']],
  )
  assert.deepEqual(await listed(), ['A-2', 'A-3', 'B-1'])
  const [archival] = await audited('property archived')
  assert.deepEqual([archival.name, archival.after.reason], ['A-1', 'Sold to the council'])
  const [begun] = await audited('bulk action started')
  assert.deepEqual([begun.name, begun.after], ['Archive', { properties: 2, reason: 'Sold to the council' }])
  assert.equal(ended.canUndo, true)
  const undone = await app.send(undoBulkAction, { body: { tenant, bulkActionId: ended.bulkActionId } }, manager)
  assert.deepEqual(undone.body.data, { restored: 1, skipped: 0 })
  assert.deepEqual(await listed(), ['A-1', 'A-2', 'A-3', 'B-1'])
  const { body } = await app.send(getBulkActions, { body: { tenant } }, manager)
  assert.deepEqual(
    body.data!.map(({ action, undone: isUndone }) => [action, isUndone]),
    [['archive properties', true]],
  )
})

test('properties that cannot be archived are skipped on request, and can be retried later', async () => {
  const { run: narrowed } = await run(archive(found(), { suitableOnly: true }))
  assert.deepEqual([narrowed.total, narrowed.done], [2, 2])
  const { run: refused } = await run(archive(picked('A-3')))
  await query('update device set property_id = null where id = $1', [light])
  await app.send(retryBulkAction, { body: { tenant, bulkActionId: refused.bulkActionId } }, manager)
  await doBulkActions(app.context)
  assert.equal((await outcome(refused.bulkActionId)).run.done, 1)
  assert.deepEqual(await listed(), ['B-1'])
})

test("properties with an open case of Awaab's Law are counted, skipped, and archived in no other way", async () => {
  const setStatus = (status: string, ...references: string[]) =>
    query('update property set awaabs_law_status = $1 where id = any($2)', [
      status,
      references.map((reference) => homes[reference]),
    ])
  // One of them also has a device; it is counted once.
  await setStatus('Investigation', 'A-2', 'A-3', 'S-1')
  const { data } = (await preview(found())).body
  assert.deepEqual([data!.total, data!.occupied, data!.openCases], [3, 1, 1])
  assert.equal(data!.actions.find(({ action }) => action === 'archive properties')!.suitable, 1)
  const { run: narrowed } = await run(archive(found(), { suitableOnly: true }))
  assert.deepEqual([narrowed.total, narrowed.done], [1, 1])
  const { failures } = await run(archive(picked('A-2')))
  const message = "This property has an open Awaab's Law case. Close the case first."
  assert.deepEqual(
    failures.map((one) => one.message),
    [message],
  )
  assert.deepEqual(await listed(), ['A-2', 'A-3', 'B-1'])
  await setStatus('None', 'A-2')
  assert.equal((await run(archive(picked('A-2')))).run.done, 1)
  // A client without the feature sees no cases, and no case prevents archiving.
  await setStatus('Investigation', 'S-1')
  const { body } = await app.send(
    previewPropertySelection,
    { body: { tenant: 'south', selection: picked('S-1') } },
    stranger,
  )
  assert.deepEqual([body.data!.total, body.data!.openCases], [1, 0])
})

test('an access rights tag is set and removed for many properties; undo restores the former ones unless changed since', async () => {
  const { run: set } = await run(setTag(picked('A-1', 'B-1')))
  assert.deepEqual([await tagOf('A-1'), await tagOf('B-1'), set.names], ['West Patch', 'West Patch', ['West Patch']])
  const { run: removed } = await run(
    start({ action: 'remove access rights tag of properties', selection: picked('B-1') }),
  )
  assert.equal(await tagOf('B-1'), undefined)
  const undo = (bulkActionId: string) => app.send(undoBulkAction, { body: { tenant, bulkActionId } }, manager)
  assert.deepEqual((await undo(set.bulkActionId)).body.data, { restored: 1, skipped: 1 })
  assert.deepEqual([await tagOf('A-1'), await tagOf('B-1')], [undefined, undefined])
  assert.deepEqual((await undo(removed.bulkActionId)).body.data, { restored: 1, skipped: 0 })
  assert.equal(await tagOf('B-1'), 'West Patch')
})

test('tags of the devices in properties are changed by the bulk action for devices', async () => {
  const tag = randomUUID()
  await query('insert into tag (tenant_id, id, name) values ($1, $2, $3)', [tenant, tag, `Damp ${tag}`])
  const selection = { properties: found() }
  assert.equal((await app.send(previewSelection, { body: { tenant, selection } }, manager)).body.data!.total, 1)
  const body = { tenant, action: 'add tags' as const, tags: [tag], selection }
  const { body: started } = await app.send(startBulkAction, { body }, manager)
  await doBulkActions(app.context)
  const { run: ended } = await outcome(started.data!.bulkActionId)
  assert.deepEqual([ended.subject, ended.total, ended.done], ['device', 1, 1])
  const carried = await app.send(getSelectionTags, { body: { tenant, selection } }, manager)
  assert.deepEqual(
    carried.body.data!.map(({ id, devices }) => [id, devices]),
    [[tag, 1]],
  )
  const { body: foreign } = await app.send(
    startBulkAction,
    { body: { ...body, selection: { properties: picked('S-1') } } },
    manager,
  )
  assert.equal(foreign.isSuccessful, false)
})

test('invalid queries are refused by field', async () => {
  for (const [body, field] of [
    [{ action: 'archive properties', selection: picked('A-1') }, 'reason'],
    [{ action: 'archive properties', reason: ' ', selection: picked('A-1') }, 'reason'],
    [{ action: 'set access rights tag of properties', selection: picked('A-1') }, 'accessRightsTagId'],
    [
      { action: 'set access rights tag of properties', accessRightsTagId: randomUUID(), selection: picked('A-1') },
      'accessRightsTagId',
    ],
  ] as const) {
    const { status, body: answer } = await start(body)
    assert.equal(status, 400, field)
    assert.match(JSON.stringify(answer), new RegExp(field))
  }
})

test('users without the right on one property have none on many; properties of others are not found', async () => {
  assert.equal((await archive(picked('A-1'), {}, guest)).status, 403)
  assert.equal((await archive(picked('A-1'), {}, limited)).status, 403)
  assert.equal((await archive(picked('A-1'), {}, engineer)).status, 403)
  assert.equal((await setTag(picked('A-1'), west, guest)).status, 403)
  assert.equal((await preview(found(), stranger)).status, 404)
  assert.equal((await archive(picked('A-1'), {}, stranger)).status, 404)
  const { run: elsewhere, failures } = await run(archive(picked('A-1', 'S-1')))
  assert.deepEqual([elsewhere.done, elsewhere.failed], [1, 1])
  assert.deepEqual([failures[0]!.serial, failures[0]!.name], ['', ''])
  const { rows } = await query('select archived_at from property where id = $1', [homes['S-1']])
  assert.equal(rows[0].archived_at, null)
  assert.equal(
    (await app.send(getBulkAction, { body: { tenant, bulkActionId: elsewhere.bulkActionId } }, limited)).status,
    404,
  )
})
