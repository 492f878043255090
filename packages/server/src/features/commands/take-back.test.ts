import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { emeredJoinNetwork } from '@caretaker/contract/actions.ts'
import { getDeviceCommands, takeBackCommand } from '@caretaker/contract/lighting.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { ingestReplies } from './ingest.ts'
import { expireCommands, takeDueCommands } from './store.ts'

const tenant = 'north'
const lighting = 'lighting@north.test'
const boilers = 'boilers@north.test'
const guest = 'guest@north.test'
const limited = 'limited@north.test'
const south = 'manager@south.test'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  for (const id of [tenant, 'south']) await app.addTenant(id)
  await app.addMember(tenant, lighting, 'LightingEngineer')
  await app.addMember(tenant, boilers, 'BoilerEngineer')
  await app.addMember(tenant, guest, 'Guest')
  await app.addMember(tenant, limited, 'Manager', [await addAccessRightsTag(app, tenant, 'East Patch')])
  await app.addMember('south', south, 'Manager')
})
afterAll(() => app.close())

const join = async (deviceId: string) =>
  (await app.send(emeredJoinNetwork, { body: { tenant, deviceId } }, lighting)).body.data!.commandId
const takeBack = (deviceId: string, commandId: string, email = lighting, at = tenant) =>
  app.send(takeBackCommand, { body: { tenant: at, deviceId, commandId } }, email)
const commandsOf = async (deviceId: string) =>
  (await app.send(getDeviceCommands, { body: { tenant, deviceId } }, lighting)).body.data!
const audited = async (deviceId: string) =>
  (
    await app.database.owner.query<{ person_name: string; after: unknown }>(
      `select person_name, after from audit_entry where action = 'command taken back' and subject_id = $1`,
      [deviceId],
    )
  ).rows

test('an unsent command is withdrawn by users who may request it, with name and time, and recorded', async () => {
  const light = await addDevice(app, tenant)
  const commandId = await join(light)
  const { body } = await takeBack(light, commandId)
  assert.equal(body.isSuccessful, true)
  const [command] = await commandsOf(light)
  assert.deepEqual(body.data, command)
  assert.equal(command!.status, 'withdrawn')
  assert.ok(command!.withdrawnAt && command!.withdrawnBy && command!.requestedBy === command!.withdrawnBy)
  assert.deepEqual(await takeDueCommands(app.database.db, [light], 10), [])
  const records = await audited(light)
  assert.deepEqual(
    records.map((record) => record.after),
    [{ commandId, command: 'joinNetwork' }],
  )
  const again = await takeBack(light, commandId)
  assert.deepEqual([again.body.isSuccessful, again.body.message], [false, 'The command has already been withdrawn.'])
  assert.equal((await audited(light)).length, 1)
})

test('a sent command is not withdrawn, with the reason; nor is a confirmed one', async () => {
  const light = await addDevice(app, tenant)
  const commandId = await join(light)
  await takeDueCommands(app.database.db, [light], 10)
  const sent = await takeBack(light, commandId)
  assert.equal(sent.body.message, 'The command has been sent to the device and can no longer be withdrawn.')
  await inTenant(app.database.db, tenant, (tx) =>
    ingestReplies(tx, [
      { deviceId: light, tenant, payload: { commandId, status: 'confirmed' }, receivedAt: new Date() },
    ]),
  )
  assert.equal((await takeBack(light, commandId)).body.message, 'The device has already confirmed the command.')
  const [command] = await commandsOf(light)
  assert.deepEqual([command!.status, command!.withdrawnAt], ['confirmed', null])
})

test('a refused or expired command keeps its state, and is no longer desired', async () => {
  const light = await addDevice(app, tenant)
  const refused = await join(light)
  const payload = { commandId: refused, status: 'failed' as const, message: 'No network in reach' }
  await inTenant(app.database.db, tenant, (tx) =>
    ingestReplies(tx, [{ deviceId: light, tenant, payload, receivedAt: new Date() }]),
  )
  const expired = await join(light)
  await app.database.owner.query(`update command_outbox set expires_at = now() where command_id = $1`, [expired])
  await expireCommands(app.database.db)
  for (const id of [refused, expired]) assert.equal((await takeBack(light, id)).body.isSuccessful, true)
  assert.deepEqual(
    (await commandsOf(light)).map(({ status, withdrawnAt }) => [status, withdrawnAt !== null]),
    [
      ['expired', true],
      ['failed', true],
    ],
  )
})

test('users cannot withdraw commands that they may not request, and hidden ones are not found', async () => {
  const light = await addDevice(app, tenant)
  const other = await addDevice(app, tenant)
  const commandId = await join(light)
  assert.equal((await takeBack(light, commandId, guest)).status, 403)
  for (const email of [boilers, limited, south]) assert.equal((await takeBack(light, commandId, email)).status, 404)
  assert.equal((await takeBack(light, commandId, south, 'south')).status, 404)
  // A command of another device is not found on this one.
  assert.equal((await takeBack(other, commandId)).status, 404)
  assert.equal((await commandsOf(light))[0]!.status, 'queued')
})
