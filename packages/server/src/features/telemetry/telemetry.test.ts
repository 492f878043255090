import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import {
  getDeviceEvents,
  getDeviceMetrics,
  getDevicesMetrics,
  getDeviceTelemetryCharts,
  telemetryLimits,
} from '@caretaker/contract/telemetry.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/two-tenants.ts'
import { rollUpDays } from './days.ts'
import { ingestTelemetry, seriesCache } from './ingest.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const now = Math.floor(Date.now() / hour) * hour

let it: TestApp
const guest = 'guest@north.test'
before(async () => {
  it = await testApp()
  await it.addTenant('north')
  await it.addTenant('south')
  await it.addMember('north', guest, 'Guest')
  await it.addMember('north', 'admin@north.test', 'Admin')
  await it.addMember('south', 'manager@south.test', 'Manager')
})
after(() => it.close())

type Values = Partial<Record<MetricKey, number>>
/** As its messages come in, 500 readings at a time. */
async function report(deviceId: string, readings: (readonly [date: number, values: Values])[]): Promise<void> {
  const cache = seriesCache()
  const payloads = Array.from({ length: Math.ceil(readings.length / 500) }, (_, n) =>
    readings.slice(n * 500, (n + 1) * 500).map(([ts, values]) => ({ ts, values: values as Record<string, number> })),
  )
  await inTenant(it.database.db, 'north', (tx) =>
    ingestTelemetry(
      tx,
      payloads.map((payload) => ({ deviceId, tenant: 'north', payload, receivedAt: new Date() })),
      cache,
    ),
  )
}

async function reportHours(deviceId: string, metric: MetricKey, hours: { at: number; low: number; high: number }[]) {
  await inTenant(it.database.db, 'north', async (tx) => {
    const { id } = await tx
      .insertInto('series')
      .values({ tenant_id: 'north', device_id: deviceId, metric })
      .returning('id')
      .executeTakeFirstOrThrow()
    await sql`
      insert into hourly
      select 'north', ${id}, at, 60, 60 * low, low, high, last, low
      from unnest(${hours.map(({ at }) => new Date(at))}::timestamptz[], ${hours.map(({ low }) => low)}::float8[],
        ${hours.map(({ high }) => high)}::float8[], ${hours.map(({ at }) => new Date(at + hour - 60_000))}::timestamptz[])
        as one (at, low, high, last)
      on conflict do nothing`.execute(tx)
  })
}

const ask = (deviceId: string, metrics: MetricKey[], from: number, to: number, email = guest, tenant = 'north') =>
  it.send(getDeviceMetrics, { body: { tenant, deviceId, metrics, from, to } }, email)
const read = async (deviceId: string, metric: MetricKey, from: number, to: number) =>
  (await ask(deviceId, [metric], from, to)).body.data![0]!

test('metrics of a device over a range, in the order asked, each with label, unit and newest value [dev-7telemetry-2 dev-3ent-31]', async () => {
  const dot = await addDevice(it, 'north', { product: 'MD' })
  const dates = [now - 2 * hour, now - 1.75 * hour, now - 1.5 * hour]
  await report(dot, [
    ...dates.map((date, n) => [date, { temperature: 20 + n, humidity: 50.25 }] as const),
    [now, { temperature: 25 }],
  ])
  const { status, body } = await ask(dot, ['humidity', 'temperature', 'co2'], dates[0]!, dates[1]!)
  assert.equal(status, 200)
  assert.deepEqual(body.data, [
    {
      dataSeriesId: `${dot}/humidity`,
      metric: 'humidity',
      label: 'Humidity',
      unit: '%',
      series: dates.slice(0, 2).map((date) => ({ date, value: 50.25 })),
      latest: { date: dates[2], value: 50.25 },
    },
    {
      dataSeriesId: `${dot}/temperature`,
      metric: 'temperature',
      label: 'Temperature',
      unit: '°C',
      series: dates.slice(0, 2).map((date, n) => ({ date, value: 20 + n })),
      latest: { date: now, value: 25 },
    },
    { dataSeriesId: `${dot}/co2`, metric: 'co2', label: 'CO2', unit: 'ppm', series: [], latest: null },
  ])
})

test('a week at one reading a minute is thinned to about 2,000 points, and no extreme of any ten minutes is lost', async () => {
  const boiler = await addDevice(it, 'north', { product: 'BX' })
  const from = now - 7 * day
  const value = (n: number) => Math.round(5000 + 3000 * Math.sin(n / 200) + ((n * 7919) % 1000)) / 100
  const readings = Array.from({ length: 7 * 1440 }, (_, n) => [from + n * minute, value(n)] as const)
  await report(
    boiler,
    readings.map(([date, value]) => [date, { flowTemperature: value }]),
  )
  const { series } = await read(boiler, 'flowTemperature', from, now)
  assert.ok(series.length <= 2020, `${series.length} points`)
  const told = new Map(readings)
  assert.ok(series.every(({ date, value }) => told.get(date) === value))
  const extremes = (points: readonly (readonly [number, number])[]) =>
    [...Map.groupBy(points, ([date]) => Math.floor(date / (10 * minute))).values()].map((bucket) => {
      const values = bucket.map(([, value]) => value)
      return [Math.min(...values), Math.max(...values)]
    })
  assert.deepEqual(extremes(series.map(({ date, value }) => [date, value!])), extremes(readings))
})

test('a silence of more than three reporting intervals breaks the line, a shorter one does not', async () => {
  const dot = await addDevice(it, 'north', { product: 'MD' })
  const dates = [0, 15, 60, 106, 120].map((minutes) => now - 3 * hour + minutes * minute)
  await report(
    dot,
    dates.map((date) => [date, { temperature: 20 }]),
  )
  const { series } = await read(dot, 'temperature', now - 3 * hour, now)
  const [a, b, c, d, e] = dates
  assert.deepEqual(
    series.map(({ date, value }) => [date, value]),
    [
      [a, 20],
      [b, 20],
      [c, 20],
      [(c! + d!) / 2, null],
      [d, 20],
      [e, 20],
    ],
  )
})

test('months and years are drawn from lows and highs of hours and days, none lost, a silence broken', async () => {
  const meter = await addDevice(it, 'north', { product: 'PM' })
  const hours = Array.from({ length: 365 * 24 }, (_, n) => ({
    at: now - (365 * 24 - n) * hour,
    low: 100 + ((n * 31) % 97),
    high: 300 + ((n * 17) % 89),
  })).filter((_, n) => n < 3000 || n >= 3096)
  hours[1234]!.low = -5000
  hours[7000]!.high = 90_000
  await reportHours(meter, 'power', hours)
  const { data } = (await ask(meter, ['power'], now - 365 * day, now)).body
  const { series } = data![0]!
  assert.ok(series.length <= 2020 && series.length > 700, `${series.length} points`)
  const values = series.flatMap(({ value }) => (value === null ? [] : [value]))
  assert.deepEqual([Math.min(...values), Math.max(...values)], [-5000, 90_000])
  assert.equal(series.filter(({ value }) => value === null).length, 1)
  assert.ok(series.every(({ date }, n) => n === 0 || series[n - 1]!.date <= date))
  assert.ok((await rollUpDays(it.database.db)) >= 350)
  assert.deepEqual((await ask(meter, ['power'], now - 365 * day, now)).body.data, data)

  const month = await read(meter, 'power', now - 31 * day, now)
  const known = new Set(hours.flatMap(({ low, high }) => [low, high]))
  assert.ok(month.series.length <= 2020 && month.series.every(({ value }) => known.has(value!)))
})

test('a range without readings, before all or after all, is empty', async () => {
  const dot = await addDevice(it, 'north', { product: 'MD' })
  await report(dot, [[now, { temperature: 20 }]])
  for (const [from, to] of [
    [0, 1],
    [now + 1, now + day],
    [now - 900 * day, now - 800 * day],
  ] as const) {
    const { series, latest } = await read(dot, 'temperature', from, to)
    assert.deepEqual([series, latest], [[], { date: now, value: 20 }])
  }
  const ever = await read(dot, 'temperature', 0, 8_640_000_000_000_000)
  assert.deepEqual(ever.series.at(-1), { date: now, value: 20 })
})

test('metrics of many devices in one call are those of each, and the database is asked no more often than for one', async () => {
  const devices: { deviceId: string; metrics: MetricKey[] }[] = []
  for (let n = 0; n < 12; n++) {
    const deviceId = await addDevice(it, 'north', { product: 'MD' })
    await report(deviceId, [
      [now - 3 * hour - n, { temperature: n, humidity: 2 * n }],
      [now - hour, { temperature: n + 1 }],
    ])
    await reportHours(deviceId, 'co2', [
      { at: now - 300 * day, low: n, high: 500 + n },
      { at: now - 30 * day, low: n, high: 400 + n },
    ])
    devices.push({ deviceId, metrics: n % 2 ? ['temperature', 'co2'] : ['co2', 'humidity', 'linkQuality'] })
  }
  await rollUpDays(it.database.db, new Date(now))
  let statements = 0
  const { db } = it.context
  it.context.db = db.withPlugin({
    transformQuery: ({ node }) => (statements++, node),
    transformResult: async ({ result }) => result,
  })
  try {
    const cost = async <T>(work: Promise<T>) => {
      const before = statements
      return { answer: await work, statements: statements - before }
    }
    for (const days of [1, 60, 365]) {
      const range = { from: now - days * day, to: now }
      const many = await cost(it.send(getDevicesMetrics, { body: { tenant: 'north', devices, ...range } }, guest))
      assert.deepEqual(
        many.answer.body.data!.map((one) => one.deviceId),
        devices.map((one) => one.deviceId),
      )
      for (const [n, { deviceId, metrics }] of devices.entries()) {
        const one = await cost(ask(deviceId, metrics, range.from, range.to))
        assert.deepEqual(many.answer.body.data![n]!.series, one.answer.body.data)
        assert.equal(many.statements, one.statements)
      }
      assert.ok(many.answer.body.data!.every(({ series }) => series.some((one) => one.series.length > 0)))
    }
  } finally {
    it.context.db = db
  }
})

test('one call for many devices has its bounds', async () => {
  const deviceId = await addDevice(it, 'north', { product: 'MD' })
  const metrics: MetricKey[] = ['temperature', 'humidity', 'co2', 'linkQuality', 'batteryLevel']
  const asking = (count: number, each = metrics) => ({
    body: {
      tenant: 'north',
      from: now - day,
      to: now,
      devices: Array.from({ length: count }, () => ({ deviceId, metrics: each })),
    },
  })
  const most = telemetryLimits.series / metrics.length
  assert.equal((await it.send(getDevicesMetrics, asking(most), guest)).status, 200)
  for (const [sent, field] of [
    [asking(most + 1), 'devices'],
    [asking(telemetryLimits.devices + 1, ['co2']), 'devices'],
    [asking(1, []), 'devices.0.metrics'],
    [asking(0), 'devices'],
  ] as const) {
    const { status, body } = await it.send(getDevicesMetrics, sent, guest)
    assert.deepEqual([status, body.validationErrors[0].field], [400, field])
  }
})

test('the charts of a device have the readings of the last week [dev-7telemetry-1 dev-3ent-56]', async () => {
  const boiler = await addDevice(it, 'north', { product: 'BX' })
  await report(boiler, [
    [now - 8 * day, { flowTemperature: 11 }],
    [now - 6 * day, { flowTemperature: 60, returnTemperature: 45 }],
    [now - day, { systemPressure: 1.4 }],
  ])
  const { status, body } = await it.send(
    getDeviceTelemetryCharts,
    { body: { tenant: 'north', deviceId: boiler } },
    guest,
  )
  assert.equal(status, 200)
  const { from, to, charts } = body.data!
  assert.equal(Date.parse(to) - Date.parse(from), 7 * day)
  assert.deepEqual(
    charts.map(({ id, type, title, units, dataSeries }) => [
      id,
      type,
      title,
      units,
      dataSeries.map((one) => [one.metric, one.series.map((point) => point.value)]),
    ]),
    [
      [
        'flowReturn',
        'Linear',
        'Flow and return temperature',
        '°C',
        [
          ['flowTemperature', [60]],
          ['returnTemperature', [45]],
        ],
      ],
      ['pressure', 'Linear', 'System pressure', 'bar', [['systemPressure', [1.4]]]],
    ],
  )
  const without = await addDevice(it, 'north', { product: 'LM' })
  const none = await it.send(
    getDeviceTelemetryCharts,
    { body: { tenant: 'north', deviceId: without } },
    'admin@north.test',
  )
  assert.deepEqual(none.body.data!.charts, [])
})

test('events that touch a range come newest first; one without an end still goes on [dev-7telemetry-3]', async () => {
  const boiler = await addDevice(it, 'north', { product: 'BX' })
  const spans = { before: [-9, -8], into: [-8, -6], within: [-4, -3], open: [-20, undefined], later: [1, 2] } as const
  await inTenant(it.database.db, 'north', (tx) =>
    tx
      .insertInto('event')
      .values(
        Object.entries(spans).map(([category, [start, end]]) => ({
          tenant_id: 'north',
          id: crypto.randomUUID(),
          device_id: boiler,
          start_at: new Date(now + start * day),
          end_at: end === undefined ? null : new Date(now + end * day),
          severity: 'High' as const,
          category,
          description: 'E119',
        })),
      )
      .execute(),
  )
  const body = { tenant: 'north', deviceId: boiler, from: now - 7 * day, to: now }
  const events = (await it.send(getDeviceEvents, { body }, guest)).body.data!
  assert.deepEqual(
    events.map((event) => event.category),
    ['within', 'into', 'open'],
  )
  const { eventId: _, ...within } = events[0]!
  assert.deepEqual(within, {
    start: new Date(now - 4 * day).toISOString(),
    end: new Date(now - 3 * day).toISOString(),
    severity: 'High',
    category: 'within',
    description: 'E119',
  })
})

test('telemetry of a device of another tenant, or hidden from the person, is not found', async () => {
  const tags = [await addAccessRightsTag(it, 'north', 'Mine'), await addAccessRightsTag(it, 'north', 'Other')]
  await it.addMember('north', 'limited@north.test', 'Manager', [tags[0]!])
  const hidden = await addDevice(it, 'north', { product: 'MD', accessRightsTagId: tags[1] })
  const seen: Record<string, string> = {
    north: await addDevice(it, 'north', { product: 'MD', accessRightsTagId: tags[0] }),
    south: await addDevice(it, 'south', { product: 'MD' }),
  }
  const asked: [string, string, string][] = [
    [await addDevice(it, 'south', { product: 'MD' }), 'north', guest],
    [hidden, 'south', 'manager@south.test'],
    [hidden, 'north', 'manager@south.test'],
    [hidden, 'north', 'limited@north.test'],
    [crypto.randomUUID(), 'north', guest],
  ]
  for (const [deviceId, tenant, email] of asked) {
    const body = { tenant, deviceId }
    const range = { ...body, from: now - day, to: now }
    assert.equal((await ask(deviceId, ['temperature'], now - day, now, email, tenant)).status, 404)
    assert.equal((await it.send(getDeviceTelemetryCharts, { body }, email)).status, 404)
    const devices = [seen[tenant]!, deviceId].map((id) => ({ deviceId: id, metrics: ['temperature' as const] }))
    const many = (some: typeof devices) => it.send(getDevicesMetrics, { body: { ...range, devices: some } }, email)
    assert.equal((await many(devices)).status, 404)
    assert.equal((await it.send(getDeviceEvents, { body: range }, email)).status, 404)
  }
  assert.equal((await ask(hidden, ['temperature'], now - day, now)).status, 200)
  const own = [seen.north!].map((deviceId) => ({ deviceId, metrics: ['temperature' as const] }))
  const body = { tenant: 'north', from: now - day, to: now, devices: own }
  assert.equal((await it.send(getDevicesMetrics, { body }, 'limited@north.test')).status, 200)
})

test('a range that ends before it begins and a metric that does not exist are named in the refusal', async () => {
  const dot = await addDevice(it, 'north', { product: 'MD' })
  const backwards = await ask(dot, ['temperature'], now, now - day)
  assert.deepEqual(
    [backwards.status, backwards.body.validationErrors],
    [400, [{ field: 'to', message: 'must be after from' }]],
  )
  const unknown = await ask(dot, ['mood' as MetricKey], now - day, now)
  assert.deepEqual([unknown.status, unknown.body.validationErrors[0].field], [400, 'metrics.0'])
})

test('what each family measures is taken and told [dev-9const-33 dev-9const-34 dev-9const-35 dev-9const-36]', async () => {
  const measured: Record<string, Values> = {
    BX: { flowTemperature: 60, returnTemperature: 45, burnerHours: 1200, pumpHours: 2400 },
    ASHP: { flowTemperature: 40, flowRate: 12, electricityConsumption: 1.5 },
    MG: { gsmSignal: -71, batteryVoltage: 4.1 },
    ED: { temperature: 20, humidity: 50, co2: 600, batteryLevel: 80 },
  }
  for (const [product, values] of Object.entries(measured)) {
    const id = await addDevice(it, 'north', { product: product as 'BX' })
    await report(id, [[now, values]])
    const { body } = await ask(id, Object.keys(values) as MetricKey[], now - day, now, 'admin@north.test')
    assert.deepEqual(Object.fromEntries(body.data!.map((one) => [one.metric, one.series[0]?.value])), values)
  }
})
