import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, test } from 'vitest'
import { getAudit } from '@caretaker/contract/audit.ts'
import {
  addConnection,
  addSensors,
  changeSetPoint,
  getConnection,
  getNewSensors,
  getSetPoint,
  sendUplink,
  updateConnection,
} from '@caretaker/contract/connections.ts'
import { getDeviceCommands, takeBackCommand } from '@caretaker/contract/lighting.ts'
import type { MqttDownlink } from '@caretaker/rules/connectors/downlinks.ts'
import { roles } from '@caretaker/rules/identity/roles.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { DownlinkWays } from '../../connectors/downlinks.ts'
import { sendDownlinks } from '../../connectors/downlinks.ts'
import { openConnectorIntake } from '../../connectors/intake.ts'
import { actorOf } from '../../isolation/pair.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { openFetch } from '../../webhooks/fetch.ts'
import { openReach } from '../../webhooks/reach.ts'
import { expireCommands, takeDueCommands } from '../commands/store.ts'

const tenant = 'north'
const manager = 'manager@north.test'
let app: TestApp
let property: string
/** A network server that records its calls and answers with `status`. */
const network = { url: '', status: 200, calls: [] as { path: string; token: string | undefined; body: unknown }[] }
const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const { headers, url } = request
    const token = headers['grpc-metadata-authorization'] ?? headers.authorization
    network.calls.push({
      path: url!,
      token: token as string,
      body: JSON.parse(Buffer.concat(parts).toString()) as unknown,
    })
    response.writeHead(network.status, { 'content-type': 'application/json' }).end('{"id":"1"}')
  })
})

beforeAll(async () => {
  app = await testApp()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  network.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  for (const id of [tenant, 'south']) await app.addTenant(id)
  for (const role of roles) await app.addMember(tenant, `${role.toLowerCase()}@north.test`, role)
  await app.addMember('south', 'manager@south.test', 'Manager')
  property = randomUUID()
  await app.database.owner.query(
    `insert into property (tenant_id, id, reference, address1, postcode) values ('north', $1, 'NG-1', '1 Elm Road', 'LS6 1AB')`,
    [property],
  )
})
afterAll(async () => {
  server.close()
  await app.close()
})
const published: (MqttDownlink & { connectionId: string })[] = []
beforeEach(() => {
  network.status = 200
  network.calls.length = 0
  published.length = 0
})

let brokerFault: string | undefined
const ways = (): DownlinkWays => ({
  publish: async (connectionId, message) => {
    if (brokerFault) throw new Error(brokerFault)
    published.push({ connectionId, ...message })
  },
  ask: openFetch(openReach(['127.0.0.1/32'])),
})
const send = (given = ways()) => sendDownlinks(app.context, given)

let names = 0
async function connect(more: object = {}) {
  const { status, body } = await app.send(
    addConnection,
    { params: { tenant }, body: { kind: 'chirpstack', name: `Connection ${++names}`, ...more } } as never,
    manager,
  )
  assert.equal(status, 201, JSON.stringify(body))
  return { id: body.connection.id as string, key: body.key as string }
}
type Connected = Awaited<ReturnType<typeof connect>>
const withApi = () => ({ downlink: { url: network.url, token: 'secret-token' } })

async function post({ id, key }: Connected, body: unknown, query = '') {
  const response = await app.app.inject({
    ...{ method: 'POST', url: `${sendUplink.path.replace('{connectionId}', id)}${query}` },
    headers: { 'x-connection-key': key, 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  })
  assert.equal(response.statusCode, 202, response.body)
}

let frames = 0
/** An uplink of a WT201 with this set point, in heat mode. */
function uplink(devEui: string, setPoint: number, at = Date.now()) {
  const tenths = Math.round(setPoint * 10)
  const bytes = [0x03, 0x67, 0xc2, 0, 0x04, 0x67, tenths & 255, tenths >> 8, 0x05, 0xe7, 0]
  return {
    ...{ deduplicationId: randomUUID(), time: new Date(at).toISOString() },
    deviceInfo: { devEui, deviceName: `Hall ${devEui}`, deviceProfileName: 'Milesight WT201' },
    ...{ devAddr: '00189440', fCnt: ++frames, fPort: 85, data: Buffer.from(bytes).toString('base64'), rxInfo: [] },
  }
}

let keys = 0
const newKey = () => `24E12479${String(++keys).padStart(8, '0')}`
async function addDevice(key: string): Promise<string> {
  const { results } = (await app.send(getNewSensors, { params: { tenant }, query: {} as never }, manager)).body
  const { id } = results.find(({ deviceKey }) => deviceKey === key)!
  const body = { propertyId: property, sensors: [{ sensorId: id, room: 'Hall' }] }
  const added = await app.send(addSensors, { params: { tenant }, body }, manager)
  assert.equal(added.status, 201, JSON.stringify(added.body))
  return added.body.added[0]!.deviceId
}
async function thermostat(connection: Connected) {
  const key = newKey()
  await post(connection, uplink(key, 16))
  return { key, deviceId: await addDevice(key) }
}
const shown = async (deviceId: string) => (await app.send(getSetPoint, { params: { tenant, deviceId } }, manager)).body
const change = (deviceId: string, setPoint: number, email = manager, from = app) =>
  from.send(changeSetPoint, { params: { tenant, deviceId }, body: { setPoint } }, email)
const commands = async (deviceId: string) =>
  (await app.send(getDeviceCommands, { body: { tenant, deviceId } }, manager)).body.data!
const dueAgain = () =>
  app.database.owner.query(`update command_outbox set due_at = now() where is_downlink and due_at < expires_at`)

test('a set point is sent to the API of ChirpStack, and confirmed only by the report of the thermostat', async () => {
  const connection = await connect(withApi())
  const { key, deviceId } = await thermostat(connection)
  assert.deepEqual(await shown(deviceId), {
    ...{ reported: 16, desired: null, refusal: null, range: { min: 5, max: 35, step: 0.5 } },
  })
  assert.equal((await change(deviceId, 21)).status, 200)
  // The device link for other devices never takes it.
  assert.deepEqual(await takeDueCommands(app.database.db, [deviceId], 10), [])
  assert.equal((await commands(deviceId))[0]!.status, 'queued')
  await send()
  assert.deepEqual(network.calls, [
    {
      ...{ path: ['', 'api', 'devices', key.toLowerCase(), 'queue'].join('/'), token: 'Bearer secret-token' },
      body: { queueItem: { confirmed: false, fPort: 85, data: Buffer.from([0xff, 0xb7, 0, 21]).toString('base64') } },
    },
  ])
  const standing = async () => (await commands(deviceId))[0]!.status
  assert.equal(await standing(), 'sent')
  await dueAgain()
  await send()
  // It waits at the network server, and is sent there only once.
  assert.equal(network.calls.length, 1)

  const info = { devEui: key, deviceName: 'Hall', deviceProfileName: 'Milesight WT201' }
  await post(
    connection,
    {
      deduplicationId: randomUUID(),
      time: new Date().toISOString(),
      deviceInfo: info,
      acknowledged: true,
      queueItemId: '1',
    },
    '?event=ack',
  )
  assert.equal(await standing(), 'sent', 'an acknowledgement of the network server is no proof')
  await post(connection, uplink(key, 21, Date.now() - 3_600_000))
  assert.equal(await standing(), 'sent', 'a late message is older than the request')
  await post(connection, uplink(key, 16))
  assert.deepEqual([await standing(), (await shown(deviceId)).reported], ['sent', 16])
  await post(connection, uplink(key, 21))
  const [confirmed] = await commands(deviceId)
  assert.deepEqual([confirmed!.status, confirmed!.requestedBy], ['confirmed', 'manager'])
  assert.deepEqual([(await shown(deviceId)).reported, (await shown(deviceId)).desired], [21, 21])
  const { body } = await app.send(
    getAudit,
    { params: { tenant }, query: { action: 'set point requested' } } as never,
    'developer@north.test',
  )
  assert.deepEqual(body.results[0]!.after, { commandId: confirmed!.commandId, command: 'changeSetPoint', setPoint: 21 })
})

test('a newer set point replaces an unsent one, and one that was not sent can be taken back', async () => {
  const { deviceId } = await thermostat(await connect(withApi()))
  const [first, again] = [await change(deviceId, 19), await change(deviceId, 19)]
  assert.equal(first.body.commandId, again.body.commandId)
  await change(deviceId, 20)
  assert.deepEqual(
    (await commands(deviceId)).map(({ args, status }) => [args['setPoint'], status]),
    [
      [20, 'queued'],
      [19, 'withdrawn'],
    ],
  )
  const { commandId } = (await commands(deviceId))[0]!
  assert.equal((await app.send(takeBackCommand, { body: { tenant, deviceId, commandId } }, manager)).status, 200)
  await send()
  assert.deepEqual([network.calls, (await shown(deviceId)).desired], [[], null])
})

test('a refused token ends a set point with its reason; a server that is busy is asked again until it expires', async () => {
  const { key, deviceId } = await thermostat(await connect(withApi()))
  network.status = 401
  await change(deviceId, 18)
  await send()
  const [refused] = await commands(deviceId)
  assert.deepEqual(
    [refused!.status, refused!.message],
    ['failed', 'ChirpStack refuses the API token. Enter a new one in the settings of the connection.'],
  )
  network.status = 503
  await change(deviceId, 18.5)
  await send()
  const [waiting] = await commands(deviceId)
  assert.deepEqual([waiting!.status, waiting!.sentAt, waiting!.message], ['queued', null, 'ChirpStack responded 503.'])
  network.status = 200
  await dueAgain()
  await send()
  const [sent] = await commands(deviceId)
  assert.deepEqual([sent!.status, sent!.message], ['sent', null])
  assert.deepEqual(network.calls.at(-1)!.body, {
    queueItem: { confirmed: false, fPort: 85, data: Buffer.from([0xff, 0xfa, 0, 185, 0]).toString('base64') },
  })
  const past = `update command_outbox set expires_at = now() - interval '1 second', due_at = now() where is_downlink`
  await app.database.owner.query(past)
  await expireCommands(app.database.db)
  assert.equal((await commands(deviceId))[0]!.status, 'expired')
  assert.ok(key)
})

test('a set point outside the range, or of a device without one, is refused with its reason', async () => {
  const connection = await connect()
  const { deviceId } = await thermostat(connection)
  const without = await change(deviceId, 20)
  assert.ok(without.status >= 400)
  assert.match(JSON.stringify(without.body), /Enter the address and the token of the API of ChirpStack/)
  assert.match((await shown(deviceId)).refusal!, /cannot send/)
  for (const wrong of [4, 35.5, 20.3]) assert.equal((await change(deviceId, wrong)).status, 400)
  const other = newKey()
  const plain = uplink(other, 20)
  await post(connection, { ...plain, deviceInfo: { ...plain.deviceInfo, deviceProfileName: 'Milesight EM300-TH' } })
  const sensor = await addDevice(other)
  assert.equal((await shown(sensor)).range, null)
  assert.match(JSON.stringify((await change(sensor, 20)).body), /cannot change the set point of this device/)
})

test('the token is never returned, is stored encrypted, and is dropped when the address changes', async () => {
  const { id } = await connect(withApi())
  const params = { tenant, connectionId: id }
  const read = async () => (await app.send(getConnection, { params }, manager)).body
  const stored = async () =>
    (await app.database.owner.query<{ downlink_token: string }>(`select * from connection where id = $1`, [id]))
      .rows[0]!
  assert.deepEqual((await read()).downlink, { url: network.url, hasToken: true, topic: null, template: null })
  assert.ok(!JSON.stringify([await read(), await stored()]).includes('secret-token'))
  const save = (body: object) =>
    app.send(updateConnection, { params, body: { name: 'Same', ...body } } as never, manager)
  await save({ downlink: { url: network.url } })
  assert.equal((await read()).downlink!.hasToken, true)
  await save({})
  assert.equal((await read()).downlink!.hasToken, true)
  await save({ downlink: { url: 'https://elsewhere.example' } })
  assert.deepEqual((await read()).downlink, {
    ...{ url: 'https://elsewhere.example', hasToken: false, topic: null, template: null },
  })
  await save({ downlink: null })
  assert.deepEqual([(await read()).downlink, (await stored()).downlink_token], [null, null])
})

test('settings for downlinks that a connection does not use are refused, and commands that it would receive itself', async () => {
  const broker = { url: 'mqtts://broker.example:8883', topic: 'heating/#' }
  const paths = { deviceKey: 'id' }
  const add = (body: object) =>
    app.send(addConnection, { params: { tenant }, body: { name: `Connection ${++names}`, ...body } } as never, manager)
  const generic = { kind: 'generic-json', paths }
  for (const wrong of [
    { kind: 'chirpstack', transport: 'mqtt', broker, ...withApi() },
    { kind: 'zigbee2mqtt', downlink: { topic: 'a' } },
    { kind: 'zigbee2mqtt', downlink: { url: network.url, template: '{"a":"{setPoint}"}' } },
    { ...generic, downlink: {} },
    { ...generic, downlink: { url: network.url, template: 'text' } },
    { ...generic, downlink: { url: network.url, template: '{"a":1}' } },
    { ...generic, transport: 'mqtt', broker, downlink: { url: network.url } },
    { ...generic, transport: 'mqtt', broker, downlink: { topic: 'commands/#' } },
    { ...generic, transport: 'mqtt', broker, downlink: { topic: 'heating/{sensor}/set' } },
  ])
    assert.equal((await add(wrong)).status, 400, JSON.stringify(wrong))
})

/** A thermostat of a generic connection, whose messages have these values. */
async function genericThermostat(connection: Connected, id: string) {
  await post(connection, { id, maker: 'Example', model: 'TRV', setpoint: 18, temperature: 19 })
  return addDevice(id)
}
const genericPaths = { deviceKey: 'id', maker: 'maker', model: 'model' }

test('a set point of a generic webhook is posted to its address, and without an address the reason is shown', async () => {
  const settings = { kind: 'generic-json', paths: genericPaths }
  const silent = await genericThermostat(await connect(settings), 'lounge')
  assert.deepEqual([(await shown(silent)).reported, (await shown(silent)).range?.max], [18, 30])
  assert.match((await shown(silent)).refusal!, /cannot send. Enter an address for set points in its settings/)
  assert.ok((await change(silent, 20)).status >= 400)

  const template = '{"room":"{sensor}","target":"{setPoint}"}'
  const target = { downlink: { url: `${network.url}/set-points`, token: 'flow-token', template } }
  const connection = await connect({ ...settings, ...target })
  const deviceId = await genericThermostat(connection, 'hall')
  assert.equal((await shown(deviceId)).refusal, null)
  assert.equal((await change(deviceId, 20.5)).status, 200)
  await send()
  assert.deepEqual(network.calls, [
    { path: '/set-points', token: 'Bearer flow-token', body: { room: 'hall', target: 20.5 } },
  ])
  assert.equal((await commands(deviceId))[0]!.status, 'sent')
  await post(connection, { id: 'hall', maker: 'Example', model: 'TRV', setpoint: 20.5 })
  assert.equal((await commands(deviceId))[0]!.status, 'confirmed')
  network.status = 404
  await change(deviceId, 21)
  await send()
  assert.match((await commands(deviceId))[0]!.message!, /^The address for set points does not know this sensor/)
})

test('a set point of a generic MQTT connection is published to its topic', async () => {
  const broker = { url: 'mqtts://broker.example:8883', topic: 'reports/#' }
  const downlink = { topic: 'heating/{sensor}/set' }
  const { id } = await connect({ kind: 'generic-json', transport: 'mqtt', paths: genericPaths, broker, downlink })
  const intake = openConnectorIntake({ db: app.database.db, log: app.context.log }, async () => assert.fail())
  const known = { id, tenant, kind: 'generic-json', name: 'Heating', paths: genericPaths, paused: false } as const
  const report = (setpoint: number) => {
    const payload = { id: 'study', maker: 'Example', model: 'TRV', setpoint }
    return intake.receive(known, { payload, topic: 'reports/study' }, JSON.stringify(payload))
  }
  await report(18)
  const deviceId = await addDevice('study')
  await change(deviceId, 19)
  await send()
  const { commandId } = (await commands(deviceId))[0]!
  assert.deepEqual(published, [
    { connectionId: id, topic: 'heating/study/set', body: { sensor: 'study', setPoint: 19, id: commandId } },
  ])
  await report(19)
  assert.equal((await commands(deviceId))[0]!.status, 'confirmed')
})

test('a set point of a Zigbee thermostat by webhook is posted with the topic for its broker', async () => {
  const connection = await connect({ kind: 'zigbee2mqtt', downlink: { url: network.url } })
  const list = [
    { ieee_address: '0x00124b0029f10b01', friendly_name: 'Loft', definition: { vendor: 'Danfoss', model: 'Ally' } },
  ]
  await post(connection, list, '?topic=zigbee2mqtt/bridge/devices')
  const report = (setPoint: number) =>
    post(
      connection,
      { occupied_heating_setpoint: setPoint, last_seen: new Date().toISOString() },
      '?topic=zigbee2mqtt/Loft',
    )
  await report(18)
  const deviceId = await addDevice('00124B0029F10B01')
  await change(deviceId, 20)
  await send()
  assert.deepEqual(network.calls, [
    {
      path: '/',
      token: undefined,
      body: { topic: 'zigbee2mqtt/Loft/set', payload: { occupied_heating_setpoint: 20 } },
    },
  ])
  await report(20)
  assert.equal((await commands(deviceId))[0]!.status, 'confirmed')
})

test('downlinks reach no address that is not public', async () => {
  const { deviceId } = await thermostat(await connect(withApi()))
  await change(deviceId, 20)
  await send({ ...ways(), ask: openFetch(openReach(['10.0.0.0/8'])) })
  const [command] = await commands(deviceId)
  assert.deepEqual([command!.status, command!.message, network.calls], ['failed', 'The address is not public.', []])
})

test('a Zigbee thermostat gets its set point from the broker of its connection', async () => {
  const broker = { url: 'mqtts://broker.example:8883', topic: 'zigbee2mqtt/#' }
  const { id } = await connect({ kind: 'zigbee2mqtt', transport: 'mqtt', broker })
  const intake = openConnectorIntake({ db: app.database.db, log: app.context.log }, async () => assert.fail())
  const known = { id, tenant, kind: 'zigbee2mqtt', name: 'Zigbee', paths: null, paused: false } as const
  const report = (setPoint: number) => {
    const payload = { occupied_heating_setpoint: setPoint, local_temperature: 19, last_seen: new Date().toISOString() }
    return intake.receive(known, { payload, topic: 'zigbee2mqtt/Hall' }, JSON.stringify(payload))
  }
  const list = [
    { ieee_address: '0x00124b0029f10a01', friendly_name: 'Hall', definition: { vendor: 'Danfoss', model: 'Ally' } },
  ]
  await intake.receive(known, { payload: list, topic: 'zigbee2mqtt/bridge/devices' }, '')
  await report(18)
  const deviceId = await addDevice('00124B0029F10A01')
  assert.deepEqual((await shown(deviceId)).range, { min: 5, max: 30, step: 0.5 })
  await change(deviceId, 20.5)
  brokerFault = 'The broker is not connected.'
  await send()
  assert.equal((await commands(deviceId))[0]!.message, brokerFault)
  brokerFault = undefined
  await dueAgain()
  await send()
  assert.deepEqual(published, [
    { connectionId: id, topic: 'zigbee2mqtt/Hall/set', body: { occupied_heating_setpoint: 20.5 } },
  ])
  assert.equal((await commands(deviceId))[0]!.status, 'sent')
  await report(20.5)
  assert.equal((await commands(deviceId))[0]!.status, 'confirmed')
})

test('each role changes set points by its rights, and other clients find no device', async () => {
  const { deviceId } = await thermostat(await connect(withApi()))
  const subject = { product: 'ADEY', status: 'Ok', inWholesale: false, accessRightsTags: [] } as const
  for (const [at, role] of roles.entries()) {
    const { status } = await change(deviceId, 15 + at, `${role.toLowerCase()}@north.test`)
    const [sees, may] = [can(actorOf(role), 'see device', subject), can(actorOf(role), 'change set point', subject)]
    assert.equal(status, may ? 200 : sees || !can(actorOf(role), 'change set point') ? 403 : 404, role)
  }
  assert.ok([403, 404].includes((await change(deviceId, 20, 'manager@south.test')).status))
  const foreign = { params: { tenant: 'south', deviceId }, body: { setPoint: 20 } }
  assert.equal((await app.send(changeSetPoint, foreign, 'manager@south.test')).status, 404)
  const { params } = foreign
  assert.equal((await app.send(getSetPoint, { params }, 'manager@south.test')).status, 404)
})

test('with CARETAKER_OUTBOUND=off a set point is refused with that reason', async () => {
  const { deviceId } = await thermostat(await connect(withApi()))
  const quiet = await testApp({ CARETAKER_OUTBOUND: 'off' }, app.database)
  assert.match(JSON.stringify((await change(deviceId, 20, manager, quiet)).body), /CARETAKER_OUTBOUND is off/)
  assert.deepEqual(await commands(deviceId), [])
})
