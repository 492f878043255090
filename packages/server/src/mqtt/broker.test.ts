import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { afterAll, beforeAll, test } from 'vitest'
import type { MqttClient } from 'mqtt'
import { Registry } from 'prom-client'
import { payloadLimit, topic } from '@caretaker/contract/mqtt/topics.ts'
import { SettingError } from '../config.ts'
import type { TestDevice, TestLink } from '../testing/device-link.ts'
import { eventually, hashKey, queueFlickTest, testLink } from '../testing/device-link.ts'
import { startBroker } from './broker.ts'
import { startDeviceLink } from './device-link.ts'
import { openIntake } from './intake.ts'
import { linkMetrics } from './metrics.ts'

let world: TestLink
let device: TestDevice
let neighbour: TestDevice
beforeAll(async () => {
  world = await testLink()
  await world.addTenant('north')
  await world.addTenant('south')
  device = await world.addDevice('north')
  neighbour = await world.addDevice('south')
})
afterAll(() => world.close())

const reading = (co2 = 500) => JSON.stringify({ ts: Date.now(), values: { co2 } })
const stored = async (of: TestDevice) =>
  (
    await world.rows(
      'select from point join series on series.tenant_id = point.tenant_id and series.id = series_id where device_id = $1',
      [of.id],
    )
  ).length
const kept = (of: TestDevice) =>
  world.rows<{ channel: string; reason: string; detail: string; payload: string }>(
    'select channel, reason, detail, payload from bad_message where device_id = $1 order by at, id',
    [of.id],
  )
const closed = (client: MqttClient) => new Promise<void>((resolve) => client.once('close', resolve))
const refusals = async () =>
  (await world.context.metrics.getSingleMetric('caretaker_refused_connections_total')!.get()).values[0]?.value ?? 0

test('a wrong key, an unknown device, a device without a key and an empty key are rejected alike, and counted', async () => {
  const silent = await world.addDevice('north', { silent: true })
  const before = await refusals()
  const wrong = [
    { ...device, key: neighbour.key },
    { ...device, key: '' },
    { ...device, id: crypto.randomUUID() },
    { ...device, id: device.id.toUpperCase() },
    { ...device, id: `${device.id}/../${neighbour.id}` },
    { ...silent, key: '' },
    { ...silent, key: silent.key },
  ]
  for (const one of wrong) await assert.rejects(world.connect(one), /Not authorized/)
  assert.equal(await refusals(), before + wrong.length)
})

test('a device may connect under any client identifier', async () => {
  const client = await world.connect(device, { clientId: neighbour.id })
  await world.publish(client, device.id, 'telemetry', reading())
  assert.ok((await stored(device)) > 0)
  await client.endAsync()
})

test('a gateway can publish to the commands topic of a child with its own connection; other devices cannot', async () => {
  const parent = await world.addDevice('north')
  const child = await world.addDevice('north', { parent })
  const other = await world.addDevice('north')
  const [above, below, stranger] = [await world.connect(parent), await world.connect(child), await world.connect(other)]
  const heard: string[] = []
  below.on('message', (_, payload) => void heard.push(payload.toString()))
  await below.subscribeAsync(topic(child.id, 'commands'), { qos: 1 })
  for (const client of [stranger, below]) await client.publishAsync(topic(child.id, 'commands'), 'no', { qos: 1 })
  await above.publishAsync(topic(child.id, 'commands'), 'yes', { qos: 1 })
  for (let tries = 0; !heard.length && tries < 200; tries++) await new Promise((resolve) => setTimeout(resolve, 10))
  assert.deepEqual(heard, ['yes'])
  for (const client of [above, below, stranger]) await client.endAsync()
})

test("messages on other devices' topics, commands, $SYS and other topics are acknowledged, rejected, counted and kept", async () => {
  const hostile = await world.addDevice('north')
  const client = await world.connect(hostile)
  const before = [await world.bad('not allowed'), await world.bad('unknown device')]
  const topics = [
    topic(neighbour.id, 'telemetry'),
    topic(device.id, 'state'),
    topic(hostile.id, 'commands'),
    topic(device.id, 'commands'),
    `devices/${hostile.id}`,
    `devices/${hostile.id}/telemetry/more`,
    `/devices/${hostile.id}/telemetry`,
    `devices/${hostile.id.toUpperCase()}/telemetry`,
    'devices/../telemetry',
    '$SYS/broker',
    'anything',
  ]
  for (const wrong of topics) await client.publishAsync(wrong, reading(), { qos: 1, retain: true })
  const nobody = topic(crypto.randomUUID(), 'telemetry')
  await client.publishAsync(nobody, reading(), { qos: 1 })
  assert.equal(await stored(neighbour), 0)
  assert.deepEqual(
    [await world.bad('not allowed'), await world.bad('unknown device')],
    [before[0]! + topics.length, before[1]! + 1],
  )
  const rows = await kept(hostile)
  assert.deepEqual(rows.map((row) => row.channel).sort(), [...topics, nobody].sort())
  assert.deepEqual(await kept(neighbour), [])
})

test('a client that publishes to a wildcard is disconnected; other clients are not', async () => {
  const [client, bystander] = [await world.connect(device), await world.connect(neighbour)]
  const socket = await signedIn(device)
  const name = Buffer.from(`devices/${neighbour.id}/#`)
  socket.write(Buffer.concat([Buffer.from([0x30, name.length + 3, 0, name.length]), name, Buffer.from('x')]))
  await once(socket, 'close')
  await world.publish(bystander, neighbour.id, 'telemetry', reading())
  await client.endAsync(true)
})

/** A raw connection that has signed in. */
async function signedIn(of: TestDevice): Promise<net.Socket> {
  const text = (value: string) => Buffer.concat([Buffer.from([0, value.length]), Buffer.from(value)])
  const body = Buffer.concat([text('MQTT'), Buffer.from([4, 0xc2, 0, 0]), text('x'), text(of.id), text(of.key)])
  const socket = net.connect(world.link.port!, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(Buffer.concat([Buffer.from([0x10, body.length]), body]))
  const [connack] = (await once(socket, 'data')) as [Buffer]
  assert.deepEqual([...connack], [0x20, 2, 0, 0])
  return socket
}

test('each fault has its own reason; valid messages in between are stored', async () => {
  const sender = await world.addDevice('north')
  const client = await world.connect(sender)
  const now = Date.now()
  const day = 86_400_000
  const bad: [string, string, unknown][] = [
    ['not JSON', 'telemetry', 'twenty degrees'],
    ['not JSON', 'telemetry', ''],
    ['not JSON', 'events', Buffer.from([0xff, 0x00, 0x7b])],
    ['unknown metric', 'telemetry', { ts: now, values: { mood: 3 } }],
    ['out of range', 'telemetry', { ts: now, values: { humidity: 101 } }],
    ['no value', 'telemetry', { ts: now, values: { humidity: null } }],
    ['wrong shape', 'telemetry', { ts: now, values: {} }],
    ['not a number', 'telemetry', { ts: 'now', values: { co2: 1 } }],
    ['not a number', 'telemetry', { ts: now, values: { co2: '500' } }],
    ['time in seconds', 'telemetry', { ts: Math.floor(now / 1000), values: { co2: 1 } }],
    ['wrong shape', 'telemetry', []],
    ['wrong shape', 'telemetry', null],
    ['wrong time', 'telemetry', { ts: now - 8 * day, values: { co2: 1 } }],
    ['wrong time', 'telemetry', { ts: now + 600_000, values: { co2: 1 } }],
    ['wrong time', 'events', { ...anEvent(), start: now + day }],
    ['wrong time', 'events', { ...anEvent(), start: now - 1000, end: now - 2000 }],
    ['wrong shape', 'events', { ...anEvent(), severity: 'Awful' }],
    ['wrong shape', 'state', { name: 'NUL\u0000' }],
    ['wrong shape', 'state', '{"name":"\\ud800"}'],
    ['wrong shape', 'state', `{"deep":{"a":${'['.repeat(5000)}${']'.repeat(5000)}}}`],
    ['not allowed', 'replies', { commandId: crypto.randomUUID(), status: 'confirmed' }],
    [
      'not allowed',
      'tests',
      { eventId: crypto.randomUUID(), testType: 'T0', start: now, componentStates: {}, series: [] },
    ],
    ['too large', 'telemetry', 'x'.repeat(payloadLimit + 1)],
  ]
  const counted = new Map<string, number>()
  for (const [reason] of bad) counted.set(reason, await world.bad(reason))
  await Promise.all(
    bad.flatMap(([, channel, payload]) => [
      client.publishAsync(`devices/${sender.id}/${channel}`, asBody(payload), { qos: 1 }),
      world.publish(client, sender.id, 'state', { firmware: '1.0' }),
    ]),
  )
  await world.publish(client, sender.id, 'telemetry', reading())
  assert.equal(await stored(sender), 1)
  for (const [reason, before] of counted)
    assert.equal((await world.bad(reason)) - before, bad.filter((one) => one[0] === reason).length, reason)
  const rows = await kept(sender)
  assert.deepEqual(rows.map((row) => row.reason).sort(), bad.map(([reason]) => reason).sort())
  assert.ok(rows.every((row) => row.payload.length <= 2048))
  assert.equal(rows.find((row) => row.reason === 'unknown metric')!.detail, 'unknown metric mood')
})

const anEvent = () => ({
  eventId: crypto.randomUUID(),
  start: Date.now(),
  severity: 'Low',
  category: 'Test',
  description: 'An event',
})
const asBody = (payload: unknown) =>
  typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload)

test('of readings with valid and invalid times in one message, the valid ones are stored', async () => {
  const sender = await world.addDevice('north')
  const client = await world.connect(sender)
  const now = Date.now()
  await world.publish(client, sender.id, 'telemetry', [
    { ts: now - 8 * 86_400_000, values: { co2: 1 } },
    { ts: now, values: { co2: 2 } },
  ])
  assert.equal(await stored(sender), 1)
  const rows = await eventually(
    () => kept(sender),
    ({ length }) => length > 0,
  )
  assert.deepEqual([rows[0]!.reason, rows[0]!.detail], ['wrong time', '0.ts: too long ago'])
})

test('a packet above the size limit ends the connection', async () => {
  const socket = await signedIn(device)
  const before = await world.bad('too large')
  socket.write(Buffer.from([0x32, 0xff, 0xff, 0xff, 0x7f]))
  await once(socket, 'close')
  assert.equal(await world.bad('too large'), before + 1)
})

test('a QoS 0 message is stored, a QoS 2 message is stored once', async () => {
  const sender = await world.addDevice('north')
  const client = await world.connect(sender)
  await client.publishAsync(topic(sender.id, 'telemetry'), reading(), { qos: 0 })
  await eventually(
    () => stored(sender),
    (count) => count === 1,
  )
  await client.publishAsync(topic(sender.id, 'telemetry'), JSON.stringify({ ts: 1 + Date.now(), values: { co2: 1 } }), {
    qos: 2,
  })
  assert.equal(await stored(sender), 2)
})

test('a last will of the device is stored; a will about another device is rejected', async () => {
  const sender = await world.addDevice('north')
  const will = (of: TestDevice) => ({
    topic: topic(of.id, 'state'),
    payload: Buffer.from('{"power":"lost"}'),
    qos: 1 as const,
    retain: false,
  })
  const client = await world.connect(sender, { will: will(sender) })
  client.stream.destroy()
  const state = () => world.rows<{ reported: object }>('select reported from device where id = $1', [sender.id])
  await eventually(state, ([row]) => 'power' in row!.reported)
  await assert.rejects(world.connect(sender, { will: will(neighbour) }), /Not authorized/)
})

test('a device that connects again replaces its connection', async () => {
  const sender = await world.addDevice('north')
  const first = await world.connect(sender)
  const ended = closed(first)
  const second = await world.connect(sender)
  await ended
  await world.publish(second, sender.id, 'telemetry', reading())
  const rows = await eventually(
    () =>
      world.rows<{ connected: boolean; drops: Date[] }>(
        'select connected, drops from device_link where device_id = $1',
        [sender.id],
      ),
    ([row]) => row?.drops.length === 1,
  )
  assert.equal(rows[0]!.connected, true)
})

test('a device whose key is revoked is disconnected within seconds, and its new key works immediately', async () => {
  const sender = await world.addDevice('north')
  const client = await world.connect(sender)
  const ended = closed(client)
  await world.rows('update device_route set key_hash = $2 where device_id = $1', [sender.id, hashKey('another')])
  await world.connect({ ...sender, key: 'another' })
  await ended
  await assert.rejects(world.connect(sender), /Not authorized/)
  const gone = await world.addDevice('north')
  const last = await world.connect(gone)
  const dismissed = closed(last)
  await world.rows('delete from device_route where device_id = $1', [gone.id])
  await dismissed
})

test('a device can only subscribe to its own commands and those of its children', async () => {
  const gateway = await world.addDevice('north')
  const child = await world.addDevice('north', { parent: gateway, silent: true })
  const client = await world.connect(gateway)
  const allowed = [`devices/${gateway.id}/commands`, `devices/${gateway.id}/#`, `devices/${child.id}/+`]
  const denied = [
    '#',
    '+/+/commands',
    'devices/#',
    'devices/+/commands',
    `devices/${neighbour.id}/commands`,
    `devices/${gateway.id}/telemetry`,
    `devices/${gateway.id}/commands/#`,
    `+/${gateway.id}/commands`,
    '$SYS/#',
    '$share/a/devices/+/commands',
  ]
  for (const filter of allowed) assert.equal((await client.subscribeAsync(filter, { qos: 1 }))[0]!.qos, 1, filter)
  for (const filter of denied) await assert.rejects(client.subscribeAsync(filter, { qos: 1 }), filter)
})

const queue = (of: TestDevice) => queueFlickTest(world.database, of)
const nextCommand = async (client: MqttClient) => {
  const [where, payload] = await new Promise<[string, Buffer]>((resolve) =>
    client.once('message', (where, payload) => resolve([where, payload])),
  )
  return [
    where,
    JSON.parse(payload.toString()) as { commandId: string; name: string; args: object; expiresAt: number },
  ] as const
}
const statusOf = async (commandId: string) =>
  (await world.rows<{ status: string }>('select status from command where id = $1', [commandId]))[0]!.status

test('a command waits for an offline device, reaches a subscribed one immediately, and is completed by the reply', async () => {
  const light = await world.addDevice('north', { product: 'EM' })
  const early = await queue(light)
  const client = await world.connect(light)
  const first = nextCommand(client)
  await client.subscribeAsync(topic(light.id, 'commands'), { qos: 1 })
  const [where, command] = await first
  assert.equal(where, topic(light.id, 'commands'))
  assert.deepEqual([command.commandId, command.name, command.args], [early, 'runTest', { testType: 'T0' }])
  assert.ok(command.expiresAt > Date.now())
  assert.equal(await statusOf(early), 'sent')

  const second = nextCommand(client)
  const late = await queue(light)
  assert.equal((await second)[1].commandId, late)
  await world.publish(client, light.id, 'replies', { commandId: late, status: 'confirmed' })
  assert.equal(await statusOf(late), 'confirmed')

  // Without a reply the command becomes due and is sent again.
  const again = nextCommand(client)
  await world.rows(`update command_outbox set due_at = 'epoch' where command_id = $1`, [early])
  assert.equal((await again)[1].commandId, early)
})

test("a gateway receives its child's commands; another device does not", async () => {
  const gateway = await world.addDevice('north')
  const child = await world.addDevice('north', { parent: gateway, silent: true })
  const [client, other] = [await world.connect(gateway), await world.connect(neighbour)]
  let overheard = 0
  other.on('message', () => overheard++)
  await other.subscribeAsync(topic(neighbour.id, 'commands'), { qos: 1 })
  await client.subscribeAsync(topic(child.id, 'commands'), { qos: 1 })
  const arrives = nextCommand(client)
  const commandId = await queue(child)
  assert.deepEqual((await arrives)[1].commandId, commandId)
  assert.equal(overheard, 0)
})

test('a former gateway, or one of another tenant, neither receives commands nor publishes for a device', async () => {
  const gateway = await world.addDevice('north', { product: 'ZG' })
  const child = await world.addDevice('north', { parent: gateway, silent: true })
  const foreign = await world.addDevice('south', { parent: gateway, silent: true })
  const client = await world.connect(gateway)
  let heard = 0
  client.on('message', () => heard++)
  await client.subscribeAsync(topic(child.id, 'commands'), { qos: 1 })
  await assert.rejects(client.subscribeAsync(topic(foreign.id, 'commands'), { qos: 1 }))
  await world.publish(client, foreign.id, 'telemetry', reading())
  assert.equal(await stored(foreign), 0)
  await world.rows('update device_route set parent_id = null where device_id = $1', [child.id])
  const commandId = await queue(child)
  await eventually(
    () => statusOf(commandId),
    (status) => status === 'sent',
  )
  // Commands for the gateway itself are queued after it.
  const arrives = nextCommand(client)
  await client.subscribeAsync(topic(gateway.id, 'commands'), { qos: 1 })
  const own = await queue(gateway)
  assert.equal((await arrives)[1].commandId, own)
  assert.equal(heard, 1)
})

test('a client that floods the broker with garbage does not block others', async () => {
  const [hostile, good] = [await world.addDevice('north'), await world.addDevice('south')]
  const [flood, client] = [await signedIn(hostile), await world.connect(good)]
  const name = Buffer.from(topic(hostile.id, 'telemetry'))
  const packet = Buffer.concat([Buffer.from([0x30, name.length + 3, 0, name.length]), name, Buffer.from('x')])
  const rubbish = Buffer.concat(Array.from({ length: 5000 }, () => packet))
  let flooding = true
  const send = () => void (flooding && flood.write(rubbish, send))
  send()
  const before = await world.bad('not JSON')
  for (let n = 0; n < 20; n++)
    await world.publish(client, good.id, 'telemetry', { ts: Date.now() - n * 1000, values: { co2: 1 } })
  await eventually(
    () => world.bad('not JSON'),
    (count) => count > before + 100,
  )
  flooding = false
  flood.destroy()
  assert.equal(await stored(good), 20)
  // The limit is 30 a minute; the flood may span the end of a minute.
  const { length } = await kept(hostile)
  assert.ok(length >= 30 && length <= 60, `${length} kept`)
})

test('queued messages are stored and acknowledged before the link stops, and a server stop does not count as a dropped connection', async () => {
  const sender = await world.addDevice('north')
  const client = await world.connect(sender)
  let acknowledged = 0
  let ts = Date.now() - 100_000
  const publish = () => {
    const body = JSON.stringify({ ts: ts++, values: { co2: 1 } })
    client.publish(topic(sender.id, 'telemetry'), body, { qos: 1 }, (error) => {
      if (error) return
      acknowledged++
      if (client.connected) publish()
    })
  }
  for (let n = 0; n < 50; n++) publish()
  await eventually(
    async () => acknowledged,
    (count) => count > 100,
  )
  const ended = closed(client)
  await world.restart()
  await ended
  assert.ok((await stored(sender)) >= acknowledged)
  const [row] = await world.rows('select connected, drops from device_link where device_id = $1', [sender.id])
  assert.deepEqual(row, { connected: false, drops: [] })
})

test('a second embedded broker on the same database refuses to start and does not mark connected devices as disconnected', async () => {
  const sender = await world.addDevice('north')
  const client = await world.connect(sender)
  const connected = () => world.rows('select from device_link where device_id = $1 and connected', [sender.id])
  await eventually(connected, ({ length }) => length === 1)
  await assert.rejects(
    startDeviceLink({ ...world.context, metrics: new Registry() }),
    (error) => error instanceof SettingError && /Set MQTT_URL to a broker that all of them use/.test(error.message),
  )
  assert.equal((await connected()).length, 1)
  await world.publish(client, sender.id, 'telemetry', reading())
})

test('a port in use is reported in one line that names the setting', async () => {
  const metrics = new Registry()
  const counted = linkMetrics(metrics)
  const intake = openIntake({ ...world.context, metrics }, counted)
  const { log } = world.context
  await assert.rejects(
    startBroker({
      ...{
        port: world.link.port!,
        host: '127.0.0.1',
        waitingPerAddress: 10,
        limits: world.context.config.deviceLimits,
      },
      ...{ intake, metrics: counted, log, onListening: () => {} },
    }),
    (error) => error instanceof SettingError && /Port \d+ is in use\. Set MQTT_PORT/.test(error.message),
  )
})
