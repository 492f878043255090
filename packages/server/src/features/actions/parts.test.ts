import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import type { BulkRun } from '@caretaker/contract/actions.ts'
import {
  bulkAddTags,
  bulkRemoveTags,
  bulkUninstall,
  getBulkActions,
  startBulkAction,
  undoBulkAction,
} from '@caretaker/contract/actions.ts'
import { tenantCreateTag } from '@caretaker/contract/tags.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addDevice } from '../../testing/furnish/devices.ts'

let app: TestApp
let tag: string
let other: string
const tenant = 'northgate'
const manager = 'manager@northgate.test'
const colleague = 'colleague@northgate.test'

beforeAll(async () => {
  app = await testApp()
  await app.addTenant(tenant)
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, colleague, 'Manager')
  const create = async (name: string) =>
    (await app.send(tenantCreateTag, { body: { tenant, name } }, manager)).body.data!.id
  tag = await create('Stairwell')
  other = await create('Remedials')
})
afterAll(() => app.close())

const add = async (deviceIds: string[], bulkActionId?: string, tags = [tag], email = manager) =>
  (await app.send(bulkAddTags, { body: { tenant, deviceIds, tags, ...(bulkActionId && { bulkActionId }) } }, email))
    .body
const runOf = async (id: string): Promise<BulkRun> => {
  const { body } = await app.send(getBulkActions, { body: { tenant } }, manager)
  return body.data!.find((run) => run.bulkActionId === id)!
}

test('a selection sent in parts is one action, to look up and to undo', async () => {
  const devices = await Promise.all(Array.from({ length: 3 }, () => addDevice(app, tenant)))
  const gone = randomUUID()
  const first = (await add([devices[0]!, gone])).data!
  const id = first.bulkActionId
  assert.deepEqual(
    first.results.map(({ state }) => state),
    ['done', 'failed'],
  )
  // The next parts arrive at the same time.
  const parts = await Promise.all([add([devices[1]!], id), add([devices[2]!], id)])
  for (const part of parts) assert.equal(part.data?.bulkActionId, id)
  const { total, done, failed, finishedAt } = await runOf(id)
  assert.deepEqual({ total, done, failed }, { total: 4, done: 3, failed: 1 })
  assert.ok(finishedAt)
  // Failed parts are retried, and finished ones count once.
  await add([gone, devices[0]!], id)
  const again = await runOf(id)
  assert.deepEqual([again.total, again.done, again.failed], [4, 3, 1])
  assert.ok(again.finishedAt)
  const undone = await app.send(undoBulkAction, { body: { tenant, bulkActionId: id } }, manager)
  assert.deepEqual(undone.body.data, { restored: 3, skipped: 0 })
  assert.equal((await add(devices, id)).message, 'The action was undone.')
})

test('a part sent again because its answer was lost is not repeated', async () => {
  const devices = await Promise.all(Array.from({ length: 2 }, () => addDevice(app, tenant)))
  const uninstall = async (deviceIds: string[], bulkActionId?: string) =>
    (await app.send(bulkUninstall, { body: { tenant, deviceIds, ...(bulkActionId && { bulkActionId }) } }, manager))
      .body.data!
  const { bulkActionId } = await uninstall([devices[0]!])
  const part = await uninstall([devices[1]!], bulkActionId)
  assert.deepEqual((await uninstall([devices[1]!], bulkActionId)).results, part.results)
  assert.equal(part.results[0]!.state, 'done')
  const { total, done, failed } = await runOf(bulkActionId)
  assert.deepEqual([total, done, failed], [2, 2, 0])
})

test('access rights tags in bulk are for managers, whatever engineers may do with one device', async () => {
  const engineer = 'engineer@northgate.test'
  await app.addMember(tenant, engineer, 'LightingEngineer')
  await app.database.owner.query(
    `insert into tenant_capability (tenant_id, capability) values ('northgate', 'EditAccessRightsTags')`,
  )
  const deviceIds = [await addDevice(app, tenant)]
  const start = (email: string) =>
    app.send(
      startBulkAction,
      { body: { tenant, action: 'remove access rights tags', selection: { deviceIds } } },
      email,
    )
  assert.equal((await start(engineer)).status, 403)
  assert.equal((await start(manager)).status, 200)
})

test('an action continues only by its own user and with the same kind', async () => {
  const device = await addDevice(app, tenant)
  const id = (await add([device])).data!.bulkActionId
  assert.equal((await add([device], id, [other])).message, 'This is a different bulk action.')
  const body = { tenant, deviceIds: [device], bulkActionId: id }
  const removing = await app.send(bulkRemoveTags, { body: { ...body, tags: [tag] } }, manager)
  assert.equal(removing.body.isSuccessful, false)
  const uninstalling = await app.send(bulkUninstall, { body }, manager)
  assert.equal(uninstalling.body.isSuccessful, false)
  const theirs = await app.send(bulkAddTags, { body: { ...body, tags: [tag] } }, colleague)
  assert.equal(theirs.status, 404)
  const none = await app.send(bulkAddTags, { body: { ...body, bulkActionId: randomUUID(), tags: [tag] } }, manager)
  assert.equal(none.status, 404)
  const { total, done } = await runOf(id)
  assert.deepEqual([total, done], [1, 1])
})
