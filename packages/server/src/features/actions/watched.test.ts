import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import {
  bulkAddTags,
  getBulkAction,
  getBulkActions,
  getDeviceTags,
  giveUpBulkAction,
  retryBulkAction,
  setDeviceAccessRightsTags,
  startBulkAction,
  undoBulkAction,
} from '@caretaker/contract/actions.ts'
import { getAudit } from '@caretaker/contract/audit.ts'
import { getDeviceCommands, runT0Test } from '@caretaker/contract/lighting.ts'
import { tenantCreateTag } from '@caretaker/contract/tags.ts'
import { watchedLimit } from '@caretaker/rules/actions/actions.ts'
import type { BulkAction } from '@caretaker/rules/actions/actions.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { doBulkActions } from './job.ts'

const tenant = 'north'
const manager = 'manager@north.test'
let app: TestApp
beforeAll(async () => {
  app = await testApp()
  for (const id of ['north', 'south']) {
    await app.addTenant(id)
    await app.addMember(id, `manager@${id}.test`, 'Manager')
  }
  await app.addMember(tenant, 'admin@north.test', 'Admin')
})
afterAll(() => app.close())

const lights = (n: number, status?: 'Inventory') =>
  Promise.all(Array.from({ length: n }, () => addDevice(app, tenant, { product: 'EM', ...(status && { status }) })))
const begin = async (action: BulkAction, deviceIds: string[], tags: string[] = [], email = manager) => {
  const { status, body } = await app.send(
    startBulkAction,
    { body: { tenant, action, selection: { deviceIds }, tags, watched: true } },
    email,
  )
  assert.equal(status, 200, JSON.stringify(body))
  return body.data!.bulkActionId
}
const look = async (bulkActionId: string) =>
  (await app.send(getBulkAction, { body: { tenant, bulkActionId } }, manager)).body.data!
const flick = (deviceId: string, bulkActionId: string, email = manager) =>
  app.send(runT0Test, { form: { tenant, deviceId, bulkActionId } }, email)
const commandsOf = async (deviceId: string) =>
  (await app.send(getDeviceCommands, { body: { tenant, deviceId } }, manager)).body.data!
/** Makes the last request of the page older than the limit. */
const fallSilent = async (id: string) => {
  const { owner } = app.database
  await owner.query(`update bulk_action set held_until = now() - interval '1 second' where id = $1`, [id])
  await owner.query(`update due set due_at = now() - interval '1 second' where work = 'run bulk actions'`)
}
const requestersOf = async (deviceId: string, action: 'flick test requested' | 'device access rights tag changed') => {
  const query = { action, subject: deviceId }
  const { body } = await app.send(getAudit, { params: { tenant }, query }, 'admin@north.test')
  return body.results.map((entry) => entry.userName)
}

test('flick tests sent one by one by the page are one bulk action, in the history after the last one', async () => {
  const [first, second] = await lights(2)
  const id = await begin('flick test', [first!, second!])
  const { body } = await flick(first!, id)
  const [command] = await commandsOf(first!)
  assert.deepEqual(body.data, { status: 'queued', commandId: command!.commandId })
  assert.deepEqual([(await look(id)).run.done, (await look(id)).run.finishedAt], [1, null])
  await flick(second!, id)
  const [newest] = (await app.send(getBulkActions, { body: { tenant } }, manager)).body.data!
  assert.deepEqual([newest!.bulkActionId, newest!.done, newest!.total], [id, 2, 2])
  assert.ok(newest!.finishedAt)
})

test('a worker leaves it to the page, and takes over the rest when the page stops', async () => {
  const [first, second, third] = await lights(3)
  const id = await begin('flick test', [first!, second!, third!])
  await flick(first!, id)
  assert.equal(await doBulkActions(app.context), 0)
  assert.equal((await commandsOf(second!)).length, 0)
  await fallSilent(id)
  assert.equal(await doBulkActions(app.context), 2)
  for (const light of [first!, second!, third!]) assert.equal((await commandsOf(light)).length, 1)
  assert.equal((await look(id)).run.done, 3)
})

test('a call after the worker processed the device reports the queued command, and sends no second one', async () => {
  const [light] = await lights(1)
  const id = await begin('flick test', [light!])
  await fallSilent(id)
  await doBulkActions(app.context)
  const { body } = await flick(light!, id)
  const commands = await commandsOf(light!)
  assert.equal(commands.length, 1)
  assert.equal(body.data!.commandId, commands[0]!.commandId)
})

test('a refused device is a failure of the action, with its reason, and can be retried', async () => {
  const [installed] = await lights(1)
  const [stock] = await lights(1, 'Inventory')
  const id = await begin('flick test', [installed!, stock!])
  await flick(installed!, id)
  const { status, body } = await flick(stock!, id)
  assert.deepEqual([status, body.isSuccessful], [200, false])
  assert.equal(body.message, 'A device that is not installed cannot be tested.')
  const { run, failures } = await look(id)
  assert.deepEqual([run.done, run.failed], [1, 1])
  assert.deepEqual(
    failures.map(({ deviceId, message }) => ({ deviceId, message })),
    [{ deviceId: stock, message: body.message }],
  )
  await app.database.owner.query(`update device set status = 'Ok' where id = $1`, [stock])
  assert.equal(
    (await app.send(retryBulkAction, { body: { tenant, bulkActionId: id } }, manager)).body.isSuccessful,
    true,
  )
  await doBulkActions(app.context)
  assert.deepEqual([(await look(id)).run.done, (await look(id)).run.failed], [2, 0])
})

test('items that the page gave up have failed, and no worker processes them afterwards', async () => {
  const [first, second] = await lights(2)
  const id = await begin('flick test', [first!, second!])
  await flick(first!, id)
  const { body } = await app.send(giveUpBulkAction, { body: { tenant, bulkActionId: id } }, manager)
  assert.deepEqual([body.data!.done, body.data!.failed], [1, 1])
  assert.ok(body.data!.finishedAt)
  await fallSilent(id)
  assert.equal(await doBulkActions(app.context), 0)
  assert.equal((await commandsOf(second!)).length, 0)
  const others = await app.send(giveUpBulkAction, { body: { tenant, bulkActionId: id } }, 'admin@north.test')
  assert.equal(others.status, 404)
})

test('access rights tags that the page sets one by one are undone together', async () => {
  const east = await addAccessRightsTag(app, tenant, 'East Patch')
  const devices = await lights(3)
  const id = await begin('add access rights tags', devices, [east])
  for (const deviceId of devices) {
    const sent = { params: { tenant, deviceId }, body: { accessRightsTags: [{ id: east }], bulkActionId: id } }
    const { status, body } = await app.send(setDeviceAccessRightsTags, sent, manager)
    assert.deepEqual([status, body.accessRightsTag?.id], [200, east])
  }
  const { run } = await look(id)
  assert.deepEqual([run.names, run.done, run.canUndo], [['East Patch'], 3, true])
  const { body } = await app.send(undoBulkAction, { body: { tenant, bulkActionId: id } }, manager)
  assert.deepEqual(body.data, { restored: 3, skipped: 0 })
  for (const deviceId of devices) {
    const { data } = (await app.send(getDeviceTags, { body: { tenant, deviceId } }, manager)).body
    assert.equal(data!.accessRightsTag, null)
  }
})

test('each device that was sent a command has its own audit entry, whatever the source', async () => {
  const devices = await lights(3)
  const id = await begin('flick test', devices)
  await flick(devices[0]!, id)
  await fallSilent(id)
  await doBulkActions(app.context)
  for (const device of devices) assert.deepEqual(await requestersOf(device, 'flick test requested'), ['manager'])
  const again = await begin('flick test', devices)
  await fallSilent(again)
  await doBulkActions(app.context)
  // The first test is still unanswered, so nobody sent a second one.
  for (const device of devices) assert.deepEqual(await requestersOf(device, 'flick test requested'), ['manager'])
})

test('parts of another kind, and of another user, do not join the action', async () => {
  const [light] = await lights(1)
  const id = await begin('flick test', [light!])
  const tag = (await app.send(tenantCreateTag, { body: { tenant, name: 'Roof' } }, manager)).body.data!.id
  const tagged = { body: { tenant, deviceIds: [light!], tags: [tag], bulkActionId: id } }
  assert.equal((await app.send(bulkAddTags, tagged, manager)).body.message, 'This is a different bulk action.')
  assert.equal((await flick(light!, id, 'admin@north.test')).status, 404)
  const abroad = { form: { tenant: 'south', deviceId: light!, bulkActionId: id } }
  assert.equal((await app.send(runT0Test, abroad, 'manager@south.test')).status, 404)
  assert.equal((await commandsOf(light!)).length, 0)
})

test(`a page processes at most ${watchedLimit} devices itself`, async () => {
  const deviceIds = Array.from({ length: watchedLimit + 1 }, () => crypto.randomUUID())
  const { status, body } = await app.send(
    startBulkAction,
    { body: { tenant, action: 'flick test', selection: { deviceIds }, watched: true } },
    manager,
  )
  assert.equal(status, 400)
  assert.equal(body.validationErrors[0].field, 'selection')
})
