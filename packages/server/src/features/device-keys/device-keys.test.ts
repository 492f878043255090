import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, test } from 'vitest'
import type { MqttClient } from 'mqtt'
import { connectAsync } from 'mqtt'
import { bulkUninstall, installDevice, removeDevice } from '@caretaker/contract/actions.ts'
import { getDeviceKey, getDeviceKeys, replaceDeviceKey, revokeDeviceKey } from '@caretaker/contract/device-keys.ts'
import { getEmered, getNetworkingDevice } from '@caretaker/contract/devices.ts'
import { topic } from '@caretaker/contract/mqtt/topics.ts'
import { listingOf } from '@caretaker/rules/devices/list.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { makeKey } from '../../testing/api-key.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { testDatabase } from '../../testing/database.ts'
import type { TestDevice, TestLink } from '../../testing/device-link.ts'
import { eventually, hashKey, queueFlickTest, testLink } from '../../testing/device-link.ts'
import type { LinkServerReady } from '../../testing/link-server.ts'
import { startMosquitto, withoutMosquitto } from '../../testing/mosquitto.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { uninstall } from '../actions/uninstall.ts'
import { holdDevices } from '../devices/held.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { skipBecause } from '../../testing/skipping.ts'

const tenant = 'north'
const manager = 'manager@north.test'
let world: TestLink
let app: TestApp
let east: string
beforeAll(async () => {
  world = await testLink()
  app = await testApp({}, world.database)
  for (const id of [tenant, 'south']) await app.addTenant(id)
  east = await addAccessRightsTag(app, tenant, 'East')
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, 'engineer@north.test', 'LightingEngineer')
  await app.addMember(tenant, 'guest@north.test', 'Guest')
  await app.addMember(tenant, 'limited@north.test', 'Manager', [east])
  await app.addMember(tenant, 'developer@north.test', 'Developer', [east])
  await app.addMember('south', 'manager@south.test', 'Manager')
})
afterAll(async () => {
  await app.app.close()
  await world.close()
})

const of = ({ id: deviceId }: Pick<TestDevice, 'id'>, in_ = tenant) => ({ params: { tenant: in_, deviceId } })
const key = async (device: TestDevice) => (await app.send(getDeviceKey, of(device), manager)).body
const replace = (device: TestDevice, email = manager) => app.send(replaceDeviceKey, of(device), email)
const revoke = (device: TestDevice, email = manager) => app.send(revokeDeviceKey, of(device), email)
const remove = (device: TestDevice) => app.send(removeDevice, { body: { tenant, deviceId: device.id } }, manager)
const install = (device: TestDevice) => app.send(installDevice, { body: { tenant, deviceId: device.id } }, manager)

/** A device that has a page of its own. */
async function add(product: Product = 'EM', more: { parent?: TestDevice; silent?: boolean } = {}): Promise<TestDevice> {
  const device = await world.addDevice(tenant, { product, ...more })
  await world.rows('update device set listing = $2 where id = $1', [device.id, listingOf(product)])
  return device
}
const reading = () => ({ ts: Date.now(), values: { batteryVoltage: 3.6 } })
const stored = async (device: TestDevice) =>
  (
    await world.rows(
      'select from point join series on series.tenant_id = point.tenant_id and series.id = series_id where device_id = $1',
      [device.id],
    )
  ).length
const kept = async (device: TestDevice) =>
  (await world.rows('select from bad_message where device_id = $1', [device.id])).length
const rejected = async (device: TestDevice) => {
  const { body } = await app.send(getEmered, { body: { tenant, deviceId: device.id } }, manager)
  return body.data!.messagesNotTaken
}
const recorded = (device: TestDevice) =>
  world.rows<{ action: string; person_name: string; text: string }>(
    `select action, person_name, row_to_json(entry)::text as text from audit_entry as entry
     where subject_id = $1 order by at`,
    [device.id],
  )

const closing = (client: MqttClient) => new Promise<void>((resolve) => client.once('close', () => resolve()))

/** The time within which a device that may no longer connect is disconnected, in ms. */
const bound = 2000
/** The time from the call until the server closes the connection, in ms. */
async function untilClosed(client: MqttClient, work: () => Promise<unknown>): Promise<number> {
  const closed = closing(client)
  await work()
  const answered = performance.now()
  await closed
  return performance.now() - answered
}

test('a manager sees the state of a key and replaces it: the new one is shown once, and the old one is invalid', async () => {
  const device = await add()
  const client = await world.connect(device)
  await eventually(
    () => key(device),
    ({ isConnected }) => isConnected,
  )
  const before = await key(device)
  assert.deepEqual([before.state, before.madeAt, before.revokedAt, before.gateway], ['active', null, null, null])
  assert.ok(Date.parse(before.lastConnectedAt!) <= Date.now())
  const closed = closing(client)
  const { status, body } = await replace(device)
  await closed
  assert.equal(status, 201)
  const { username, password, mqttUrl } = body.credentials
  assert.deepEqual([username, mqttUrl.split(':')[0]], [device.id, 'mqtt'])
  assert.ok(Math.abs(Date.parse(body.deviceKey.madeAt!) - Date.now()) < 60_000)
  await assert.rejects(world.connect(device), /Not authorized/)
  await (await world.connect({ ...device, key: password })).endAsync()

  const [row] = await world.rows<{ key_hash: Buffer }>('select key_hash from device_route where device_id = $1', [
    device.id,
  ])
  assert.deepEqual(row!.key_hash, hashKey(password))
  assert.ok(!JSON.stringify(await key(device)).includes(password))
  const [entry] = await recorded(device)
  assert.deepEqual([entry!.action, entry!.person_name], ['device key replaced', 'manager'])
  assert.ok(!entry!.text.includes(password) && !entry!.text.includes(hashKey(password).toString('hex')))
})

test('a revoked key stays revoked until it is replaced; a device without a key gets its first one', async () => {
  const device = await add()
  assert.equal((await revoke(device)).status, 204)
  assert.equal((await revoke(device)).status, 204)
  const revoked = await key(device)
  assert.deepEqual([revoked.state, revoked.madeAt], ['revoked', null])
  assert.ok(Math.abs(Date.parse(revoked.revokedAt!) - Date.now()) < 60_000)
  await assert.rejects(world.connect(device), /Not authorized/)
  const { body } = await replace(device)
  assert.deepEqual([body.deviceKey.state, body.deviceKey.revokedAt], ['active', null])
  await (await world.connect({ ...device, key: body.credentials.password })).endAsync()

  const gateway = await add('MG')
  const child = await add('EM', { parent: gateway, silent: true })
  const [none, refused] = [await key(child), await revoke(child)]
  assert.deepEqual([none.state, none.gateway?.deviceId], ['none', gateway.id])
  assert.equal(refused.status, 409)
  assert.equal((await replace(child)).body.deviceKey.state, 'active')
  const actions = async (of: TestDevice) => (await recorded(of)).map(({ action }) => action)
  assert.deepEqual(await actions(device), ['device key revoked', 'device key replaced'])
  assert.deepEqual(await actions(child), ['device key made'])
})

test('neither another role, a limited manager nor another client sees or changes a key', async () => {
  const device = await add()
  for (const [email, status] of [
    ['engineer@north.test', 403],
    ['guest@north.test', 403],
    ['limited@north.test', 403],
    // A user limited to a part of the client does not see this device.
    ['developer@north.test', 404],
  ] as const)
    for (const route of [getDeviceKey, replaceDeviceKey, revokeDeviceKey])
      assert.equal((await app.send(route, of(device), email)).status, status, `${email} ${route.method}`)
  for (const route of [getDeviceKey, replaceDeviceKey, revokeDeviceKey]) {
    assert.equal((await app.send(route, of(device), 'manager@south.test')).status, 404)
    assert.equal((await app.send(route, of(device, 'south'), 'manager@south.test')).status, 404)
  }
  assert.equal((await app.send(getDeviceKeys, { params: { tenant }, query: {} }, 'limited@north.test')).status, 403)
  assert.equal((await key(device)).state, 'active')
  assert.deepEqual(await recorded(device), [])
})

test('all keys are listed by serial number, page by page, for the devices that the caller sees', async () => {
  const hidden = await addDevice(app, 'south', {})
  const tagged = await addDevice(app, tenant, { accessRightsTagId: east })
  const all: string[] = []
  for (let after: string | undefined; ;) {
    const query = { limit: 2, ...(after && { after }) }
    const { body } = await app.send(getDeviceKeys, { params: { tenant }, query }, manager)
    assert.ok(body.results.length <= 2)
    all.push(...body.results.map(({ deviceId }) => deviceId))
    if (!body.next) break
    after = body.next
  }
  const { length } = await world.rows('select from device where tenant_id = $1', [tenant])
  assert.equal(all.length, length)
  assert.equal(new Set(all).size, length)
  assert.ok(!all.includes(hidden))
  const { body } = await app.send(getDeviceKeys, { params: { tenant }, query: {} }, 'developer@north.test')
  assert.deepEqual(
    body.results.map(({ deviceId }) => deviceId),
    [tagged],
  )
})

test("software replaces a device key with a manager's API key, which the audit names", async () => {
  const device = await add()
  const headers = { authorization: `Bearer ${await makeKey(app, tenant, manager)}` }
  assert.equal((await app.send(replaceDeviceKey, of(device), undefined, { headers })).status, 201)
  const engineers = { authorization: `Bearer ${await makeKey(app, tenant, manager, 'LightingEngineer')}` }
  assert.equal((await app.send(replaceDeviceKey, of(device), undefined, { headers: engineers })).status, 403)
  const [entry, ...others] = await recorded(device)
  assert.match(entry!.person_name, /API key/)
  assert.deepEqual(others, [])
})

test('a connection ends within 2 seconds of each revocation, also in another process', async () => {
  const database = await testDatabase()
  const owners = await testApp({}, database)
  // The connections are in a separate process, so nothing in this one can end them.
  const server = fork(new URL('../../testing/link-server.ts', import.meta.url), [database.url, '0'])
  const [{ port }] = (await once(server, 'message')) as [LinkServerReady]
  const clients: MqttClient[] = []
  try {
    await owners.addTenant(tenant)
    await owners.addMember(tenant, manager, 'Manager')
    const connected = async () => {
      const id = await addDevice(owners, tenant, { key: 'the key' })
      const options = { username: id, password: 'the key', reconnectPeriod: 0 }
      const client = await connectAsync(`mqtt://127.0.0.1:${port}`, options, false)
      client.on('error', () => {})
      clients.push(client)
      return { id, client }
    }
    const took: number[] = []
    // One after the other: if keys were only polled every two seconds, the second one would be late.
    for (const end of [
      (id: string) => owners.send(revokeDeviceKey, of({ id }), manager),
      (id: string) => owners.send(replaceDeviceKey, of({ id }), manager),
      (id: string) => owners.send(removeDevice, { body: { tenant, deviceId: id } }, manager),
    ]) {
      const { id, client } = await connected()
      took.push(await untilClosed(client, () => end(id)))
    }
    assert.ok(Math.max(...took) < bound, took.join(', '))
    assert.ok(took.reduce((sum, one) => sum + one) < 2 * bound, took.join(', '))
  } finally {
    for (const client of clients) client.end(true)
    server.send('stop')
    await once(server, 'exit')
    await owners.close()
  }
})

test('commands of a revoked device do not go to its gateway either', async () => {
  const gateway = await add('MG')
  const child = await add('EM', { parent: gateway })
  const above = await world.connect(gateway)
  const commands = `devices/${child.id}/commands`
  const subscribe = () =>
    above.subscribeAsync(commands, { qos: 1 }).then(
      ([granted]) => granted!.qos,
      () => 'refused',
    )
  assert.equal(await subscribe(), 1)
  await above.unsubscribeAsync(commands)
  await revoke(child)
  await eventually(subscribe, (answer) => answer === 'refused', bound)
  await above.endAsync()
})

test('a connection ended by the server is not a drop of the device', async () => {
  const device = await add()
  const client = await world.connect(device)
  await untilClosed(client, () => revoke(device))
  const [link] = await eventually(
    () =>
      world.rows<{ connected: boolean; drops: Date[] }>('select * from device_link where device_id = $1', [device.id]),
    ([row]) => row?.connected === false,
  )
  assert.deepEqual(link!.drops, [])
})

test('an uninstalled device is refused until it is installed again, and nothing that it sends is stored', async () => {
  const gateway = await add('MG')
  const [device, child] = [await add(), await add('EM', { parent: gateway, silent: true })]
  const [client, above] = [await world.connect(device), await world.connect(gateway)]
  await world.publish(client, device.id, 'telemetry', reading())
  await world.publish(above, child.id, 'telemetry', reading())
  assert.ok((await untilClosed(client, () => remove(device))) < bound)
  await assert.rejects(world.connect(device), /Not authorized/)
  const earlier = await world.bad('not installed')
  await remove(child)
  // Messages sent before the notification arrives may still be accepted.
  await eventually(
    async () => {
      await world.publish(above, child.id, 'telemetry', reading())
      return world.bad('not installed')
    },
    (count) => count > earlier,
    bound,
  )
  const [counted, before] = [await world.bad('not installed'), await stored(child)]
  for (let n = 0; n < 3; n++) await world.publish(above, child.id, 'telemetry', reading())
  await world.publish(above, child.id, 'state', { firmware: '9' })
  assert.equal(await world.bad('not installed'), counted + 4)
  const [refusal] = await eventually(
    () => rejected(child),
    ([one]) => one?.count === counted + 4 - earlier,
  )
  assert.equal(refusal!.reason, 'not installed')
  assert.deepEqual([await stored(child), await kept(child)], [before, 0])
  const [{ reported }] = (await world.rows<{ reported: object }>('select reported from device where id = $1', [
    child.id,
  ])) as [{ reported: object }]
  assert.deepEqual(reported, {})
  assert.equal(above.connected, true, 'its gateway goes on')

  for (const one of [device, child]) assert.equal((await install(one)).body.isSuccessful, true)
  const again = await world.connect(device)
  await world.publish(again, device.id, 'telemetry', reading())
  await eventually(
    async () => {
      await world.publish(above, child.id, 'telemetry', reading())
      return stored(child)
    },
    (count) => count > before,
  )
  assert.ok((await stored(device)) > 0)
  for (const one of [again, above]) await one.endAsync()
})

test('an uninstalled gateway no longer connects its children; one with a key of its own connects itself', async () => {
  const gateway = await add('MG')
  const [silent, own] = [await add('EM', { parent: gateway, silent: true }), await add('EM', { parent: gateway })]
  const above = await world.connect(gateway)
  for (const child of [silent, own]) await world.publish(above, child.id, 'telemetry', reading())
  assert.ok((await untilClosed(above, () => remove(gateway))) < bound)
  await assert.rejects(world.connect(gateway), /Not authorized/)
  const { data } = (await app.send(getNetworkingDevice, { body: { tenant, deviceId: gateway.id } }, manager)).body
  assert.ok(data!.uninstalledAt)
  const client = await world.connect(own)
  const before = await stored(own)
  await world.publish(client, own.id, 'telemetry', reading())
  assert.equal(await stored(own), before + 1)
  await install(gateway)
  const back = await world.connect(gateway)
  const count = await stored(silent)
  await world.publish(back, silent.id, 'telemetry', reading())
  assert.equal(await stored(silent), count + 1)
  for (const one of [client, back]) await one.endAsync()
})

test('uninstalling hundreds takes as many statements as a few, and all their connections end within 2 seconds', async () => {
  const connected = [await add(), await add(), await add()]
  const clients = await Promise.all(connected.map((device) => world.connect(device)))
  const others: string[] = []
  for (let n = 0; n < 450; n++) others.push((await add('EM', { silent: true })).id)
  const closed = clients.map((client) => closing(client))
  const deviceIds = [...connected.map(({ id }) => id), ...others.splice(0, 400)]
  const { body } = await app.send(bulkUninstall, { body: { tenant, deviceIds } }, manager)
  const answered = performance.now()
  assert.ok(body.data!.results.every(({ state }) => state === 'done'))
  await Promise.all(closed)
  assert.ok(performance.now() - answered < bound)
  for (const device of connected) await assert.rejects(world.connect(device), /Not authorized/)

  const statements = async (ids: string[]) => {
    let count = 0
    const db = app.database.db.withPlugin({
      transformQuery: ({ node }) => {
        count++
        return node
      },
      transformResult: async ({ result }) => result,
    })
    await inTenant(db, tenant, async (tx) =>
      uninstall(tx, { id: null, name: 'A test' }, [...(await holdDevices(tx, ids)).values()]),
    )
    return count
  }
  // The first run needs more statements, whose results are then cached.
  await statements(others.splice(0, 2))
  assert.equal(await statements(others.splice(0, 2)), await statements(others))
})

test(
  'with an external broker ingest refuses the messages of a revoked or uninstalled device, and it gets no commands',
  skipBecause(withoutMosquitto),
  async () => {
    const broker = await startMosquitto()
    const outside = await testLink({ MQTT_URL: broker.url })
    const calls = await testApp({}, outside.database)
    try {
      await calls.addTenant(tenant)
      await calls.addMember(tenant, manager, 'Manager')
      const add = async (more = {}) => outside.addDevice(tenant, { product: 'ED', ...more })
      const gateway = await add({ product: 'MG' })
      const [revoked, uninstalled, silent] = [await add(), await add(), await add({ parent: gateway, silent: true })]
      const client = await outside.connect(revoked)
      const count = async (device: TestDevice) =>
        (
          await outside.rows(
            `select from point join series on series.tenant_id = point.tenant_id and series.id = series_id
             where device_id = $1`,
            [device.id],
          )
        ).length
      const publish = (device: TestDevice) =>
        outside.publish(client, device.id, 'telemetry', { ts: Date.now(), values: { co2: 400 } })
      for (const device of [revoked, uninstalled, silent]) {
        await publish(device)
        await eventually(
          () => count(device),
          (n) => n === 1,
        )
      }
      await calls.send(revokeDeviceKey, of(revoked), manager)
      await calls.send(revokeDeviceKey, of(gateway), manager)
      await calls.send(removeDevice, { body: { tenant, deviceId: uninstalled.id } }, manager)
      for (const [device, reason] of [
        [revoked, 'key revoked'],
        [uninstalled, 'not installed'],
        [silent, 'gateway refused'],
      ] as const) {
        // Notification and message take different paths: messages sent until the notification arrives may still be
        // accepted.
        await eventually(
          async () => {
            await publish(device)
            return outside.bad(reason)
          },
          (n) => n > 0,
          bound,
        )
        const before = await count(device)
        await publish(device)
        await eventually(
          () => outside.bad(reason),
          (n) => n > 1,
        )
        assert.equal(await count(device), before)
      }
      const admitted = await add()
      const heard: string[] = []
      client.on('message', (name) => void heard.push(name))
      await client.subscribeAsync('devices/+/commands', { qos: 1 })
      for (const device of [revoked, admitted]) await queueFlickTest(outside.database, device)
      await eventually(
        async () => heard,
        ({ length }) => length > 0,
      )
      assert.deepEqual([...new Set(heard)], [topic(admitted.id, 'commands')])
    } finally {
      await calls.app.close()
      await outside.close()
      await broker.stop()
    }
  },
)
