import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import {
  addTagToDevice,
  getDeviceTags,
  removeTagFromDevice,
  setDeviceAccessRightsTags,
  updateDeviceTags,
} from '@caretaker/contract/actions.ts'
import { getAudit } from '@caretaker/contract/audit.ts'
import { fetchViewData, getEmered, shouldUpdateDevice } from '@caretaker/contract/devices.ts'
import { setDeviceAccessRightsTag, tenantCreateTag, tenantDeleteTag } from '@caretaker/contract/tags.ts'
import type { AuditAction } from '@caretaker/rules/audit/audit.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'

const tenant = 'north'
const manager = 'manager@north.test'
const admin = 'admin@north.test'
const engineer = 'engineer@north.test'
const limited = 'limited@north.test'

let app: TestApp
let patch: string
const tags = new Map<string, string>()
const tag = (name: string) => tags.get(name)!
beforeAll(async () => {
  app = await testApp()
  for (const id of ['north', 'south']) {
    await app.addTenant(id)
    await app.addMember(id, `manager@${id}.test`, 'Manager')
  }
  await app.addMember(tenant, admin, 'Admin')
  await app.addMember(tenant, engineer, 'LightingEngineer')
  await app.addMember(tenant, 'guest@north.test', 'Guest')
  patch = await addAccessRightsTag(app, tenant, 'East Patch')
  await app.addMember(tenant, limited, 'Manager', [patch])
  for (const name of ['Alpha', 'Beta', 'Gamma']) {
    const { body } = await app.send(tenantCreateTag, { body: { tenant, name } }, manager)
    tags.set(name, body.data!.id)
  }
})
afterAll(() => app.close())

const read = (deviceId: string, email = manager) => app.send(getDeviceTags, { body: { tenant, deviceId } }, email)
const namesOf = async (deviceId: string) => (await read(deviceId)).body.data!.tags.map(({ name }) => name)
const add = (deviceId: string, tagId: string, email = manager) =>
  app.send(addTagToDevice, { body: { tenant, deviceId, tagId } }, email)
const update = (deviceId: string, tagIds: string[], email = manager) =>
  app.send(updateDeviceTags, { body: { tenant, deviceId, tagIds } }, email)
const remove = (deviceId: string, tagId: string, email = manager) =>
  app.send(removeTagFromDevice, { body: { tenant, deviceId, tagId } }, email)
const post = (deviceId: string, ids: string[], email = manager) =>
  app.send(
    setDeviceAccessRightsTags,
    { params: { tenant, deviceId }, body: { accessRightsTags: ids.map((id) => ({ id })) } },
    email,
  )
const put = (deviceId: string, accessRightsTagId: string | null, email = manager) =>
  app.send(setDeviceAccessRightsTag, { params: { tenant, deviceId }, body: { accessRightsTagId } }, email)
const changedSince = async (deviceId: string, date: number | string) =>
  (await app.send(shouldUpdateDevice, { body: { tenant, deviceId, date } }, manager)).body.data!
const entriesOf = async (action: AuditAction, serial: string) =>
  (await app.send(getAudit, { params: { tenant }, query: { action } }, admin)).body.results
    .filter((entry) => entry.subject === serial)
    .map(({ before, after }) => [before, after])

test('the tags of a device and its access rights tag are returned [dev-7tags-5]', async () => {
  const deviceId = await addDevice(app, tenant, { accessRightsTagId: patch })
  const { tags, accessRightsTag } = (await read(deviceId)).body.data!
  assert.deepEqual([tags, accessRightsTag], [[], { id: patch, displayName: 'East Patch' }])
  await update(deviceId, [tag('Beta'), tag('Alpha')])
  const { body } = await read(deviceId, engineer)
  assert.deepEqual(body.data!.tags, [
    { id: tag('Alpha'), name: 'Alpha' },
    { id: tag('Beta'), name: 'Beta' },
  ])
})

test('adding a tag reaches the polls, and is recorded with all tags before and after [dev-7tags-6]', async () => {
  const deviceId = await addDevice(app, tenant, { serial: 'EM1000501A' })
  const { updatedAt } = await changedSince(deviceId, 0)
  const { status, body } = await add(deviceId, tag('Beta'))
  assert.equal(status, 200)
  assert.deepEqual(body.data!.tags, [{ id: tag('Beta'), name: 'Beta' }])
  const poll = await changedSince(deviceId, updatedAt)
  assert.equal(poll.shouldUpdate, true)
  assert.equal((await add(deviceId, tag('Beta'))).status, 200, 'again is no change')
  assert.equal((await changedSince(deviceId, poll.updatedAt)).shouldUpdate, false)
  await add(deviceId, tag('Alpha'))
  assert.deepEqual(await entriesOf('device tags changed', 'EM1000501A'), [
    [{ tags: ['Beta'] }, { tags: ['Alpha', 'Beta'] }],
    [{ tags: [] }, { tags: ['Beta'] }],
  ])
})

test('the tags of a device are replaced by a list [dev-7tags-7]', async () => {
  const deviceId = await addDevice(app, tenant, { serial: 'EM1000502A' })
  await update(deviceId, [tag('Alpha'), tag('Beta')])
  assert.deepEqual(await namesOf(deviceId), ['Alpha', 'Beta'])
  await update(deviceId, [tag('Beta'), tag('Gamma'), tag('Gamma')])
  assert.deepEqual(await namesOf(deviceId), ['Beta', 'Gamma'])
  await update(deviceId, [])
  assert.deepEqual(await namesOf(deviceId), [])
  assert.deepEqual((await entriesOf('device tags changed', 'EM1000502A'))[1], [
    { tags: ['Alpha', 'Beta'] },
    { tags: ['Beta', 'Gamma'] },
  ])
})

test('removing one tag from a device leaves the others [dev-7tags-8]', async () => {
  const deviceId = await addDevice(app, tenant)
  await update(deviceId, [tag('Alpha'), tag('Beta')])
  assert.deepEqual(
    (await remove(deviceId, tag('Alpha'))).body.data!.tags.map(({ name }) => name),
    ['Beta'],
  )
  assert.equal((await remove(deviceId, tag('Alpha'))).status, 200)
  assert.deepEqual(await namesOf(deviceId), ['Beta'])
})

test('an unknown tag, or one of another tenant, is a field error, and nothing changes', async () => {
  const deviceId = await addDevice(app, tenant)
  await update(deviceId, [tag('Alpha')])
  const foreign = (await app.send(tenantCreateTag, { body: { tenant: 'south', name: 'Far' } }, 'manager@south.test'))
    .body.data!.id
  for (const id of [crypto.randomUUID(), foreign])
    for (const [answer, field] of [
      [await add(deviceId, id), 'tagId'],
      [await remove(deviceId, id), 'tagId'],
      [await update(deviceId, [tag('Beta'), id]), 'tagIds'],
    ] as const) {
      assert.equal(answer.status, 400)
      assert.deepEqual(answer.body.validationErrors, [{ field, message: 'This tag does not exist.' }])
    }
  assert.deepEqual(await namesOf(deviceId), ['Alpha'])
})

test('only managers change tags; limited managers only those of devices they see', async () => {
  const deviceId = await addDevice(app, tenant)
  for (const email of [engineer, 'guest@north.test'])
    for (const answer of [
      await add(deviceId, tag('Alpha'), email),
      await update(deviceId, [], email),
      await remove(deviceId, tag('Alpha'), email),
    ])
      assert.equal(answer.status, 403, email)
  assert.equal((await read(deviceId, limited)).status, 404)
  assert.equal((await add(deviceId, tag('Alpha'), limited)).status, 404)
  const theirs = await addDevice(app, tenant, { accessRightsTagId: patch })
  assert.equal((await add(theirs, tag('Alpha'), limited)).status, 200)
  const foreign = await addDevice(app, 'south')
  assert.equal((await add(foreign, tag('Alpha'))).status, 404)
  assert.deepEqual(await namesOf(deviceId), [])
})

test('tagging a device while the tag is deleted never fails, and leaves no device with the tag', async () => {
  for (let round = 0; round < 8; round++) {
    const { body } = await app.send(tenantCreateTag, { body: { tenant, name: `Brief${round}` } }, manager)
    const { id } = body.data!
    const devices = await Promise.all(Array.from({ length: 4 }, () => addDevice(app, tenant)))
    await Promise.all(devices.slice(0, 2).map((deviceId) => add(deviceId, id)))
    const [deleted, ...added] = await Promise.all([
      app.send(tenantDeleteTag, { body: { tenant, id } }, manager),
      ...devices.map((deviceId) => add(deviceId, id)),
    ])
    assert.equal(deleted.status, 200)
    for (const { status } of added) assert.ok([200, 400].includes(status), `${status}`)
    for (const deviceId of devices) assert.deepEqual(await namesOf(deviceId), [])
  }
})

test('the single action sets and removes the access rights tag of an installed device [dev-7tags-1 dev-7tags-2]', async () => {
  const deviceId = await addDevice(app, tenant)
  assert.equal((await put(deviceId, patch)).status, 204)
  assert.deepEqual((await read(deviceId)).body.data!.accessRightsTag, { id: patch, displayName: 'East Patch' })
  assert.equal((await put(deviceId, null)).status, 204)
  assert.equal((await read(deviceId)).body.data!.accessRightsTag, null)
})

test('a list sets the same stored value; an empty list removes it [dev-7tags-3 dev-7tags-4]', async () => {
  const deviceId = await addDevice(app, tenant, { serial: 'EM1000503A' })
  const { status, body } = await post(deviceId, [patch])
  assert.equal(status, 200)
  assert.deepEqual([body.tags, body.accessRightsTag], [[], { id: patch, displayName: 'East Patch' }])
  assert.equal((await put(deviceId, null)).status, 204)
  assert.equal((await post(deviceId, [patch])).status, 200)
  assert.equal((await post(deviceId, [])).status, 200)
  assert.equal((await read(deviceId)).body.data!.accessRightsTag, null)
  assert.deepEqual((await entriesOf('device access rights tag changed', 'EM1000503A'))[0], [
    { accessRightsTag: 'East Patch' },
    { accessRightsTag: null },
  ])
  assert.equal((await post(deviceId, [crypto.randomUUID()])).status, 400)
  assert.equal((await post(deviceId, [patch, crypto.randomUUID()])).status, 400)
})

test('an allocated device accepts the list but not the single action; one in stock refuses both with a reason', async () => {
  const allocated = await addDevice(app, tenant, { status: 'Allocated' })
  const refused = await put(allocated, patch)
  assert.deepEqual(
    [refused.status, refused.body['message']],
    [422, 'The access rights tag of a device that is not installed cannot be changed.'],
  )
  assert.equal((await post(allocated, [patch])).status, 200)
  const stock = await addDevice(app, tenant, { status: 'Inventory' })
  assert.equal((await put(stock, patch)).status, 422)
  const { status, body } = await post(stock, [patch])
  assert.deepEqual([status, body['message']], [422, 'The device is not installed or allocated.'])
})

test('users cannot lift their own restriction, nor can engineers without the capability', async () => {
  const deviceId = await addDevice(app, tenant, { accessRightsTagId: patch })
  for (const email of [limited, engineer, 'guest@north.test']) {
    assert.equal((await put(deviceId, null, email)).status, 403, email)
    assert.equal((await post(deviceId, [], email)).status, 403, email)
  }
  assert.equal((await read(deviceId)).body.data!.accessRightsTag!.id, patch)
  await app.addTenant('able', { capabilities: ['EditAccessRightsTags'] })
  await app.addMember('able', 'engineer@able.test', 'LightingEngineer')
  const theirs = await addDevice(app, 'able')
  const sent = { params: { tenant: 'able', deviceId: theirs }, body: { accessRightsTags: [] } }
  assert.equal((await app.send(setDeviceAccessRightsTags, sent, 'engineer@able.test')).status, 200)
})

test('the tags of a device have the same order on its page, in its listing and in the tag calls', async () => {
  const small = (await app.send(tenantCreateTag, { body: { tenant, name: 'aardvark' } }, manager)).body.data!.id
  const deviceId = await addDevice(app, tenant)
  const expected = [small, tag('Alpha'), tag('Beta')]
  for (const tagId of expected.toReversed()) await add(deviceId, tagId)
  const page = await app.send(getEmered, { body: { tenant, deviceId } }, manager)
  assert.deepEqual(page.body.data!.tagIds, expected)
  const listing = await app.send(fetchViewData, { body: { tenant, listing: 'EmergencyLights' } }, manager)
  const row = listing.body.data!.rows.find((one) => one.deviceId === deviceId)!
  assert.deepEqual(
    row.deviceTags.map(({ id }) => id),
    expected,
  )
  assert.deepEqual(
    (await read(deviceId)).body.data!.tags.map(({ id }) => id),
    expected,
  )
})
