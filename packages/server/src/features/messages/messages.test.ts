import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import type { DeviceMessage } from '@caretaker/contract/messages.ts'
import { followDeviceMessages, getDeviceDebug, getDeviceMessages } from '@caretaker/contract/messages.ts'
import { dayAfter, dayAt, startOfDay } from '@caretaker/rules/calendar/days.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import type { TestDevice, TestLink } from '../../testing/device-link.ts'
import { eventually, queueFlickTest, testLink } from '../../testing/device-link.ts'
import { forgetMessages } from './retention.ts'
import { dayAllowance } from './store.ts'

const tenant = 'north'
const developer = 'dev@north.test'
const zone = 'Europe/London'
let link: TestLink
let app: TestApp
beforeAll(async () => {
  link = await testLink()
  app = await testApp({}, link.database)
  for (const id of [tenant, 'south']) {
    await app.addTenant(id)
    await app.addMember(id, `dev@${id}.test`, 'Developer')
  }
  for (const role of ['Admin', 'Manager', 'BoilerEngineer', 'Guest'] as const)
    await app.addMember(tenant, `${role.toLowerCase()}@north.test`, role)
})
afterAll(() => link.close())

const today = () => dayAt(Date.now(), zone)
const ask = (device: TestDevice, more: object = {}, email = developer) =>
  app.send(getDeviceMessages, { body: { tenant, deviceId: device.id, date: today(), ...more } } as never, email)
const messages = async (device: TestDevice, more: object = {}): Promise<DeviceMessage[]> => {
  const { status, body } = await ask(device, more)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data!
}
const wordsOf = (all: DeviceMessage[]) => all.map(({ source, parsedMessage }) => `${source}: ${parsedMessage}`)

test('all messages of a device in a day are listed raw and in words, newest first [dev-3ent-30 dev-7actions-15]', async () => {
  const device = await link.addDevice(tenant, { product: 'EM' })
  const client = await link.connect(device)
  const publish = (channel: Parameters<TestLink['publish']>[2], payload: unknown) =>
    link.publish(client, device.id, channel, payload)
  const at = Date.now()
  await publish('state', { firmware: '1.0', networkJoined: false })
  await publish('state', { firmware: '1.0', networkJoined: true, mood: 'good' })
  const ts = at - 60_000
  await publish('telemetry', { ts, values: { batteryVoltage: 3.625, lampPower: 0 } })
  await publish('events', { eventId: randomUUID(), start: at, severity: 'High', category: 'Lamp', description: 'Out' })
  const commandId = await queueFlickTest(link.database, device)
  await client.subscribeAsync(`devices/${device.id}/commands`, { qos: 1 })
  await eventually(
    () => messages(device),
    (all) => all.some(({ channel }) => channel === 'commands'),
  )
  await publish('replies', { commandId, status: 'confirmed', message: 'Lit' })
  await publish('telemetry', { ts, values: { flowTemp: 31 } })
  const all = await eventually(
    () => messages(device),
    (found) => found.some(({ refused }) => refused),
  )
  const of = (channel: string, refused = false) =>
    all.filter((one) => one.channel === channel && (one.refused !== null) === refused)
  assert.deepEqual(wordsOf(of('state')), [
    'state: Firmware 1.0; In the network is yes, was no; mood "good" not understood',
    'state: Firmware is 1.0, was not set; In the network is no, was not set',
  ])
  assert.deepEqual([of('state')[0]!.notUnderstood, of('state')[0]!.was], [1, { networkJoined: false, mood: null }])
  assert.equal(of('state')[0]!.message, '{"firmware":"1.0","networkJoined":true,"mood":"good"}')
  const [reading] = of('telemetry')
  assert.deepEqual(
    [reading!.time, JSON.parse(reading!.message), reading!.parsedMessage],
    [
      new Date(ts).toISOString(),
      { ts, values: { batteryVoltage: 3.625, lampPower: 0 } },
      'Battery voltage 3.63 V; Lamp power 0 W',
    ],
  )
  assert.match(wordsOf(of('events'))[0]!, /^events: Lamp, high Out; since \d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d$/)
  assert.match(wordsOf(of('commands'))[0]!, /^commands: Run test; test T0; expires /)
  assert.deepEqual(wordsOf(of('replies')), ['replies: Run test confirmed: Lit'])
  const [refused] = of('telemetry', true)
  assert.equal(refused!.parsedMessage, 'Refused: unknown metric flowTemp')
  const times = all.map(({ time }) => Date.parse(time))
  assert.deepEqual(
    times,
    times.toSorted((a, b) => b - a),
  )
})

test('messages that a module sends for its devices belong to them, with the module named; its own are its own', async () => {
  const module = await link.addDevice(tenant, { product: 'BX' })
  const child = await link.addDevice(tenant, { product: 'MD', parent: module, silent: true })
  const client = await link.connect(module)
  await link.publish(client, child.id, 'state', { firmware: '2.0' })
  await link.publish(client, child.id, 'telemetry', { ts: Date.now(), values: { humidity: 51 } })
  await link.publish(client, module.id, 'state', { firmware: '4.0' })
  assert.deepEqual(
    (await messages(child))
      .map(({ source, message }) => [source.split(' ').slice(0, 2).join(' '), /firmware/.test(message)])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    [
      ['state through', true],
      ['telemetry through', false],
    ],
  )
  assert.deepEqual(wordsOf(await messages(module)), ['state: Firmware is 4.0, was not set'])
})

test('two states in one batch each show what they changed', async () => {
  const device = await link.addDevice(tenant)
  const client = await link.connect(device)
  await Promise.all(['1', '2', '1'].map((firmware) => link.publish(client, device.id, 'state', { firmware })))
  const all = (await messages(device)).map(({ was }) => was?.['firmware'])
  assert.equal(all.length, 3)
  assert.deepEqual(new Set(all), new Set([null, '1', '2']))
})

test("a day is in the client's time zone, and is read in pages without gaps; 10,000 messages need only some pages", async () => {
  const device = await link.addDevice(tenant)
  const client = await link.connect(device)
  const day = dayAfter(today(), -2)
  const midnight = startOfDay(day, zone)
  const stamps = Array.from({ length: 10_000 }, (_, n) => midnight + n * 8_000)
  for (let from = 0; from < stamps.length; from += 500)
    await link.publish(
      client,
      device.id,
      'telemetry',
      stamps.slice(from, from + 500).map((ts) => ({ ts, values: { temperature: 20 } })),
    )
  await link.publish(client, device.id, 'telemetry', [
    { ts: midnight - 1, values: { temperature: 19 } },
    { ts: midnight + 86_400_000, values: { temperature: 21 } },
  ])
  const seen: string[] = []
  let pages = 0
  for (let before: string | undefined; ; pages++) {
    const page = await messages(device, { date: day, ...(before && { before }) })
    if (!page.length) break
    seen.push(...page.map(({ time }) => time))
    before = page.at(-1)!.time
  }
  assert.deepEqual([seen.length, pages], [10_000, 5])
  assert.deepEqual(
    seen,
    stamps.toReversed().map((ts) => new Date(ts).toISOString()),
  )
  const newest = await messages(device, { date: midnight + 5, after: stamps.at(-3) })
  assert.equal(newest.length, 2)
  for (const wrong of [{ date: '2026-02-30' }, { date: '21/11/2026' }, { limit: 2_001 }, { before: 'yesterday' }])
    assert.equal((await ask(device, wrong)).status, 400, JSON.stringify(wrong))
})

const follow = async (device: TestDevice, position?: string, date = today()) => {
  const body = { tenant, deviceId: device.id, date, ...(position && { position }) }
  const { status, body: followed } = await app.send(followDeviceMessages, { body }, developer)
  assert.equal(status, 200, JSON.stringify(followed))
  return followed.data!
}

test('a new message is sent once, whatever its timestamp and day', async () => {
  const device = await link.addDevice(tenant)
  const client = await link.connect(device)
  const midnight = startOfDay(today(), zone)
  // Well within the day at any time of the test run: whenever it was measured, it arrives now.
  const [early, late] = [midnight + 1_000, midnight + 2_000]
  await link.publish(client, device.id, 'telemetry', { ts: late, values: { temperature: 20 } })
  await link.publish(client, device.id, 'state', { firmware: '1' })
  const begun = await follow(device)
  assert.deepEqual([begun.messages, begun.isIncomplete], [[], false])
  await link.publish(client, device.id, 'telemetry', { ts: early, values: { temperature: 19 } })
  const first = await follow(device, begun.position)
  const readings = ({ messages: all }: typeof first) =>
    all.filter(({ channel }) => channel === 'telemetry').map(({ time }) => Date.parse(time))
  assert.deepEqual([readings(first), first.isIncomplete], [[early], false])
  await link.publish(client, device.id, 'telemetry', { ts: midnight - 1, values: { temperature: 18 } })
  await link.publish(client, device.id, 'telemetry', { ts: midnight + 3_000, values: { temperature: 21 } })
  await link.publish(client, device.id, 'telemetry', { ts: late, values: { humidity: 50 } })
  const second = await follow(device, first.position)
  assert.deepEqual(readings(second), [midnight + 3_000, late])
  assert.match(second.messages.find(({ time }) => Date.parse(time) === late)!.parsedMessage, /humidity/i)
  assert.deepEqual(readings(await follow(device, first.position, dayAfter(today(), -1))), [midnight - 1])
  await link.publish(client, device.id, 'state', { firmware: '2' })
  const third = await follow(device, second.position)
  assert.deepEqual(readings(third), [])
  assert.ok(third.messages.some(({ message }) => message === '{"firmware":"2"}'))
  assert.deepEqual(readings(await follow(device, third.position)), [])
})

test('more than a page of new messages, or too old ones, is marked as incomplete', async () => {
  const device = await link.addDevice(tenant)
  const client = await link.connect(device)
  const begun = await follow(device)
  const day = dayAfter(today(), -2)
  const midnight = startOfDay(day, zone)
  for (let from = 0; from < 2_500; from += 500)
    await link.publish(
      client,
      device.id,
      'telemetry',
      Array.from({ length: 500 }, (_, n) => ({ ts: midnight + (from + n) * 1_000, values: { temperature: 20 } })),
    )
  const followed = await follow(device, begun.position, day)
  assert.deepEqual([followed.messages.length, followed.isIncomplete], [2_000, true])
  assert.equal(Date.parse(followed.messages[0]!.time), midnight + 2_499_000)
  const [snapshot, at] = begun.position.split('-') as [string, string]
  const old = await follow(device, `${snapshot}-${Number(at) - 2 * 3_600_000}`, day)
  assert.deepEqual([old.messages, old.isIncomplete], [[], true])
})

test('a message too long to be stored whole is marked, and is deleted after a week', async () => {
  const device = await link.addDevice(tenant, { product: 'EM' })
  const client = await link.connect(device)
  const series = Array.from({ length: 1_000 }, (_, n) => ({ seconds: n, batteryVoltage: 3.6 }))
  await link.publish(client, device.id, 'tests', {
    ...{ eventId: randomUUID(), testType: 'T180', start: Date.now(), componentStates: {}, result: 'Passed', series },
  })
  const [long] = await messages(device)
  assert.deepEqual([long!.message.length, long!.notUnderstood], [16_384, 0])
  assert.match(long!.parsedMessage, /^Too long to be stored in full: [\d,]+ bytes$/)
  assert.equal(await forgetMessages(link.database.db, new Date(Date.now() + 6 * 86_400_000)), 0)
  await link.rows(`update due set due_at = '2000-01-01' where work = 'forget messages'`)
  assert.ok((await forgetMessages(link.database.db, new Date(Date.now() + 8 * 86_400_000))) >= 1)
  assert.deepEqual(await messages(device), [])
})

test('a developer sees the stored device: desired and reported state, ids, connection, and refusals', async () => {
  const device = await link.addDevice(tenant)
  const client = await link.connect(device)
  await link.publish(client, device.id, 'state', { firmware: '3.1' })
  await link.publish(client, device.id, 'telemetry', { ts: Date.now(), values: { temperature: 20, humidity: 50 } })
  await link.publish(client, device.id, 'telemetry', { ts: Date.now(), values: { flowTemp: 1 } })
  const debug = async () =>
    (await app.send(getDeviceDebug, { body: { tenant, deviceId: device.id } }, developer)).body.data!
  const shown = await eventually(debug, ({ link: one, refused }) => one.heardAt !== null && refused.length > 0)
  assert.deepEqual([shown.reported, shown.desired], [{ firmware: '3.1' }, {}])
  assert.deepEqual([shown.record.deviceId, shown.record.product], [device.id, 'ED'])
  assert.partialDeepStrictEqual(shown.link, { hasOwnKey: true, connected: true, drops: [], reportingInterval: 900 })
  assert.ok(shown.link.messagesToday >= 1)
  assert.partialDeepStrictEqual(shown.refused, [{ reason: 'unknown metric', count: 1 }])
})

test('only developers read messages of devices, and only within their client', async () => {
  const device = await link.addDevice(tenant)
  const debug = (email: string) => app.send(getDeviceDebug, { body: { tenant, deviceId: device.id } }, email)
  const following = (email: string) =>
    app.send(followDeviceMessages, { body: { tenant, deviceId: device.id, date: today() } }, email)
  for (const role of ['admin', 'manager', 'boilerengineer', 'guest']) {
    assert.equal((await ask(device, {}, `${role}@north.test`)).status, 403, role)
    assert.equal((await debug(`${role}@north.test`)).status, 403, role)
    assert.equal((await following(`${role}@north.test`)).status, 403, role)
  }
  assert.equal((await ask(device, {}, 'dev@south.test')).status, 404)
  assert.equal((await ask(device, { tenant: 'south' }, 'dev@south.test')).status, 404)
  assert.equal((await debug('dev@south.test')).status, 404)
  assert.equal((await following('dev@south.test')).status, 404)
})

test('the messages of a device are limited per day by number and size, independent of others', () => {
  let now = Date.UTC(2026, 10, 21, 23)
  const mayKeep = dayAllowance({ messages: 3, bytes: 100 }, () => now)
  assert.deepEqual(
    [mayKeep('a', 10), mayKeep('a', 91), mayKeep('a', 10), mayKeep('a', 10), mayKeep('a', 10), mayKeep('b', 10)],
    [true, false, true, true, false, true],
  )
  now += 3_600_000
  assert.equal(mayKeep('a', 10), true)
})
