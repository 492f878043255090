import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import fc from 'fast-check'
import { metricKeys, metrics } from '@caretaker/rules/telemetry/metrics.ts'
import { counterLimit } from '@caretaker/rules/telemetry/counters.ts'
import { readFigure } from '../features/telemetry/figures.ts'
import { mostExtraSeries } from '../features/telemetry/ingest.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { TestDevice, TestLink } from '../testing/device-link.ts'
import { eventually, testLink } from '../testing/device-link.ts'

let world: TestLink
beforeAll(async () => {
  world = await testLink({ CARETAKER_DEVICE_MESSAGES: '100000', CARETAKER_DEVICE_EVENTS: '100000' })
  for (const tenant of ['north', 'south']) await world.addTenant(tenant)
})
afterAll(() => world.close())

interface Point extends Record<string, unknown> {
  metric: string
  at: Date
  value: number
}
const points = (device: TestDevice) =>
  world.rows<Point>(
    `select metric, at, value from point join series on series.tenant_id = point.tenant_id and series.id = series_id
     where device_id = $1 order by metric, at`,
    [device.id],
  )
const valuesOf = async (device: TestDevice) => (await points(device)).map(({ metric, value }) => [metric, value])

type Part = { path: string; reason: string; detail: string }
interface Bad extends Record<string, unknown> {
  reason: string
  parts: Part[]
  is_partial: boolean
  payload: string
}
const badMessages = (device: TestDevice) =>
  world.rows<Bad>(
    'select reason, parts, is_partial, payload from bad_message where tenant_id = $1 and device_id = $2 order by at, id',
    [device.tenant, device.id],
  )
const firstBad = async (device: TestDevice) =>
  (
    await eventually(
      () => badMessages(device),
      (rows) => rows.length > 0,
    )
  )[0]!
const counted = (device: TestDevice) =>
  world.rows<{ reason: string; count: number; field: string | null }>(
    'select reason, count::int, field from refused_message where tenant_id = $1 and device_id = $2 order by reason',
    [device.tenant, device.id],
  )

test('a batch with a bad reading keeps the good one; the bad value is named with its path, counted and shown', async () => {
  const device = await world.addDevice('north')
  const client = await world.connect(device)
  const ts = Date.now()
  const sent = [
    { ts: ts - 60_000, values: { temperature: 20.5 } },
    { ts, values: { temperature: -127, humidity: null, mood: 1, co2: 'much' } },
  ]
  await world.publish(client, device.id, 'telemetry', sent)
  assert.deepEqual(await valuesOf(device), [['temperature', 20.5]])
  const bad = await firstBad(device)
  assert.equal(bad.is_partial, true)
  assert.equal(bad.payload, JSON.stringify(sent))
  assert.deepEqual(
    bad.parts.map(({ path, reason }) => [path, reason]),
    [
      ['1.values.temperature', 'out of range'],
      ['1.values.humidity', 'no value'],
      ['1.values.mood', 'unknown metric'],
      ['1.values.co2', 'not a number'],
    ],
  )
  const counts = await eventually(
    () => counted(device),
    (rows) => rows.length === 4,
  )
  assert.deepEqual(
    counts.map(({ reason, count, field }) => [reason, count, field]),
    [
      ['no value', 1, '1.values.humidity'],
      ['not a number', 1, '1.values.co2'],
      ['out of range', 1, '1.values.temperature'],
      ['unknown metric', 1, '1.values.mood'],
    ],
  )
})

test('a reading without a time, or from a clock that was never set, is stored as received now', async () => {
  const device = await world.addDevice('north')
  const client = await world.connect(device)
  const begin = Date.now()
  await world.publish(client, device.id, 'telemetry', [{ values: { co2: 1 } }, { ts: 5000, values: { co2: 2 } }])
  const stored = await points(device)
  assert.deepEqual(
    stored.map(({ value }) => value),
    [1, 2],
  )
  assert.ok(stored.every(({ at }) => +at >= begin - 2 && +at <= Date.now()))
  assert.deepEqual((await firstBad(device)).parts, [{ path: '1.ts', reason: 'clock not set', detail: '1.ts: 5000' }])
})

test('events and states from a clock that was never set count as received now', async () => {
  const light = await world.addDevice('north', { product: 'EM' })
  const client = await world.connect(light)
  const begin = Date.now()
  const event = { eventId: crypto.randomUUID(), severity: 'Low', category: 'A', description: 'B' }
  await world.publish(client, light.id, 'events', { ...event, start: Date.UTC(2000, 0, 1), end: 'later' })
  const [stored] = await world.rows<{ start_at: Date; end_at: Date | null }>(
    'select start_at, end_at from event where tenant_id = $1 and device_id = $2',
    ['north', light.id],
  )
  assert.ok(+stored!.start_at >= begin && +stored!.start_at <= Date.now())
  assert.equal(stored!.end_at, null)
  const reported = async () => {
    const query = 'select reported from device where tenant_id = $1 and id = $2'
    return (await world.rows<{ reported: Record<string, unknown> }>(query, ['north', light.id]))[0]!.reported
  }
  await world.publish(client, light.id, 'state', { mains: true, mainsSince: 60_000, wrong: [1], firmware: '1.4' })
  const first = await reported()
  assert.deepEqual(Object.keys(first).toSorted(), ['firmware', 'mains', 'mainsSince'])
  assert.ok(Number(first['mainsSince']) >= begin && Number(first['mainsSince']) <= Date.now())
  // A repeated report keeps the time.
  await world.publish(client, light.id, 'state', { mains: true, mainsSince: 61_000 })
  assert.equal((await reported())['mainsSince'], first['mainsSince'])
  const named = await eventually(
    () => badMessages(light),
    (rows) => rows.length === 3,
  )
  assert.deepEqual(named.flatMap(({ parts }) => parts.map(({ path, reason }) => `${path} ${reason}`)).toSorted(), [
    'end not a number',
    'mainsSince clock not set',
    'mainsSince clock not set',
    'start clock not set',
    'wrong wrong shape',
  ])
})

test('unknown metrics are kept under their raw names if the tenant wants them, up to a limit', async () => {
  const [here, there] = [await world.addDevice('north'), await world.addDevice('south')]
  await world.rows(`update tenant set settings = settings || '{"keepsUnknownMetrics": true}' where id = 'south'`)
  const reading = { ts: Date.now(), values: { 'soil moisture': 31, temperature: 20 } }
  for (const device of [here, there]) await world.publish(await world.connect(device), device.id, 'telemetry', reading)
  assert.deepEqual(await valuesOf(here), [['temperature', 20]])
  assert.deepEqual(await valuesOf(there), [
    ['soil moisture', 31],
    ['temperature', 20],
  ])
  const client = await world.connect(there)
  const many = Object.fromEntries(Array.from({ length: mostExtraSeries }, (_, at) => [`extra ${at}`, at]))
  await world.publish(client, there.id, 'telemetry', { ts: Date.now(), values: { ...many, humidity: 40 } })
  assert.equal((await points(there)).length, mostExtraSeries + 2)
  const bad = await firstBad(there)
  assert.deepEqual([bad.is_partial, bad.parts.length, bad.reason], [true, 1, 'too many series'])
  await world.rows(`update tenant set settings = settings - 'keepsUnknownMetrics' where id = 'south'`)
})

const grown = (device: TestDevice) =>
  inTenant(world.database.db, device.tenant, (tx) =>
    readFigure(tx, [{ deviceId: device.id, metric: 'burnerHours' }], 'growth', {
      from: Date.now() - 86_400_000,
      to: Date.now(),
    }),
  )

test('a counter that restarts continues from its former value, within one message or across several', async () => {
  const begin = Date.now() - 5 * 3_600_000
  const sent = [5000, 0, 5001, 5001.5].map((value, at) => ({
    ts: begin + at * 3_600_000,
    values: { burnerHours: value },
  }))
  for (const isOneMessage of [true, false]) {
    const device = await world.addDevice('north', { product: 'BX' })
    const client = await world.connect(device)
    for (const message of isOneMessage ? [sent] : sent) await world.publish(client, device.id, 'telemetry', message)
    assert.deepEqual(
      (await points(device)).map(({ value }) => value),
      [5000, 5001, 5001.5],
    )
    assert.equal(await grown(device), 1.5)
    const bad = await firstBad(device)
    assert.deepEqual(
      bad.parts.map(({ path, reason }) => [path, reason]),
      [['0.values.burnerHours', 'counter glitch']],
    )
    assert.deepEqual(JSON.parse(bad.payload), [{ ts: begin + 3_600_000, values: { burnerHours: 0 } }])
    // Delivered again, it is still rejected.
    await world.publish(client, device.id, 'telemetry', sent[1])
    assert.equal((await points(device)).length, 3)
  }
})

test('a counter that restarted is stored, and an implausible rise is rejected', async () => {
  const device = await world.addDevice('north', { product: 'BX' })
  const client = await world.connect(device)
  const begin = Date.now() - 8 * 3_600_000
  let count = 0
  const publish = (value: number) =>
    world.publish(client, device.id, 'telemetry', { ts: begin + count++ * 3_600_000, values: { burnerHours: value } })
  for (const value of [5000, 5001, 0, 0.5, 1]) await publish(value)
  assert.equal((await points(device)).length, 5)
  assert.equal(await grown(device), 2)
  await publish(700)
  await publish(2)
  assert.deepEqual(
    (await points(device)).map(({ value }) => value),
    [5000, 5001, 0, 0.5, 1, 2],
  )
  assert.equal(await grown(device), 3)
  assert.deepEqual((await firstBad(device)).parts[0]!.reason, 'impossible rise')
})

test('readings of a restarted counter are stored, whether the newest arrives first or they arrive late', async () => {
  const device = await world.addDevice('north', { product: 'BX' })
  const client = await world.connect(device)
  const begin = Date.now() - 8 * 3_600_000
  const at = (hour: number, value: number) => ({ ts: begin + hour * 3_600_000, values: { burnerHours: value } })
  const values = async () => (await points(device)).map(({ value }) => value)
  await world.publish(client, device.id, 'telemetry', at(0, 5000))
  await world.publish(client, device.id, 'telemetry', at(4, 2))
  assert.deepEqual(await values(), [5000])
  await world.publish(client, device.id, 'telemetry', [at(1, 0), at(2, 0.5), at(3, 1)])
  assert.deepEqual(await values(), [5000, 0, 0.5, 1, 2])
  // A replaced module counts from 0, and has passed 2 before it sends its buffer.
  await world.publish(client, device.id, 'telemetry', at(7, 3))
  await world.publish(client, device.id, 'telemetry', [at(5, 0), at(6, 1.5)])
  assert.deepEqual(await values(), [5000, 0, 0.5, 1, 2, 0, 1.5, 3])
  assert.deepEqual(await badMessages(device), [])
})

test('buffered readings of a counter that arrive one by one are stored, in either order', async () => {
  for (const order of [
    [1, 2, 3, 4],
    [4, 3, 2, 1],
  ]) {
    const device = await world.addDevice('north', { product: 'BX' })
    const client = await world.connect(device)
    const begin = Date.now() - 8 * 3_600_000
    // The counter restarted after the first hour and has passed its former value when the newest is sent.
    const readings = [2, 0, 1, 2, 2.8, 3.8]
    const send = (hour: number) =>
      world.publish(client, device.id, 'telemetry', {
        ts: begin + hour * 3_600_000,
        values: { burnerHours: readings[hour]! },
      })
    for (const hour of [0, 5, ...order]) await send(hour)
    assert.deepEqual(
      (await points(device)).map(({ value }) => value),
      readings,
    )
  }
})

test('a held late reading is dropped once readings of its time are no longer accepted, and replaced by one of the same instant', async () => {
  const device = await world.addDevice('north', { product: 'BX' })
  const client = await world.connect(device)
  const begin = Date.now() - 8 * 3_600_000
  const send = (hour: number, value: number) =>
    world.publish(client, device.id, 'telemetry', { ts: begin + hour * 3_600_000, values: { burnerHours: value } })
  const held = async () =>
    (await world.rows<{ held: unknown }>('select held from series where device_id = $1', [device.id]))[0]!.held
  await send(0, 1000)
  await send(4, 1002)
  await send(2, 0)
  assert.deepEqual(await held(), [[begin + 2 * 3_600_000, 0]])
  await send(2, 1001)
  assert.deepEqual(await held(), null)
  await send(3, 0)
  // A month later, when the partition of that time has been dropped.
  await world.rows('update series set held = $2 where device_id = $1 returning id', [
    device.id,
    JSON.stringify([[begin - 30 * 86_400_000, 0]]),
  ])
  await send(1, 1000.5)
  assert.deepEqual(await held(), null)
  assert.deepEqual(
    (await points(device)).map(({ value }) => value),
    [1000, 1000.5, 1001, 1002],
  )
})

/** Ways to make a reading invalid, with the reason and the path below the reading. */
const badParts = [
  ['null', 'no value'],
  ['text', 'not a number'],
  ['unknown', 'unknown metric'],
  ['range', 'out of range'],
  ['time', 'wrong time'],
] as const

test('of 500 generated batches with bad parts, the good values are stored exactly and each bad one is named', async () => {
  const plain = metricKeys.filter((key) => !counterLimit(key))
  const now = Date.now()
  const value = fc
    .constantFrom(...plain)
    .chain((key) =>
      fc.tuple(
        fc.constant(key),
        fc.integer({ min: metrics[key].min, max: metrics[key].max }),
        fc.constantFrom(true, false),
      ),
    )
  const reading = fc.record({
    values: fc.uniqueArray(value, { minLength: 1, maxLength: 4, selector: ([key]) => key }),
    bad: fc.option(fc.constantFrom(...badParts), { nil: undefined }),
  })
  const batches = fc.sample(
    fc.array(reading, { minLength: 1, maxLength: 6 }).filter((all) => all.some(({ bad }) => bad)),
    { numRuns: 500, seed: 47 },
  )
  const stored = new Map<string, number>()
  const expected: string[] = []
  const devices = await Promise.all(Array.from({ length: 20 }, () => world.addDevice('north')))
  const clients = await Promise.all(devices.map((device) => world.connect(device)))
  const sending = devices.map(async (device, place) => {
    for (const [number, batch] of batches.entries()) {
      if (number % devices.length !== place) continue
      const sent = batch.map(({ values, bad }, at) => {
        const ts = now - (number * 10 + at) * 1000
        const good = Object.fromEntries(values.map(([key, of]) => [key, of]))
        const [first] = values
        const name = (path: string, reason: string) => expected.push(`${device.id} ${at}.${path} ${reason}`)
        const keep = (kept: Record<string, number>) => {
          for (const [key, of] of Object.entries(kept)) stored.set(`${device.id} ${key} ${ts}`, of)
        }
        if (!bad) {
          keep(good)
          return { ts, values: good }
        }
        const [kind, reason] = bad
        if (kind === 'time') {
          name('ts', reason)
          return { ts: now - 8 * 86_400_000 - number, values: good }
        }
        if (kind === 'unknown') {
          keep(good)
          name('values.mood', reason)
          return { ts, values: { ...good, mood: 1 } }
        }
        const { [first![0]]: _, ...others } = good
        keep(others)
        name(`values.${first![0]}`, reason)
        const wrong = { null: null, text: 'warm', range: metrics[first![0]].max + 1 }[kind]
        return { ts, values: { ...good, [first![0]]: wrong } }
      })
      await world.publish(clients[place]!, device.id, 'telemetry', sent)
    }
  })
  await Promise.all(sending)
  const ids = devices.map(({ id }) => id)
  const rows = await world.rows<{ device_id: string; metric: string; at: Date; value: number }>(
    `select device_id, metric, at, value from point join series on series.tenant_id = point.tenant_id and series.id = series_id
     where point.tenant_id = 'north' and device_id = any($1::uuid[])`,
    [ids],
  )
  assert.deepEqual(
    new Map(rows.map((row) => [`${row.device_id} ${row.metric} ${+row.at}`, row.value])).size,
    stored.size,
  )
  for (const row of rows) assert.equal(stored.get(`${row.device_id} ${row.metric} ${+row.at}`), row.value)
  const parts = async () => {
    const found = await world.rows<{ device_id: string; parts: Part[] }>(
      `select device_id, parts from bad_message where tenant_id = 'north' and device_id = any($1::uuid[])`,
      [ids],
    )
    return found.flatMap((row) => row.parts.map(({ path, reason }) => `${row.device_id} ${path} ${reason}`))
  }
  const named = await eventually(parts, (all) => all.length >= expected.length)
  assert.deepEqual(named.toSorted(), expected.toSorted())
})
