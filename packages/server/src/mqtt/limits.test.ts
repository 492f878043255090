import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { getEmered } from '@caretaker/contract/devices.ts'
import { topic } from '@caretaker/contract/mqtt/topics.ts'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import type { TestDevice, TestLink } from '../testing/device-link.ts'
import { eventually, testLink } from '../testing/device-link.ts'
import { badMessagesKeptFor } from './bad-messages.ts'
import { forgetBadMessages } from './retention.ts'
import type { Budget } from './limits.ts'
import { openPace, overLimit } from './limits.ts'

const limits = { messages: 100, bytes: 10_000, events: 10 }
const [start, hour] = [Date.UTC(2026, 10, 22), 3_600_000]

test('a device may send an hour’s worth at once, and more as time passes', () => {
  const budget: Budget = {}
  const overLimitAt = (at: number, bytes = 10) => overLimit(limits, budget, { channel: 'telemetry', bytes }, at)
  for (let n = 0; n < 100; n++) assert.equal(overLimitAt(start), undefined)
  assert.equal(overLimitAt(start), 'more than 100 messages an hour')
  assert.equal(overLimitAt(start + hour / 100 - 1), 'more than 100 messages an hour')
  assert.equal(overLimitAt(start + hour / 100), undefined)
  assert.equal(overLimitAt(start + hour / 100), 'more than 100 messages an hour')
  for (let n = 0; n < 100; n++) assert.equal(overLimitAt(start + 5 * hour), undefined)
  assert.equal(overLimitAt(start + 5 * hour), 'more than 100 messages an hour')
})

test('large messages and events have separate limits; exceeding one does not use up the others', () => {
  const budget: Budget = {}
  const overLimitAt = (channel: 'events' | 'tests' | 'telemetry', bytes = 10) =>
    overLimit(limits, budget, { channel, bytes }, start)
  assert.equal(overLimitAt('telemetry', 9800), undefined)
  assert.equal(overLimitAt('telemetry', 300), 'more than 10000 bytes an hour')
  for (let n = 0; n < 10; n++) assert.equal(overLimitAt(n % 2 ? 'events' : 'tests'), undefined)
  for (let n = 0; n < 200; n++) assert.equal(overLimitAt('events'), 'more than 10 events an hour')
  assert.equal(overLimitAt('telemetry'), undefined)
})

test('a connection that sends too fast is paused for as long as it is ahead', () => {
  const pace = openPace({ messages: 3600, bytes: 18_000_000, events: 1 })
  assert.equal(pace.pause(start), 0)
  for (let n = 0; n < 6000; n++) pace.count(100)
  assert.equal(pace.pause(start), 0)
  for (let n = 0; n < 100; n++) pace.count(100)
  // A hundred a second.
  assert.equal(Math.round(pace.pause(start)), 1000)
  assert.equal(Math.round(pace.pause(start + 600)), 400)
  assert.equal(pace.pause(start + 1000), 0)
  pace.count(60_000_000)
  assert.ok(pace.pause(start + 1000) > 50_000)
})

let world: TestLink
let app: TestApp
const engineer = 'engineer@north.test'
beforeAll(async () => {
  world = await testLink({ CARETAKER_DEVICE_EVENTS: '20', CARETAKER_DEVICE_MESSAGES: '60' })
  app = await testApp({}, world.database)
  for (const id of ['north', 'south']) await world.addTenant(id)
  await app.addMember('north', engineer, 'LightingEngineer')
  await app.addMember('south', 'engineer@south.test', 'LightingEngineer')
})
afterAll(async () => {
  await app.app.close()
  await world.close()
})

const anEvent = () => ({
  ...{ eventId: crypto.randomUUID(), start: Date.now(), severity: 'Low' },
  ...{ category: 'Noise', description: 'again' },
})
const reading = () => ({ ts: Date.now(), values: { batteryVoltage: 3.6 } })
const count = async (table: 'event' | 'bad_message', of: TestDevice) =>
  (await world.rows(`select from ${table} where device_id = $1`, [of.id])).length
async function light() {
  const device = await world.addDevice('north', { product: 'EM' })
  await world.rows(`update device set listing = 'EmergencyLights' where id = $1`, [device.id])
  return device
}
const rejections = async (of: TestDevice) =>
  (await app.send(getEmered, { body: { tenant: 'north', deviceId: of.id } }, engineer)).body.data!.messagesNotTaken

test('a flooding device is held to its limit; further messages are acknowledged as bad, counted and shown on its page', async () => {
  const [noisy, quiet] = [await light(), await light()]
  const [client, other] = [await world.connect(noisy), await world.connect(quiet)]
  const before = await world.bad('over the limit')
  const begun = Date.now()
  const all = Array.from({ length: 50 }, () =>
    client.publishAsync(topic(noisy.id, 'events'), JSON.stringify(anEvent()), { qos: 1 }),
  )
  await Promise.all(all)
  assert.equal(await count('event', noisy), 20)
  assert.equal(await world.bad('over the limit'), before + 30)
  assert.ok((await count('bad_message', noisy)) <= 30)
  // Its other channels and other devices are not affected.
  await world.publish(client, noisy.id, 'telemetry', reading())
  await world.publish(other, quiet.id, 'events', anEvent())
  assert.equal(await count('event', quiet), 1)
  const [entry, ...more] = await eventually(
    () => rejections(noisy),
    (entries) => entries[0]?.count === 30,
  )
  assert.deepEqual([entry!.reason, more], ['over the limit', []])
  assert.ok(Date.parse(entry!.since) >= begun && Date.parse(entry!.last) <= Date.now())
  assert.deepEqual(await rejections(quiet), [])
})

test('a gateway that exceeds a child’s limit affects only that child', async () => {
  const gateway = await world.addDevice('north', { product: 'MG' })
  const children = [await light(), await light()]
  for (const child of children) {
    await world.rows('update device_route set parent_id = $2, key_hash = null where device_id = $1', [
      child.id,
      gateway.id,
    ])
    await world.rows('update device set parent_id = $2 where id = $1', [child.id, gateway.id])
  }
  const client = await world.connect(gateway)
  const [noisy, quiet] = children as [TestDevice, TestDevice]
  await Promise.all(
    Array.from({ length: 70 }, () =>
      client.publishAsync(topic(noisy.id, 'telemetry'), JSON.stringify(reading()), { qos: 1 }),
    ),
  )
  await world.publish(client, quiet.id, 'telemetry', reading())
  await eventually(
    () => rejections(noisy),
    ([entry]) => entry?.reason === 'over the limit' && entry.count === 10,
  )
  assert.deepEqual(await rejections(quiet), [])
})

test('impossible readings are counted by reason and shown for a day to users who see the device', async () => {
  const device = await light()
  const client = await world.connect(device)
  const seconds = { ts: Math.floor(Date.now() / 1000), values: { batteryVoltage: 3.6 } }
  const text = { ts: Date.now(), values: { batteryVoltage: '3.6' } }
  await world.publish(client, device.id, 'telemetry', text)
  await eventually(
    () => rejections(device),
    (entries) => entries.length === 1,
  )
  for (let n = 0; n < 3; n++) await world.publish(client, device.id, 'telemetry', seconds)
  await eventually(
    () => rejections(device),
    (entries) => entries.find(({ reason }) => reason === 'time in seconds')?.count === 3,
  )
  await world.publish(client, device.id, 'telemetry', text)
  const entries = await eventually(
    () => rejections(device),
    (those) => those[0]?.reason === 'not a number' && those[0].count === 2,
  )
  assert.deepEqual(
    entries.map(({ reason, count: n }) => [reason, n]),
    [
      ['not a number', 2],
      ['time in seconds', 3],
    ],
  )
  const stranger = await app.send(getEmered, { body: { tenant: 'north', deviceId: device.id } }, 'engineer@south.test')
  assert.equal(stranger.status, 404)
  await forgetBadMessages(world.database.db, new Date(Date.now() + badMessagesKeptFor - 60_000))
  assert.equal((await rejections(device)).length, 2)
  await forgetBadMessages(world.database.db, new Date(Date.now() + badMessagesKeptFor + 60_000))
  assert.deepEqual(await rejections(device), [])
})

test('counts that are not yet stored are stored when the link stops', async () => {
  const device = await light()
  const client = await world.connect(device)
  await world.publish(client, device.id, 'telemetry', 'no JSON')
  await world.restart()
  assert.deepEqual(
    (await rejections(device)).map(({ reason }) => reason),
    ['not JSON'],
  )
})
