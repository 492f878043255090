import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, test, vi } from 'vitest'
import {
  activateCodecVersion,
  addConnection,
  addSensors,
  chooseSensorModel,
  decodeMessagesAgain,
  deleteConnection,
  getCodecVersions,
  getConnection,
  getConnectionMessages,
  getConnections,
  getConnectionTest,
  getMappingVersions,
  getNewSensors,
  getSensorMapping,
  getSensorMessages,
  getSensorModels,
  ignoreSensors,
  importSensors,
  pauseConnection,
  replaceConnectionKey,
  restoreMappingSuggestions,
  restoreSensors,
  resumeConnection,
  rollBackCodec,
  saveCodecVersion,
  saveSensorMapping,
  sendUplink,
  tryCodecVersion,
  undoAddSensors,
  updateConnection,
} from '@caretaker/contract/connections.ts'
import { getDeviceMetrics } from '@caretaker/contract/telemetry.ts'
import { getAudit } from '@caretaker/contract/audit.ts'
import type { ConnectionKind } from '@caretaker/rules/connectors/types.ts'
import { roles } from '@caretaker/rules/identity/roles.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { openConnectorIntake } from '../../connectors/intake.ts'
import { forgetSensorMessages } from '../../connectors/retention.ts'
import { actorOf } from '../../isolation/pair.ts'
import { makeAllDue } from '../../postgres/due.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { packPoints } from '../telemetry/pack.ts'
import { forgetTelemetry } from '../telemetry/retention.ts'

const tenant = 'north'
const manager = 'manager@north.test'
const day = 86_400_000
let app: TestApp
let property: string
let elsewhere: string
beforeAll(async () => {
  app = await testApp()
  for (const id of [tenant, 'south']) await app.addTenant(id)
  for (const role of roles) await app.addMember(tenant, `${role.toLowerCase()}@north.test`, role)
  await app.addMember('south', 'manager@south.test', 'Manager')
  property = await addProperty(tenant, 'NG-1')
  elsewhere = await addProperty('south', 'SG-1')
})
afterAll(() => app.close())

/** A message whose batch fails is stored again and again: a test must not wait for that. */
vi.setConfig({ testTimeout: 30_000 })

async function addProperty(of: string, reference: string): Promise<string> {
  const id = randomUUID()
  await app.database.owner.query(
    `insert into property (tenant_id, id, reference, address1, postcode) values ($1, $2, $3, '1 Elm Road', 'LS6 1AB')`,
    [of, id, reference],
  )
  return id
}

let names = 0
async function connect(kind: ConnectionKind = 'chirpstack', more: object = {}) {
  const { status, body } = await app.send(
    addConnection,
    { params: { tenant }, body: { kind, name: `Connection ${++names}`, ...more } } as never,
    manager,
  )
  assert.equal(status, 201, JSON.stringify(body))
  return { id: body.connection.id as string, key: body.key as string }
}
type Connected = Awaited<ReturnType<typeof connect>>

async function post({ id, key }: Connected, body: unknown, query = '') {
  const response = await app.app.inject({
    ...{
      method: 'POST',
      url: `${sendUplink.path.replace('{connectionId}', id)}${query}`,
      remoteAddress: `10.0.0.${(names % 250) + 1}`,
    },
    headers: { 'x-connection-key': key, 'content-type': 'application/json' },
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.statusCode, body: response.json<{ results?: { result: string }[]; message?: string }>() }
}
const resultsOf = async (...given: Parameters<typeof post>) => {
  const { status, body } = await post(...given)
  assert.equal(status, 202, JSON.stringify(body))
  return body.results!.map(({ result }) => result)
}

let keys = 0
const devEui = () => `24E1240000${String(++keys).padStart(6, '0')}`
let frames = 0
function uplink(key: string, object: Record<string, unknown>, more: object = {}) {
  const frame = ++frames
  return {
    deduplicationId: randomUUID(),
    time: new Date().toISOString(),
    deviceInfo: {
      devEui: key,
      deviceName: `Sensor ${key.slice(-3)}`,
      deviceProfileName: 'Room',
      tags: { maker: 'Acme' },
    },
    ...{
      devAddr: '00189440',
      fCnt: frame,
      fPort: 2,
      data: Buffer.from([frame >> 8, frame & 255]).toString('base64'),
      object,
    },
    rxInfo: [{ gatewayId: '0102030405060708', rssi: -48, snr: 9 }],
    ...more,
  }
}

const of = (connection: Connected) => ({ params: { tenant, connectionId: connection.id } })
const health = async (connection: Connected) => (await app.send(getConnection, of(connection), manager)).body
const errorsOf = async (connection: Connected) =>
  Object.fromEntries((await health(connection)).errorsByReason.map(({ reason, count }) => [reason, count]))
const newSensors = async (query: { ignored?: string } = {}) =>
  (await app.send(getNewSensors, { params: { tenant }, query: query as never }, manager)).body.results
const sensorOf = async (key: string) => {
  const found = (await newSensors()).find(({ deviceKey }) => deviceKey === key)
  assert.ok(found, `${key} is no new sensor`)
  return found
}
const add = (sensors: { sensorId: string; room: string }[], of_ = property, email = manager) =>
  app.send(addSensors, { params: { tenant }, body: { propertyId: of_, sensors } }, email)
async function addOne(key: string, room = 'Living room'): Promise<string> {
  const { status, body } = await add([{ sensorId: (await sensorOf(key)).id, room }])
  assert.equal(status, 201, JSON.stringify(body))
  return body.added[0]!.deviceId
}
async function readings(deviceId: string, metric: string, since = 2 * day) {
  const body = {
    ...{ tenant, deviceId, metrics: [metric] },
    ...{ from: new Date(Date.now() - since).toISOString(), to: new Date(Date.now() + 60_000).toISOString() },
  }
  const { body: answer, status } = await app.send(getDeviceMetrics, { body } as never, manager)
  assert.equal(status, 200, JSON.stringify(answer))
  return answer.data as unknown
}
const points = async (deviceId: string) =>
  (
    await app.database.owner.query<{ metric: string; value: number; at: Date }>(
      `select metric, value, at from point join series on series.tenant_id = point.tenant_id and series.id = series_id
       where device_id = $1 order by metric, at`,
      [deviceId],
    )
  ).rows
const valuesOf = async (deviceId: string) => (await points(deviceId)).map(({ metric, value }) => [metric, value])
const messagesOf = async (deviceId: string, query = {}) =>
  (await app.send(getSensorMessages, { params: { tenant, deviceId }, query }, manager)).body

const sample = (name: string) =>
  JSON.parse(readFileSync(new URL(`samples/${name}`, import.meta.url), 'utf8')) as Record<string, unknown>

test('a message of ChirpStack makes a new sensor, and its values are readings once it is added to a property', async () => {
  const connection = await connect()
  assert.deepEqual(await resultsOf(connection, sample('c04-chirpstack-uplink.json'), '?event=up'), ['Waiting'])
  const sensor = await sensorOf('0101010101010101')
  assert.deepEqual(
    sensor.lastValues.map(({ label, value, unit }) => [label, value, unit]),
    [
      ['Humidity', 51, '%'],
      ['Temperature', 20.5, '°C'],
    ],
  )
  const deviceId = await addOne('0101010101010101')
  const stored = await valuesOf(deviceId)
  assert.deepEqual(
    stored.filter(([metric]) => metric !== 'gsmSignal'),
    [
      ['humidity', 51],
      ['temperature', 20.5],
    ],
  )
  const [first] = await points(deviceId)
  assert.equal(first!.at.toISOString(), '2026-11-28T13:30:00.123Z')
  assert.ok(JSON.stringify(await readings(deviceId, 'temperature', 30 * day)).includes('20.5'))
  assert.ok(!(await newSensors()).some(({ deviceKey }) => deviceKey === '0101010101010101'))
  const { results, modelId } = await messagesOf(deviceId)
  assert.equal(results[0]!.result, 'Stored')
  assert.deepEqual([results[0]!.decoder, results[0]!.bytes, results[0]!.counter], ['ChirpStack', '0100', 4])
  assert.ok(modelId)
})

test('a message of Zigbee2MQTT with its topic ends as readings once its model is chosen', async () => {
  const connection = await connect('zigbee2mqtt')
  const topic = '?topic=zigbee2mqtt/living-room'
  assert.deepEqual(await resultsOf(connection, sample('c05-zigbee2mqtt.json'), topic), ['Waiting'])
  const sensor = (await newSensors()).find(({ connectionId }) => connectionId === connection.id)!
  const refused = await add([{ sensorId: sensor.id, room: 'Hall' }])
  assert.equal(refused.status, 409)
  assert.match(refused.body.message, /Choose the model/)
  const chosen = { sensorIds: [sensor.id], maker: 'Aqara', model: 'WSDCGQ11LM' }
  assert.equal((await app.send(chooseSensorModel, { params: { tenant }, body: chosen }, manager)).status, 200)
  const deviceId = await addOne(sensor.deviceKey)
  const stored = await valuesOf(deviceId)
  assert.deepEqual(
    stored.filter(([metric]) => metric === 'temperature' || metric === 'humidity'),
    [
      ['humidity', 51.2],
      ['temperature', 20.5],
    ],
  )
})

test('a message that is sent three times is stored once, and the others are duplicates', async () => {
  const [connection, key] = [await connect(), devEui()]
  const message = uplink(key, { temperature: 20 })
  assert.deepEqual(await resultsOf(connection, message), ['Waiting'])
  const deviceId = await addOne(key)
  const next = uplink(key, { temperature: 21 })
  const sent = await Promise.all([1, 2, 3].map(() => resultsOf(connection, next)))
  assert.deepEqual(sent.flat().toSorted(), ['Duplicate', 'Duplicate', 'Stored'])
  // Another id from the network server for the same frame.
  assert.deepEqual(await resultsOf(connection, { ...next, deduplicationId: randomUUID() }), ['Duplicate'])
  assert.deepEqual(
    (await valuesOf(deviceId)).filter(([metric]) => metric === 'temperature'),
    [
      ['temperature', 20],
      ['temperature', 21],
    ],
  )
})

test('in a message with five values of which one is wrong four are stored and one is named', async () => {
  const [connection, key] = [await connect(), devEui()]
  const good = { temperature: 20, humidity: 50, co2: 600, pressure: 1010, battery: 90 }
  await resultsOf(connection, uplink(key, good))
  const deviceId = await addOne(key)
  assert.deepEqual(await resultsOf(connection, uplink(key, { ...good, co2: 65_535 })), ['Partial'])
  const { results, withRejected } = await messagesOf(deviceId, { rejected: 'true' })
  assert.deepEqual([results.length, withRejected], [1, 1])
  const [{ rejected, readings: stored, reason }] = results as [(typeof results)[0]]
  assert.deepEqual([rejected.length, rejected[0]!.path, rejected[0]!.metric], [1, 'co2', 'co2'])
  assert.match(rejected[0]!.reason, /Outside 0–10,000 ppm/)
  assert.match(reason!, /^4 of 5 values stored$/)
  for (const metric of ['temperature', 'humidity', 'batteryLevel', 'airPressure'])
    assert.ok(
      stored.some((one) => one.metric === metric),
      metric,
    )
  const { state, errorsByReason } = await health(connection)
  assert.deepEqual([state, errorsByReason[0]!.reason, errorsByReason[0]!.count], ['Errors', 'out of range', 1])
})

test('readings of a replayed log count back to 90 days and not beyond', async () => {
  const [connection, key] = [await connect(), devEui()]
  await resultsOf(connection, uplink(key, { temperature: 20 }))
  const deviceId = await addOne(key)
  const ago = (days: number) => new Date(Date.now() - days * day).toISOString()
  assert.deepEqual(await resultsOf(connection, uplink(key, { temperature: 7 }, { time: ago(7.5) })), ['Stored'])
  assert.deepEqual(await resultsOf(connection, uplink(key, { temperature: 8 }, { time: ago(89) })), ['Stored'])
  assert.deepEqual(await resultsOf(connection, uplink(key, { temperature: 9 }, { time: ago(91) })), ['Partial'])
  const stored = (await valuesOf(deviceId)).filter(([metric]) => metric === 'temperature').map(([, value]) => value)
  assert.deepEqual(stored, [8, 7, 20])
  assert.equal((await errorsOf(connection))['wrong time'], 1)
})

test('a reading 40 days old is stored, packed, and another one 40 days old after that night', async () => {
  const connection = await connect()
  const key = devEui()
  const send = (daysAgo: number) =>
    resultsOf(
      connection,
      uplink(key, { temperature: 15 }, { time: new Date(Date.now() - daysAgo * day).toISOString() }),
    )
  assert.deepEqual(await send(0), ['Waiting'])
  const deviceId = await addOne(key)
  assert.deepEqual(await send(40), ['Stored'])
  await makeAllDue(app.database.owner, tenant)
  await packPoints(app.database.db)
  await forgetTelemetry(app.app.services.context)
  const late = async () => (await points(deviceId)).filter(({ at }) => +at < Date.now() - 39 * day).length
  assert.equal(await late(), 0)
  assert.deepEqual(await send(40.1), ['Stored'])
  // Temperature and signal strength.
  assert.equal(await late(), 2)
})

test('entries of a body that are no message are counted and named, and the others are stored', async () => {
  const connection = await connect('generic-json', { paths: { deviceKey: 'id', time: 'at', items: 'list' } })
  const list = [{ id: 'entry-1', temperature: 20 }, { temperature: 21 }, { id: 'entry-2', at: 'noon', temperature: 22 }]
  const { status, body } = await post(connection, { list })
  assert.equal(status, 202)
  assert.deepEqual(body, {
    results: [{ deviceKey: 'entry-1', result: 'Waiting' }],
    refused: { count: 2, first: 'Field id is missing: it names the sensor' },
  })
  assert.deepEqual(await errorsOf(connection), { 'wrong shape': 2 })
})

test('the payload of a message holds no other sensor, and only those who see connections see it', async () => {
  const connection = await connect('generic-json', { paths: { deviceKey: 'id', items: 'list', model: 'model' } })
  const entry = { id: 'part-1', model: 'Parts', temperature: 20 }
  const other = { ...entry, id: 'part-2' }
  assert.deepEqual(await resultsOf(connection, { list: [entry, other] }), ['Waiting', 'Waiting'])
  const deviceId = await addOne('part-1')
  assert.deepEqual(JSON.parse((await messagesOf(deviceId)).results[0]!.payload), entry)
  const tag = randomUUID()
  await app.database.owner.query(
    `insert into access_rights_tag (tenant_id, id, display_name) values ($1, $2, 'Parts')`,
    [tenant, tag],
  )
  await app.database.owner.query('update device set access_rights_tag_id = $2 where id = $1', [deviceId, tag])
  await app.addMember(tenant, 'limited@north.test', 'Manager', [tag])
  const seen = await app.send(getSensorMessages, { params: { tenant, deviceId }, query: {} }, 'limited@north.test')
  assert.deepEqual([seen.status, seen.body.results?.[0]?.payload], [200, ''])
})

test('a sensor with a very long name, maker and model is a new sensor with shortened ones', async () => {
  const connection = await connect()
  const key = devEui()
  // Too random to be compressed into an index row.
  const long = Array.from({ length: 200 }, () => randomUUID()).join('')
  const deviceInfo = { devEui: key, deviceName: long, deviceProfileName: long, tags: { maker: long } }
  assert.deepEqual(await resultsOf(connection, uplink(key, { temperature: 20 }, { deviceInfo })), ['Waiting'])
  const { name, maker, model } = await sensorOf(key)
  assert.deepEqual([name?.length, maker?.length, model?.length], [200, 60, 60])
})

test('of retained messages of a broker only device lists and readings with a time are stored', async () => {
  const { id } = await connect('zigbee2mqtt', { transport: 'mqtt', broker: { url: 'mqtt://a.test', topic: 'z/#' } })
  const intake = openConnectorIntake(app.app.services.context, async () => ({}))
  const connection = { id, tenant, kind: 'zigbee2mqtt' as const, name: 'Z', paths: null, paused: false }
  const receive = async (topic: string, payload: unknown) =>
    (await intake.receive(connection, { topic, payload, isRetained: true }, JSON.stringify(payload))) as object
  assert.deepEqual(await receive('z/Retained', { temperature: 20 }), { results: [] })
  assert.deepEqual(await receive('z/Retained/availability', { state: 'online' }), { results: [] })
  assert.deepEqual(await receive('z/Retained', { temperature: 20, last_seen: new Date().toISOString() }), {
    results: [{ deviceKey: 'Retained', result: 'Waiting' }],
  })
  await receive('z/bridge/devices', [{ ieee_address: '0x00158d00018255aa', friendly_name: 'Listed' }])
  assert.ok(await sensorOf('00158D00018255AA'))
  await intake.drain(10_000)
})

test('a message of which no value is used gives the reason', async () => {
  const [connection, key] = [await connect(), devEui()]
  assert.deepEqual(await resultsOf(connection, uplink(key, { temperature: 20 })), ['Waiting'])
  const deviceId = await addOne(key)
  assert.deepEqual(await resultsOf(connection, uplink(key, { unknownField: 1 })), ['Stored'])
  assert.deepEqual(await resultsOf(connection, uplink(key, { temperature: 21 })), ['Stored'])
  const reasons = (await messagesOf(deviceId)).results.map(({ reason }) => reason)
  assert.deepEqual(reasons.slice(0, 2), [null, 'No value of this message is used'])
})

test('the password of a broker is not kept for another address, and the address holds none', async () => {
  const broker = { url: 'mqtts://one.test', topic: 'a/#', password: 'secret' }
  const connection = await connect('zigbee2mqtt', { transport: 'mqtt', broker })
  const change = async (url: string) => {
    const body = { name: `Broker ${connection.id}`.slice(0, 60), broker: { url, topic: 'a/#' } }
    return app.send(updateConnection, { ...of(connection), body }, manager)
  }
  assert.equal((await change('mqtts://one.test')).body.broker?.hasPassword, true)
  assert.equal((await change('mqtts://two.test')).body.broker?.hasPassword, false)
  for (const url of ['mqtts://me:secret@one.test', 'mqtts://one.test?a', 'mqtts://one.test#a'])
    assert.equal((await change(url)).status, 400)
})

test('the same values under the same number are a duplicate only where they are the same message', async () => {
  const counted = await connect('generic-json', { paths: { deviceKey: 'id', time: 'at', sequence: 'n', values: 'v' } })
  const at = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000).toISOString()
  const reading = { id: 'counted-1', n: 0, v: { temperature: 20 }, at: at(60) }
  assert.deepEqual(await resultsOf(counted, reading), ['Waiting'])
  assert.deepEqual(await resultsOf(counted, { ...reading, at: at(50) }), ['Waiting'])
  assert.deepEqual(await resultsOf(counted, reading), ['Duplicate'])
  const [connection, key] = [await connect(), devEui()]
  const again = { fCnt: 7, data: Buffer.from([1]).toString('base64') }
  const send = (time: string) => resultsOf(connection, uplink(key, { temperature: 20 }, { ...again, time }))
  assert.deepEqual(await send(at(60)), ['Waiting'])
  assert.deepEqual(await send(at(59)), ['Duplicate'])
  assert.deepEqual(await send(at(30)), ['Waiting'])
})

test('a message for one sensor never reaches another one that has its id as name', async () => {
  const connection = await connect('generic-json', { paths: { deviceKey: 'id', name: 'name', model: 'model' } })
  await resultsOf(connection, { id: 'meter-1', name: 'meter-2', model: 'One', temperature: 20 })
  await resultsOf(connection, { id: 'meter-2', name: 'meter-1', model: 'Two', temperature: 30 })
  const found = [await sensorOf('meter-1'), await sensorOf('meter-2')]
  assert.deepEqual(
    found.map(({ model, messages, lastValues }) => [
      model,
      messages,
      lastValues.find(({ value }) => value === 30)?.value,
    ]),
    [
      ['One', 1, undefined],
      ['Two', 1, 30],
    ],
  )
})

test('messages add no more than 500 models, and long texts are shortened among the last values', async () => {
  const [manages, params] = ['manager@south.test', { tenant: 'south' }]
  await app.database.owner.query(
    `insert into sensor_model (tenant_id, id, maker, model, compared_name, created_at)
     select 'south', gen_random_uuid(), 'Many', n::text, 'many ' || n, now() from generate_series(1, 500) n`,
  )
  const body = { kind: 'chirpstack', name: 'South' } as const
  const { connection, key } = (await app.send(addConnection, { params, body } as never, manages)).body
  const south = { id: connection.id, key: key! }
  const [known, other] = [devEui(), devEui()]
  const deviceInfo = { devEui: known, deviceProfileName: '7', tags: { maker: 'Many' } }
  await resultsOf(south, uplink(known, { note: 'x'.repeat(400) }, { deviceInfo }))
  await resultsOf(south, uplink(other, { temperature: 20 }))
  const { results } = (await app.send(getNewSensors, { params, query: {} as never }, manages)).body
  const [first, second] = [known, other].map((one) => results.find(({ deviceKey }) => deviceKey === one)!)
  assert.deepEqual([first!.modelId !== null, second!.modelId], [true, null])
  assert.equal(String(first!.lastValues[0]!.value).length, 100)
})

test('a wrong key, another connection, a paused one and bodies that cannot be read store nothing', async () => {
  const connection = await connect()
  const [other, key] = [await connect(), devEui()]
  const message = uplink(key, { temperature: 20 })
  const keyOf = (wrong: string) => post({ ...connection, key: wrong }, message)
  assert.equal((await keyOf('')).status, 401)
  assert.equal((await keyOf('ctk_wrong')).status, 401)
  assert.equal((await keyOf(other.key)).status, 401)
  assert.equal((await post({ id: randomUUID(), key: connection.key }, message)).status, 401)
  const tested = async () => (await app.send(getConnectionTest, { ...of(connection), query: {} }, manager)).body
  assert.deepEqual(
    [(await tested()).state, (await tested()).text],
    ['invalid key', 'A message arrived with an invalid key'],
  )
  assert.equal((await post(connection, '{"deviceInfo":')).status, 400)
  assert.equal((await post(connection, `{"a":"${'x'.repeat(270_000)}"}`)).status, 413)
  const foreign = await post(connection, { end_device_ids: {} })
  assert.equal(foreign.status, 400)
  assert.match(foreign.body.message!, /field deviceInfo is missing/)
  const wrongKind = await tested()
  assert.equal(wrongKind.state, 'wrong kind')
  assert.equal(wrongKind.text, 'A message arrived, but it is not from ChirpStack: field deviceInfo is missing')
  assert.equal(
    (await app.send(pauseConnection, { ...of(connection), body: { reason: 'Moving house' } }, manager)).status,
    200,
  )
  assert.equal((await post(connection, message)).status, 409)
  const { state, stateReason } = await health(connection)
  assert.deepEqual([state, stateReason], ['Paused', 'Moving house'])
  assert.ok(!(await newSensors()).some(({ deviceKey }) => deviceKey === key))
  assert.deepEqual(await errorsOf(connection), {
    ...{ 'invalid key': 3, 'not JSON': 1, 'too large': 1, 'wrong shape': 1, paused: 1 },
  })
  await app.send(resumeConnection, of(connection), manager)
  assert.deepEqual(await resultsOf(connection, message), ['Waiting'])
  assert.equal((await tested()).state, 'received')
})

test('a new key is shown once, and the old one stops working at once', async () => {
  const connection = await connect()
  const { status, body } = await app.send(replaceConnectionKey, of(connection), manager)
  assert.equal(status, 201)
  assert.equal(body.connection.keyEnding, body.key!.slice(-4))
  const message = uplink(devEui(), { temperature: 20 })
  assert.equal((await post(connection, message)).status, 401)
  assert.equal((await post({ ...connection, key: body.key! }, message)).status, 202)
  const all = JSON.stringify((await app.send(getConnections, { params: { tenant } }, manager)).body)
  assert.ok(!all.includes(body.key!) && !all.includes(connection.key))
  const { rows } = await app.database.owner.query<{ text: string }>(
    `select row_to_json(one)::text as text from connection_route as one union all
     select row_to_json(one)::text from connection as one union all select row_to_json(one)::text from audit_entry as one`,
  )
  assert.ok(!rows.some(({ text }) => text.includes(body.key!)))
})

test('an ignored sensor is hidden and its messages are not kept until it is restored', async () => {
  const [connection, key] = [await connect(), devEui()]
  await resultsOf(connection, uplink(key, { temperature: 20 }))
  const { id } = await sensorOf(key)
  const chosen = { params: { tenant }, body: { sensorIds: [id] } }
  assert.deepEqual((await app.send(ignoreSensors, chosen, manager)).body, { ignored: 1 })
  assert.ok(!(await newSensors()).some((one) => one.id === id))
  assert.ok((await newSensors({ ignored: 'true' })).some((one) => one.id === id && one.isIgnored))
  assert.deepEqual(await resultsOf(connection, uplink(key, { temperature: 21 })), ['Ignored'])
  assert.equal((await app.send(restoreSensors, chosen, manager)).body.restored, 1)
  await addOne(key)
  const { results } = (await app.send(getConnectionMessages, { ...of(connection), query: {} }, manager)).body
  assert.equal(results.length, 1)
})

test('sensors that were added are new ones again after Undo, with their messages', async () => {
  const [connection, keyA, keyB] = [await connect(), devEui(), devEui()]
  for (const key of [keyA, keyB]) await resultsOf(connection, uplink(key, { temperature: 20 }))
  const [a, b] = [await sensorOf(keyA), await sensorOf(keyB)]
  const { body } = await add([
    { sensorId: a.id, room: 'Kitchen' },
    { sensorId: b.id, room: 'Hall' },
  ])
  const devices = body.added.map(({ deviceId }) => deviceId)
  const { rows } = await app.database.owner.query<{ room: string; status: string; product: string }>(
    'select room, status, product from device where id = any($1) order by room',
    [devices],
  )
  assert.deepEqual(
    rows.map(({ room, product }) => [room, product]),
    [
      ['Hall', 'ADEY'],
      ['Kitchen', 'ADEY'],
    ],
  )
  const undone = await app.send(undoAddSensors, { params: { tenant }, body: { sensorIds: [a.id, b.id] } }, manager)
  assert.deepEqual([undone.status, undone.body.undone], [200, 2])
  const left = await app.database.owner.query('select from device where id = any($1)', [devices])
  assert.equal(left.rowCount, 0)
  const again = await addOne(keyA)
  assert.ok((await valuesOf(again)).some(([metric, value]) => metric === 'temperature' && value === 20))
})

test('sensors are added by a list before their first message', async () => {
  const [connection, key] = [await connect(), devEui()]
  const row = {
    deviceKey: key.toLowerCase(),
    maker: 'Milesight',
    model: 'EM300-TH',
    propertyReference: 'ng-1',
    room: 'Loft',
  }
  const send = (rows: object[]) =>
    app.send(
      importSensors,
      { params: { tenant }, body: { connectionId: connection.id, sensors: rows } } as never,
      manager,
    )
  const wrong = await send([row, { ...row, deviceKey: devEui(), propertyReference: 'SG-1' }])
  assert.deepEqual([wrong.status, wrong.body.validationErrors[0].field], [400, 'sensors.1.propertyReference'])
  const { status, body } = await send([row])
  assert.equal(status, 201)
  // Temperature 27.2 °C and humidity 56.5 %, as in the maker's description.
  const bytes = Buffer.from('01755C03671001046871', 'hex').toString('base64')
  const message = { ...uplink(key, {}), data: bytes, fPort: 85, object: undefined }
  assert.deepEqual(await resultsOf(connection, message), ['Stored'])
  const stored = await valuesOf(body.added[0]!.deviceId)
  for (const pair of [
    ['temperature', 27.2],
    ['humidity', 56.5],
    ['batteryLevel', 92],
  ])
    assert.ok(
      stored.some((one) => one[0] === pair[0] && one[1] === pair[1]),
      String(pair),
    )
})

test('a mapping is saved, applies to new messages, and earlier versions are restored', async () => {
  const [connection, key] = [await connect(), devEui()]
  await resultsOf(
    connection,
    uplink(
      key,
      { temperature: 68, humidity: 50, odd: 3 },
      { deviceInfo: { devEui: key, deviceProfileName: 'Fahrenheit' } },
    ),
  )
  const deviceId = await addOne(key)
  const { body } = await app.send(getSensorModels, { params: { tenant } }, manager)
  const model = body.results.find((one) => one.model === 'Fahrenheit')!
  assert.deepEqual([model.sensors, model.unused], [1, 1])
  const params = { tenant, modelId: model.id }
  const suggested = (await app.send(getSensorMapping, { params }, manager)).body
  assert.deepEqual([suggested.version, suggested.rows.length], [0, 3])
  const rows = suggested.rows.map((row) =>
    row.path === 'temperature'
      ? { path: 'temperature', to: 'metric' as const, metric: 'temperature' as const, unit: '°F', factor: 1 }
      : row.path === 'odd'
        ? { path: 'odd', to: 'extra' as const, name: 'odd', factor: 2 }
        : row,
  )
  const save = (version: number) => app.send(saveSensorMapping, { params, body: { version, rows } }, manager)
  assert.equal((await save(0)).body.version, 1)
  assert.equal((await save(0)).status, 409)
  const wrong = rows.map((row) => (row.path === 'temperature' ? { ...row, unit: 'kg' } : row))
  assert.equal(
    (await app.send(saveSensorMapping, { params, body: { version: 1, rows: wrong } } as never, manager)).status,
    400,
  )
  await resultsOf(
    connection,
    uplink(key, { temperature: 68, odd: 3 }, { deviceInfo: { devEui: key, deviceProfileName: 'Fahrenheit' } }),
  )
  const stored = await valuesOf(deviceId)
  assert.ok(stored.some(([metric, value]) => metric === 'temperature' && value === 20))
  assert.ok(stored.some(([metric, value]) => metric === 'odd' && value === 6))
  assert.equal((await app.send(restoreMappingSuggestions, { params }, manager)).body.version, 2)
  assert.equal((await app.send(getMappingVersions, { params }, manager)).body.results.length, 2)
})

test('a report of a passed test is an event of the sensor and never a test', async () => {
  const [connection, key] = [await connect(), devEui()]
  await resultsOf(connection, uplink(key, { test_result: 'passed', battery: 90 }))
  const deviceId = await addOne(key)
  await resultsOf(connection, uplink(key, { test_result: 'passed', battery: 90 }))
  const { rows } = await app.database.owner.query<{ description: string }>(
    'select description from event where device_id = $1',
    [deviceId],
  )
  assert.match(rows[0]!.description, /by its own report, duration not reported/)
  assert.equal(
    (await app.database.owner.query('select from emergency_test where device_id = $1', [deviceId])).rowCount,
    0,
  )
})

test('silence is judged by the interval in which the sensor reports', async () => {
  const [connection, key] = [await connect(), devEui()]
  await resultsOf(connection, uplink(key, { temperature: 20 }))
  const deviceId = await addOne(key)
  for (const [back, value] of [
    [7200, 1],
    [3600, 2],
  ] as const) {
    await app.database.owner.query(
      `update sensor set last_message_at = now() - $2 * interval '1 second', usual_interval = null where device_id = $1`,
      [deviceId, back],
    )
    await resultsOf(connection, uplink(key, { temperature: 20 + value }))
  }
  const { rows } = await app.database.owner.query<{ reporting_interval: number; connection_status: string }>(
    'select reporting_interval, connection_status from device where id = $1',
    [deviceId],
  )
  assert.deepEqual(rows[0], { reporting_interval: 3600, connection_status: 'Connected' })
})

test('the newest 100 messages of a sensor are kept for 30 days', async () => {
  const [connection, key] = [await connect(), devEui()]
  const generic = { ...uplink(key, { temperature: 20 }) }
  for (let at = 0; at < 6; at++)
    await Promise.all(
      Array.from({ length: 20 }, () => resultsOf(connection, { ...generic, ...uplink(key, { temperature: 20 }) })),
    )
  const count = async () =>
    (await app.database.owner.query('select from sensor_message where connection_id = $1', [connection.id])).rowCount
  assert.ok((await count())! <= 120, String(await count()))
  await app.database.owner.query(
    `update sensor_message set received_at = now() - interval '31 days' where connection_id = $1`,
    [connection.id],
  )
  await forgetSensorMessages(app.database.db, new Date(Date.now() + 2 * day))
  assert.equal(await count(), 0)
})

test('each role sees and manages connections as the rules allow, and other clients find nothing', async () => {
  const [connection, key] = [await connect(), devEui()]
  await resultsOf(connection, uplink(key, { temperature: 20 }))
  const { id } = await sensorOf(key)
  const settings = { name: 'Renamed', kind: 'chirpstack' as const }
  for (const role of roles) {
    const email = `${role.toLowerCase()}@north.test`
    const [sees, manages] = [can(actorOf(role), 'see connections'), can(actorOf(role), 'manage connections')]
    assert.equal((await app.send(getConnections, { params: { tenant } }, email)).status, sees ? 200 : 403, role)
    const { status } = await app.send(pauseConnection, { ...of(connection), body: {} }, email)
    assert.equal(status, manages ? 200 : 403, role)
  }
  await app.send(resumeConnection, of(connection), manager)
  const stranger = 'manager@south.test'
  for (const where of [tenant, 'south']) {
    const params = { tenant: where, connectionId: connection.id }
    assert.equal((await app.send(getConnection, { params }, stranger)).status, 404)
    assert.equal((await app.send(updateConnection, { params, body: { name: settings.name } }, stranger)).status, 404)
    assert.equal((await app.send(deleteConnection, { params }, stranger)).status, 404)
    const chosen = {
      params: { tenant: where },
      body: { propertyId: elsewhere, sensors: [{ sensorId: id, room: 'Hall' }] },
    }
    assert.equal((await app.send(addSensors, chosen, stranger)).status, 404)
  }
  assert.equal((await add([{ sensorId: id, room: 'Hall' }], elsewhere)).status, 404)
  assert.equal((await app.send(deleteConnection, of(connection), manager)).status, 204)
  assert.equal((await post(connection, uplink(key, { temperature: 20 }))).status, 401)
  const { body } = await app.send(getAudit, { params: { tenant }, query: {} } as never, 'developer@north.test')
  const actions = new Set(body.results.map(({ action }) => action))
  assert.ok(actions.has('connection deleted'))
})

const tryOut = { getCodecVersions, saveCodecVersion, tryCodecVersion, activateCodecVersion, decodeMessagesAgain }
test('a codec is activated after it was tried, and decodes the kept messages that were not decoded', async () => {
  const [connection, key] = [await connect(), devEui()]
  const bare = (first: number) =>
    uplink(
      key,
      {},
      {
        ...{ object: undefined, data: Buffer.from([first, ++frames & 255]).toString('base64') },
        deviceInfo: {
          devEui: key.replace('24E124', '70B3D5'),
          deviceProfileName: 'Valve controller SV2',
          tags: { maker: 'Own' },
        },
      },
    )
  assert.deepEqual(await resultsOf(connection, bare(200)), ['Not decoded'])
  const own = key.replace('24E124', '70B3D5')
  const deviceId = await addOne(own)
  assert.deepEqual(await resultsOf(connection, bare(210)), ['Not decoded'])
  const { body } = await app.send(getSensorModels, { params: { tenant } }, manager)
  const model = body.results.find((one) => one.model === 'Valve controller SV2')!
  assert.equal(model.notDecoded, 2)
  const params = { tenant, modelId: model.id }
  const source = 'function decodeUplink({ bytes }) { return { data: { temperature: bytes[0] / 10 } } }'
  const saved = await app.send(tryOut.saveCodecVersion, { params, body: { source } }, manager)
  assert.deepEqual([saved.status, saved.body.version], [201, 1])
  const version = { params: { ...params, version: 1 } }
  assert.equal((await app.send(tryOut.activateCodecVersion, version, manager)).status, 409)
  const trial = (await app.send(tryOut.tryCodecVersion, version, manager)).body
  assert.deepEqual([trial.tried, trial.decoded, trial.compared.added], [2, 2, [{ path: 'temperature', count: 2 }]])
  assert.equal((await app.send(tryOut.activateCodecVersion, version, manager)).status, 200)
  const again = await app.send(tryOut.decodeMessagesAgain, { params, query: {} }, manager)
  assert.deepEqual(again.body, { decoded: 2, notDecoded: 0, next: null })
  assert.deepEqual(await resultsOf(connection, bare(220)), ['Stored'])
  assert.deepEqual(
    (await valuesOf(deviceId)).filter(([metric]) => metric === 'temperature').map(([, value]) => value),
    [20, 21, 22],
  )

  const unstorable = `function decodeUplink({ bytes }) {
    return { data: { temperature: bytes[0] / 10, ['no\\0te']: 'a\\0\\ud83d' }, warnings: ['\\0 seen'] }
  }`
  await app.send(tryOut.saveCodecVersion, { params, body: { source: unstorable } }, manager)
  const second = { params: { ...params, version: 2 } }
  await app.send(tryOut.tryCodecVersion, second, manager)
  assert.equal((await app.send(tryOut.activateCodecVersion, second, manager)).status, 200)
  assert.deepEqual(await resultsOf(connection, bare(230)), ['Stored'])
  const [newest] = (await messagesOf(deviceId)).results
  assert.deepEqual([newest!.decoded, newest!.warnings], [{ temperature: 23, note: 'a\ufffd' }, [' seen']])

  const rolledBack = await app.send(rollBackCodec, { params }, manager)
  assert.equal(rolledBack.body.model.activeCodec, 1)
  // The previous version is the one that was active before, which may have a higher number.
  assert.equal((await app.send(tryOut.activateCodecVersion, second, manager)).status, 200)
  assert.equal((await app.send(tryOut.activateCodecVersion, version, manager)).status, 200)
  assert.equal((await app.send(rollBackCodec, { params }, manager)).body.model.activeCodec, 2)
  assert.equal((await app.send(rollBackCodec, { params }, manager)).body.model.activeCodec, null)
  assert.deepEqual(await resultsOf(connection, bare(240)), ['Not decoded'])
  assert.equal((await app.send(rollBackCodec, { params }, manager)).status, 409)
})
