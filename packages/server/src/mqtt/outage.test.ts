import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, test } from 'vitest'
import fc from 'fast-check'
import type { MqttClient } from 'mqtt'
import { topic, upChannels } from '@caretaker/contract/mqtt/topics.ts'
import { anyText } from '../testing/any-text.ts'
import type { TestDevice, TestLink } from '../testing/device-link.ts'
import { eventually, testLink } from '../testing/device-link.ts'

let world: TestLink
beforeAll(async () => {
  world = await testLink()
  await world.addTenant('north')
  await world.addTenant('south')
})
afterAll(() => world.close())

/** Sends readings continuously, a few in flight at a time, and notes which were acknowledged. */
function chat(client: MqttClient, { id }: TestDevice, base: number) {
  const acknowledged: number[] = []
  let going = true
  let sent = 0
  const talk = async () => {
    while (going) {
      const ts = base + sent++
      await world.publish(client, id, 'telemetry', { ts, values: { temperature: 20, humidity: 40 } })
      acknowledged.push(ts)
    }
  }
  const talks = Promise.all(Array.from({ length: 20 }, talk))
  return {
    acknowledged,
    stop: () => {
      going = false
      return talks
    },
  }
}

test('database connections that are cut repeatedly under load neither lose nor duplicate a reading', async () => {
  const devices = [await world.addDevice('north'), await world.addDevice('south'), await world.addDevice('north')]
  const chats = await Promise.all(
    devices.map(async (device) => chat(await world.connect(device), device, Date.now() - 1_000_000)),
  )
  const countAcknowledged = () => Promise.resolve(chats.reduce((sum, one) => sum + one.acknowledged.length, 0))
  let cut = 0
  for (let round = 0; round < 6; round++) {
    const before = await countAcknowledged()
    await eventually(countAcknowledged, (count) => count > before + 50)
    const rows = await world.rows(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and application_name = 'caretaker-app'`,
    )
    cut += rows.length
  }
  await Promise.all(chats.map((one) => one.stop()))
  assert.ok(cut > 6)
  for (const [n, device] of devices.entries()) {
    const rows = await world.rows<{ metric: string; n: number; summed: number; times: string[] }>(
      `select metric, count(*)::int as n,
        (select sum(n)::int from hourly where hourly.tenant_id = $1 and hourly.series_id = series.id) as summed,
        array_agg((extract(epoch from at) * 1000)::bigint::text) as times
       from point join series on series.tenant_id = $1 and series.id = series_id
       where point.tenant_id = $1 and device_id = $2 group by series.id, metric`,
      [device.tenant, device.id],
    )
    assert.equal(rows.length, 2)
    for (const row of rows) {
      assert.deepEqual(inOrder(row.times.map(Number)), inOrder(chats[n]!.acknowledged))
      assert.deepEqual([row.n, row.summed], [row.times.length, row.times.length])
    }
  }
})

const inOrder = (times: number[]) => times.toSorted((a, b) => a - b)

test('while the database hangs, messages wait, and no client can fill the memory with them', async () => {
  const device = await world.addDevice('north')
  const client = await world.connect(device)
  const lock = await world.database.owner.connect()
  await lock.query('begin; lock table series in access exclusive mode')
  let acknowledged = 0
  const sending = Array.from({ length: 3000 }, async (_, n) => {
    await world.publish(client, device.id, 'telemetry', { ts: Date.now() - n, values: { co2: 400 } })
    acknowledged++
  })
  const waits = () =>
    world.rows<{ n: number }>(`select count(*)::int as n from pg_locks
      where not granted and database = (select oid from pg_database where datname = current_database())`)
  await eventually(waits, ([row]) => row!.n > 0)
  await sleep(300)
  const held = await waitingNow()
  const oldest = () => metric(world, 'caretaker_oldest_unacknowledged_seconds')
  assert.ok((await oldest()) >= 0.3)
  await lock.query('commit')
  lock.release()
  assert.ok(held > 0 && held < 1500, `${held} messages in hand`)
  await Promise.all(sending)
  assert.equal(acknowledged, 3000)
  assert.equal(await oldest(), 0)
})

test('in an outage the link stays within its memory limit with any number of senders, and loses nothing', async () => {
  const small = await testLink({ CARETAKER_INTAKE_MB: '1' })
  try {
    await small.addTenant('north')
    const devices = await Promise.all(Array.from({ length: 20 }, () => small.addDevice('north')))
    const clients = await Promise.all(devices.map((device) => small.connect(device)))
    // Make the devices known: their messages are then parsed and held, as in the first seconds of an outage.
    await Promise.all(devices.map(({ id }, n) => small.publish(clients[n]!, id, 'state', { firmware: '1' })))

    const lock = await small.database.owner.connect()
    await lock.query('begin; lock table series in access exclusive mode')
    const base = Date.now() - 1_000_000
    // 20 devices with 60 KB each, which would take 5 MB raw and parsed.
    const readings = (n: number) =>
      Array.from({ length: 100 }, (_, at) => ({ ts: base + n * 100 + at, values: { co2: 400 } }))
    let acknowledged = 0
    const sending = devices.flatMap(({ id }, of) =>
      Array.from({ length: 15 }, async (_, n) => {
        await small.publish(clients[of]!, id, 'telemetry', readings(n))
        acknowledged++
      }),
    )
    const held = (name = 'caretaker_messages_waiting_bytes') => metric(small, name)
    const limit = 1_048_576
    await eventually(held, (bytes) => bytes >= limit)
    const [messages, bytes] = [await held('caretaker_messages_waiting'), await held()]
    // The read that reaches the limit is the last: it adds 64 KB at most, four times that in memory.
    assert.ok(bytes < limit + 5 * 65_536, `${bytes} bytes`)
    assert.ok(messages < sending.length / 2, `${messages} messages of ${sending.length}`)
    assert.equal(acknowledged, 0)

    await lock.query('commit')
    lock.release()
    await Promise.all(sending)
    assert.equal((await small.rows('select from point')).length, 20 * 15 * 100)
    assert.equal(await held(), 0)
  } finally {
    await small.close()
  }
})

const metric = async (of: TestLink, name: string) =>
  (await of.context.metrics.getSingleMetric(name)!.get()).values[0]!.value
const waitingNow = () => metric(world, 'caretaker_messages_waiting')

test('2,000 generated messages cause no crash, are all acknowledged, and leave the link working', async () => {
  const device = await world.addDevice('north', { product: 'EM' })
  const client = await world.connect(device)
  const now = Date.now()
  const number = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(-0, 1e308, 5e-324))
  const nearly = fc.record(
    {
      ts: fc.oneof(fc.constant(now), fc.integer(), fc.anything()),
      values: fc.dictionary(fc.constantFrom('temperature', 'co2', '__proto__', 'constructor', 'x'), number),
      eventId: fc.oneof(fc.uuid(), fc.string()),
      commandId: fc.uuid(),
      status: fc.constantFrom('confirmed', 'failed', 'sent'),
      testType: fc.constantFrom('T0', 'T180', 'T999'),
      componentStates: fc.dictionary(fc.constantFrom('Battery', 'Lamp', 'x'), fc.constantFrom('Ok', 'Failed', 'x')),
      series: fc.array(fc.record({ seconds: number, batteryVoltage: number }), { maxLength: 5 }),
      start: fc.oneof(fc.integer({ min: 0, max: now }), fc.maxSafeNat()),
      end: fc.maxSafeNat(),
      severity: fc.constantFrom('Low', 'High', 'None'),
      category: anyText(120),
      description: anyText(),
      firmware: fc.anything(),
      fault: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  const payload = fc.oneof(
    nearly.map(asJson),
    fc.array(nearly, { maxLength: 3 }).map(asJson),
    fc.json().map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
  )
  const messages = fc.sample(fc.tuple(fc.constantFrom(...upChannels), payload), 2000)
  await Promise.all(messages.map(([channel, body]) => client.publishAsync(topic(device.id, channel), body, { qos: 1 })))
  const before = await world.rows(
    'select from point join series on series.tenant_id = point.tenant_id and series.id = series_id where device_id = $1',
    [device.id],
  )
  await world.publish(client, device.id, 'telemetry', { ts: now + 1, values: { humidity: 40 } })
  const after = await world.rows(
    'select from point join series on series.tenant_id = point.tenant_id and series.id = series_id where device_id = $1',
    [device.id],
  )
  assert.equal(after.length, before.length + 1)
})

function asJson(value: unknown): Buffer {
  try {
    return Buffer.from(JSON.stringify(value) ?? 'null')
  } catch {
    return Buffer.from('null')
  }
}
