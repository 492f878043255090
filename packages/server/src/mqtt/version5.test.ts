import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { afterAll, beforeAll, test } from 'vitest'
import fc from 'fast-check'
import type { IClientOptions, MqttClient } from 'mqtt'
import { generate } from 'mqtt-packet'
import { topic } from '@caretaker/contract/mqtt/topics.ts'
import type { TestDevice, TestLink } from '../testing/device-link.ts'
import { eventually, queueFlickTest, testLink } from '../testing/device-link.ts'

let world: TestLink
let device: TestDevice
beforeAll(async () => {
  world = await testLink()
  await world.addTenant('north')
  device = await world.addDevice('north', { product: 'EM' })
})
afterAll(() => world.close())

const connect5 = (of: TestDevice, options: IClientOptions = {}) =>
  world.connect(of, { protocolVersion: 5, properties: { sessionExpiryInterval: 60, receiveMaximum: 10 }, ...options })
const stored = async () =>
  (
    await world.rows(
      'select from point join series on series.tenant_id = point.tenant_id and series.id = series_id where device_id = $1',
      [device.id],
    )
  ).length
const closed = (client: MqttClient) => new Promise<void>((resolve) => client.once('close', resolve))
const state = async () =>
  (await world.rows<{ reported: object }>('select reported from device where id = $1', [device.id]))[0]!.reported

test('a version 5 client is informed of unsupported features', async () => {
  const client = await connect5(device)
  const { clientId } = client.options
  assert.equal(clientId, device.id)
  const [connack] = await new Promise<[{ properties?: object; sessionPresent: boolean }]>((resolve) => {
    const again = connect5(device, { clientId: 'anything' })
    void again.then((other) => {
      other.once('connect', (packet) => resolve([packet]))
      other.reconnect()
    })
  })
  assert.equal(connack.sessionPresent, false)
  assert.deepEqual(
    { ...connack.properties },
    {
      sessionExpiryInterval: 0,
      retainAvailable: false,
      maximumPacketSize: 524_288,
      subscriptionIdentifiersAvailable: false,
      sharedSubscriptionAvailable: false,
    },
  )
})

test('it sends readings with any quality of service and with properties, and they are stored', async () => {
  const client = await connect5(device)
  const before = await stored()
  for (const [n, qos] of ([1, 2, 0] as const).entries()) {
    const body = JSON.stringify({ ts: Date.now() - n * 1000, values: { batteryVoltage: 4 } })
    await client.publishAsync(topic(device.id, 'telemetry'), body, {
      qos,
      properties: { contentType: 'application/json', userProperties: { a: ['b', 'c'] }, messageExpiryInterval: 60 },
    })
  }
  await eventually(stored, (count) => count === before + 3)
})

test('it receives commands, and a reply for each topic that it unsubscribes from', async () => {
  const client = await connect5(device)
  const mine = topic(device.id, 'commands')
  const granted = await client.subscribeAsync({
    [mine]: { qos: 1, nl: true, rh: 2 },
    [`devices/${device.id}/+`]: { qos: 0 },
  })
  assert.deepEqual(
    granted.map(({ qos }) => qos),
    [1, 0],
  )
  await assert.rejects(client.subscribeAsync('devices/+/commands', { qos: 1 }))
  const arrives = new Promise<string>((resolve) =>
    client.once('message', (_, payload) =>
      resolve((JSON.parse(payload.toString()) as { commandId: string }).commandId),
    ),
  )
  const commandId = await queueFlickTest(world.database, device)
  assert.equal(await arrives, commandId)
  await client.unsubscribeAsync([mine, `devices/${device.id}/+`, 'never'])
})

test('a wrong key is answered with the version 5 reason code', async () => {
  await assert.rejects(connect5({ ...device, key: 'wrong' }), (error: { code?: number }) => error.code === 0x87)
})

test('its will is published on request and not on a normal disconnect', async () => {
  const will = (field: string) => ({
    topic: topic(device.id, 'state'),
    payload: Buffer.from(JSON.stringify({ [field]: 'lost' })),
    qos: 1 as const,
    retain: false,
    properties: { willDelayInterval: 0, userProperties: { a: 'b' } },
  })
  const polite = await connect5(device, { will: will('unsent') })
  await polite.endAsync()
  const asking = await connect5(device, { will: will('power') })
  await asking.endAsync(false, { reasonCode: 4 })
  const reported = await eventually(state, (reported) => 'power' in reported)
  assert.ok(!('unsent' in reported))
})

test('a version 5 packet that is too long, or has lengths beyond its end, ends only its own connection', async () => {
  const bystander = await connect5(device)
  const before = await world.bad('too large')
  const attempts = [
    [0x32, 0xff, 0xff, 0xff, 0x7f],
    [0x30, 4, 0, 1, 0x61, 0x7f],
    [0x82, 5, 0, 1, 0, 0x7f, 0x7f],
    [0xf0, 0],
  ]
  for (const attempt of attempts) {
    const other = await world.addDevice('north')
    const client = await connect5(other)
    const ended = closed(client)
    client.stream.write(Buffer.from(attempt))
    await ended
  }
  assert.equal(await world.bad('too large'), before + 1)
  await world.publish(bystander, device.id, 'state', { firmware: '5' })
})

test('generated packets after a CONNECT of either version cause no crash', async () => {
  const greeting = (version: number) => {
    const text = (value: string) => Buffer.concat([Buffer.from([0, value.length]), Buffer.from(value)])
    const properties = version === 5 ? Buffer.from([0]) : Buffer.alloc(0)
    const body = Buffer.concat([
      text('MQTT'),
      Buffer.from([version, 0xc2, 0, 0]),
      properties,
      text('x'),
      text(device.id),
      text(device.key),
    ])
    return Buffer.concat([Buffer.from([0x10, body.length]), body])
  }
  const packets = fc.sample(
    fc.tuple(
      fc.constantFrom(4, 5),
      fc.boolean(),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 255 }), fc.uint8Array({ maxLength: 40 })), { maxLength: 6 }),
    ),
    300,
  )
  for (const [version, greets, rest] of packets) {
    const socket = net.connect(world.link.port!, '127.0.0.1')
    socket.on('error', () => {})
    socket.resume()
    const bytes = rest.map(([first, body]) => Buffer.concat([Buffer.from([first, body.length]), body]))
    socket.end(Buffer.concat([...(greets ? [greeting(version)] : []), ...bytes]))
    await once(socket, 'close')
  }
  const client = await connect5(device)
  await world.publish(client, device.id, 'state', { firmware: '6' })
})

test('a CONNECT of either version is understood however its bytes are split; anything else is disconnected', async () => {
  for (const protocolVersion of [4, 5] as const) {
    const greeting = generate({
      cmd: 'connect',
      protocolVersion,
      clientId: 'x',
      username: device.id,
      password: Buffer.from(device.key),
    })
    const socket = net.connect({ port: world.link.port!, host: '127.0.0.1', noDelay: true })
    for (const byte of greeting) {
      socket.write(Buffer.from([byte]))
      await new Promise(setImmediate)
    }
    const [connack] = (await once(socket, 'data')) as [Buffer]
    assert.deepEqual([...connack.subarray(0, 1), connack[3]], [0x20, 0])
    socket.destroy()
  }
  for (const other of ['GET / HTTP/1.1\r\n\r\n', '\xc0\x00']) {
    const socket = net.connect(world.link.port!, '127.0.0.1')
    socket.on('error', () => {})
    socket.resume().write(Buffer.from(other, 'latin1'))
    await once(socket, 'close')
  }
})
