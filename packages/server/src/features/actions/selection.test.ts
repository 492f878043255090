import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import {
  bulkAddTags,
  getBulkAction,
  getSelectionTags,
  previewSelection,
  startBulkAction,
} from '@caretaker/contract/actions.ts'
import type { DeviceSelection } from '@caretaker/contract/devices.ts'
import { watchedLimit } from '@caretaker/rules/actions/actions.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'

let app: TestApp
let tag: string
const tenant = 'north'
const manager = 'manager@north.test'
const limited = 'limited@north.test'
const lighting = 'lighting@north.test'
/** Ids of lights by their names. */
const lights: Record<string, string> = {}

beforeAll(async () => {
  app = await testApp()
  await app.addTenant(tenant)
  await app.addTenant('south')
  const patch = await addAccessRightsTag(app, tenant, 'East Patch')
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, limited, 'Manager', [patch])
  await app.addMember(tenant, lighting, 'LightingEngineer')
  await app.addMember('south', 'manager@south.test', 'Manager')
  tag = crypto.randomUUID()
  await app.database.owner.query('insert into tag (tenant_id, id, name) values ($1, $2, $3)', [tenant, tag, 'Damp'])
  for (const name of ['Stair A', 'Stair B', 'Stair C']) lights[name] = await addDevice(app, tenant, { name })
  lights['Hall'] = await addDevice(app, tenant, { name: 'Hall', status: 'Inventory', accessRightsTagId: patch })
  await addDevice(app, tenant, { product: 'BX', name: 'Stair boiler' })
  await addDevice(app, 'south', { name: 'Stair of the south' })
})
afterAll(() => app.close())

type Sent = Parameters<typeof send>[0]
const send = (selection: DeviceSelection, email = manager) =>
  app.send(previewSelection, { body: { tenant, selection } }, email)
const preview = async (selection: Sent, email = manager) => (await send(selection, email)).body.data!
const start = (selection: Sent, email = manager, more: object = {}) =>
  app.send(startBulkAction, { body: { tenant, action: 'add tags', tags: [tag], selection, ...more } }, email)
const devicesOf = async (bulkActionId: string) =>
  (
    await app.database.owner.query<{ name: string }>(
      `select name from bulk_item join device on device.tenant_id = bulk_item.tenant_id and device.id = item_id
       where bulk_action_id = $1 order by name`,
      [bulkActionId],
    )
  ).rows.map((row) => row.name)
const all = (bend: object = {}, except: string[] = []): DeviceSelection => ({
  query: { listing: 'EmergencyLights', search: '', ...bend },
  except,
})
const stairLights = { search: 'stair' }

test('everything that a listing finds is one query with exceptions: the page never names the devices', async () => {
  assert.equal((await preview(all())).total, 4)
  assert.equal((await preview(all(stairLights, [lights['Stair B']!]))).total, 2)
  const { status, body } = await start(all(stairLights, [lights['Stair B']!]))
  assert.equal(status, 200)
  assert.equal(body.data!.total, 2)
  assert.deepEqual(await devicesOf(body.data!.bulkActionId), ['Stair A', 'Stair C'])
  const { run } = (await app.send(getBulkAction, { body: { tenant, bulkActionId: body.data!.bulkActionId } }, manager))
    .body.data!
  assert.equal(run.total, 2)
})

test('a view and filters are a query too, and an invalid one is refused by name', async () => {
  const byStatus = { filters: [{ fieldId: 'status', filterOp: 'equals', value: 'Inventory' }] }
  assert.equal((await preview(all(byStatus))).total, 1)
  assert.equal((await preview({ query: { viewId: 'emered-inventory', search: '' }, except: [] })).total, 1)
  const wrong = all({ filters: [{ fieldId: 'fault', filterOp: 'equals', value: 'x' }] })
  for (const answer of [await send(wrong), await start(wrong)]) {
    assert.equal(answer.status, 400)
    assert.match(answer.body.message!, /no field 'fault'/)
  }
})

test('a bulk action is started without the devices that it does not apply to', async () => {
  const picked = { deviceIds: [lights['Stair A']!, lights['Hall']!] }
  for (const selection of [all(), picked]) {
    const started = await start(selection, manager, { action: 'flick test', tags: [], suitableOnly: true })
    const expected = 'query' in selection ? ['Stair A', 'Stair B', 'Stair C'] : ['Stair A']
    assert.equal(started.body.data!.total, expected.length)
    assert.deepEqual(await devicesOf(started.body.data!.bulkActionId), expected)
  }
})

test('removing offers the tags of the selected devices, with the number of devices for each', async () => {
  const other = crypto.randomUUID()
  await app.database.owner.query('insert into tag (tenant_id, id, name) values ($1, $2, $3)', [tenant, other, 'Attic'])
  await app.database.owner.query('delete from device_tag')
  const carry = (tags: string[], ...names: string[]) =>
    app.send(bulkAddTags, { body: { tenant, tags, deviceIds: names.map((name) => lights[name]!) } }, manager)
  await carry([tag], 'Stair A', 'Stair B')
  await carry([other], 'Hall', 'Stair A')
  const tagsOf = async (selection: DeviceSelection, email = manager, at = tenant) =>
    (await app.send(getSelectionTags, { body: { tenant: at, selection } }, email)).body.data
  assert.deepEqual(await tagsOf(all()), [
    { id: other, name: 'Attic', devices: 2 },
    { id: tag, name: 'Damp', devices: 2 },
  ])
  assert.deepEqual(await tagsOf({ deviceIds: [lights['Stair B']!] }), [{ id: tag, name: 'Damp', devices: 1 }])
  assert.deepEqual(await tagsOf({ deviceIds: [lights['Stair C']!] }), [])
  assert.deepEqual(await tagsOf(all(), limited), [{ id: other, name: 'Attic', devices: 1 }])
  assert.deepEqual(await tagsOf({ deviceIds: Object.values(lights) }, 'manager@south.test', 'south'), [])
  assert.equal((await app.send(getSelectionTags, { body: { tenant, selection: all() } }, lighting)).status, 403)
})

test('each action is counted for the selection, with the reason where it does not apply', async () => {
  const { total, readOnly, actions } = await preview(all())
  assert.deepEqual([total, readOnly], [4, 0])
  const offer = (name: string) => actions.find(({ action }) => action === name)
  assert.deepEqual(offer('add tags'), { action: 'add tags', suitable: 4, reason: null })
  assert.deepEqual(offer('uninstall'), {
    action: 'uninstall',
    suitable: 3,
    reason: '1 selected device is not installed',
  })
  const picked = await preview({ deviceIds: [lights['Hall']!, lights['Stair A']!] })
  assert.equal(picked.total, 2)
  assert.equal(picked.actions.find(({ action }) => action === 'uninstall')!.suitable, 1)
})

test('everyone selects only what they see and may change', async () => {
  assert.equal((await preview(all(), limited)).total, 1)
  const { data } = (await start(all(), limited)).body
  assert.deepEqual(await devicesOf(data!.bulkActionId), ['Hall'])
  // Boilers are readable only through a lighting engineer's own listing of them.
  assert.equal((await send(all({ listing: 'Boilers' }), lighting)).status, 403)
  assert.equal((await start(all(), lighting)).status, 403)
  assert.equal((await send(all(), 'manager@south.test')).status, 404)
  assert.equal((await preview({ deviceIds: [crypto.randomUUID()] })).total, 0)
})

test('devices that a user may read but not change are counted separately and left out', async () => {
  await app.database.owner.query(
    `insert into tenant_capability (tenant_id, capability) values ($1, 'EditAccessRightsTags')`,
    [tenant],
  )
  await addDevice(app, tenant, { product: 'ADEY', name: 'Filter' })
  const guest = 'guest@north.test'
  await app.addMember(tenant, guest, 'Guest')
  const { total, readOnly, actions } = await preview(all(), guest)
  assert.deepEqual([total, readOnly, actions], [0, 4, []])
})

test('an action with no refusals, and more devices than a page processes itself', async () => {
  const none = await start(all({ search: 'nothing of that name' }))
  assert.deepEqual([none.body.isSuccessful, none.body.message], [false, 'This action applies to no selected device.'])
  await app.database.owner.query(
    `insert into device (tenant_id, id, serial, product, name, listing, status, severity)
     select $1, gen_random_uuid(), 'EM2' || n, 'EM', 'Many', 'EmergencyLights', 'Ok', 2 from generate_series(1, $2::int) n`,
    [tenant, watchedLimit + 1],
  )
  const watched = await start(all({ search: 'many' }), manager, { watched: true })
  assert.deepEqual([watched.status, watched.body.validationErrors[0].field], [400, 'selection'])
  const { rows } = await app.database.owner.query<{ n: number }>(
    'select count(*) as n from bulk_action where total > 10 or total = 0',
  )
  assert.equal(Number(rows[0]!.n), 0)
})
