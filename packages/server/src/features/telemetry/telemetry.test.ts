import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { sql } from 'kysely'
import {
  getDeviceEvents,
  getDeviceMetrics,
  getDevicesMetrics,
  getDeviceTelemetryCharts,
  telemetryLimits,
} from '@caretaker/contract/telemetry.ts'
import type { Chart } from '@caretaker/contract/telemetry.ts'
import type { Severity } from '@caretaker/rules/telemetry/events.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import { ensurePartitions } from '../../postgres/partitions.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { rollUpDays } from './days.ts'
import { ingestTelemetry, mostExtraSeries, seriesCache } from './ingest.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const now = Math.floor(Date.now() / hour) * hour

let it: TestApp
const guest = 'guest@north.test'
beforeAll(async () => {
  it = await testApp()
  // Ensures partitions for readings of three weeks ago, on any day of the week.
  await ensurePartitions(it.database.owner, new Date(now), new Date(now - 30 * day))
  await it.addTenant('north')
  await it.addTenant('south')
  await it.addMember('north', guest, 'Guest')
  await it.addMember('north', 'admin@north.test', 'Admin')
  await it.addMember('south', 'manager@south.test', 'Manager')
})
afterAll(() => it.close())

type Values = Partial<Record<MetricKey, number>>
/** Stored as messages arrive, 500 readings at a time. */
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

test('a week of one reading a minute is thinned to about 1,350 points without losing an extreme of any quarter of an hour', async () => {
  const boiler = await addDevice(it, 'north', { product: 'BX' })
  const from = now - 7 * day
  const value = (n: number) => Math.round(5000 + 3000 * Math.sin(n / 200) + ((n * 7919) % 1000)) / 100
  const readings = Array.from({ length: 7 * 1440 }, (_, n) => [from + n * minute, value(n)] as const)
  await report(
    boiler,
    readings.map(([date, value]) => [date, { flowTemperature: value }]),
  )
  const { series } = await read(boiler, 'flowTemperature', from, now)
  assert.ok(series.length <= 1350, `${series.length} points`)
  const shown = new Map(readings)
  assert.ok(series.every(({ date, value }) => shown.get(date) === value))
  const extremes = (points: readonly (readonly [number, number])[]) =>
    [...Map.groupBy(points, ([date]) => Math.floor(date / (15 * minute))).values()].map((bucket) => {
      const values = bucket.map(([, value]) => value)
      return [Math.min(...values), Math.max(...values)]
    })
  assert.deepEqual(extremes(series.map(({ date, value }) => [date, value!])), extremes(readings))
})

test('a gap of more than three reporting intervals breaks the line, a shorter one does not', async () => {
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

test('months and years are drawn from hourly and daily lows and highs, none lost, with gaps broken', async () => {
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
  assert.ok(series.length <= 1350 && series.length > 700, `${series.length} points`)
  const values = series.flatMap(({ value }) => (value === null ? [] : [value]))
  assert.deepEqual([Math.min(...values), Math.max(...values)], [-5000, 90_000])
  assert.equal(series.filter(({ value }) => value === null).length, 1)
  assert.ok(series.every(({ date }, n) => n === 0 || series[n - 1]!.date <= date))
  assert.ok((await rollUpDays(it.database.db)) >= 350)
  assert.deepEqual((await ask(meter, ['power'], now - 365 * day, now)).body.data, data)

  const month = await read(meter, 'power', now - 31 * day, now)
  const known = new Set(hours.flatMap(({ low, high }) => [low, high]))
  assert.ok(month.series.length <= 1350 && month.series.every(({ value }) => known.has(value!)))
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
  const ever = await read(dot, 'temperature', 0, Date.UTC(9999, 11, 31))
  assert.deepEqual(ever.series.at(-1), { date: now, value: 20 })
})

test('metrics of many devices in one call equal those of each, with the same number of queries', async () => {
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
  await counting(async (cost) => {
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
  })
})

/** Runs work that can read how many statements were executed. */
async function counting(
  work: (cost: <T>(some: Promise<T>) => Promise<{ answer: T; statements: number }>) => Promise<void>,
): Promise<void> {
  let statements = 0
  const { db } = it.context
  it.context.db = db.withPlugin({
    transformQuery: ({ node }) => (statements++, node),
    transformResult: async ({ result }) => result,
  })
  try {
    await work(async (some) => {
      const before = statements
      return { answer: await some, statements: statements - before }
    })
  } finally {
    it.context.db = db
  }
}

test('the lines of all cards in a call take as many statements as those of one, and each card has its own', async () => {
  const deviceId = await addDevice(it, 'north', { product: 'BX' })
  await report(deviceId, [
    [now - hour, { flowTemperature: 60, returnTemperature: 45, systemPressure: 1.4, modulation: 50 }],
  ])
  await counting(async (cost) => {
    const one = await cost(chartsOf(deviceId, { view: 'monitoring', charts: ['pressure'] }))
    const many = await cost(
      chartsOf(deviceId, { view: 'monitoring', charts: ['pressure', 'flowReturn', 'modulation'] }),
    )
    assert.equal(many.statements, one.statements)
    const [pressure, flowReturn, modulation] = many.answer.body.data!.charts
    assert.deepEqual(pressure, one.answer.body.data!.charts[0])
    assert.deepEqual(
      flowReturn!.dataSeries.map(({ series }) => series.map(({ value }) => value)),
      [[60], [45]],
    )
    assert.deepEqual(
      modulation!.dataSeries.map(({ metric, latest }) => [metric, latest?.value]),
      [['modulation', 50]],
    )
  })
})

test('one call for many devices has its limits', async () => {
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

const chartsOf = (deviceId: string, rest: object = {}, email = guest) =>
  it.send(getDeviceTelemetryCharts, { body: { tenant: 'north', deviceId, ...rest } }, email)

async function happened(deviceId: string, events: { start: number; end?: number; severity?: Severity }[]) {
  await inTenant(it.database.db, 'north', (tx) =>
    tx
      .insertInto('event')
      .values(
        events.map(({ start, end, severity = 'High' }) => ({
          tenant_id: 'north',
          id: crypto.randomUUID(),
          device_id: deviceId,
          start_at: new Date(start),
          end_at: end === undefined ? null : new Date(end),
          severity,
          category: 'Boiler',
          description: 'E119: Low water pressure',
        })),
      )
      .execute(),
  )
}

test('below the events are the commands to the devices of a property and their broken connections, within the range', async () => {
  const boiler = await addDevice(it, 'north', { product: 'BX', name: 'Asked boiler' })
  await happened(boiler, [{ start: now - 3 * day, end: now - 3 * day + 60_000 }])
  const asked = (hours: number, name: string, args: object, more: object) => ({
    ...{
      tenant_id: 'north',
      id: crypto.randomUUID(),
      device_id: boiler,
      name,
      args: JSON.stringify(args),
      created_by: null,
    },
    ...{ created_at: new Date(now - hours * 3_600_000), expires_at: new Date(now - hours * 3_600_000 + 900_000) },
    ...more,
  })
  const spell = (from: number, to: number | null, key: string) => ({
    ...{ tenant_id: 'north', device_id: boiler, kind: 'CONNECTIONSTATUS' as const, key },
    ...{ began_at: new Date(from), seen_at: new Date(from), ended_at: to === null ? null : new Date(to) },
  })
  await inTenant(it.database.db, 'north', async (tx) => {
    await tx
      .insertInto('command')
      .values([
        asked(20, 'resetBoiler', {}, { status: 'confirmed', answered_at: new Date(now - 20 * 3_600_000 + 5000) }),
        asked(2, 'setChMax', { chSetPoint: 55 }, { status: 'sent' }),
        asked(24 * 9, 'resetBoiler', {}, { status: 'failed', answered_at: new Date(now - 9 * day) }),
      ] as never)
      .execute()
    await tx
      .insertInto('device_spell')
      .values([
        spell(now - 10 * day, now - 6.5 * day, 'NotConnected'),
        spell(now - 6.5 * day, now - day, 'Connected'),
        spell(now - 9.5 * day, now - 9 * day, 'NotConnected'),
        spell(now - day, null, 'intermittent'),
      ])
      .execute()
  })
  const { charts } = (await chartsOf(boiler, { view: 'monitoring', charts: ['events', 'faults'] })).body.data!
  const events = charts.find(({ id }) => id === 'events')!.eventSeries
  assert.deepEqual(
    events.map(({ category, description, start, end, severity }) => [category, description, severity, start, end]),
    [
      ['Boiler', 'E119: Low water pressure', 'High', at(now - 3 * day), at(now - 3 * day + 60_000)],
      ['Command', 'Set CH max 55 °C: not answered in time', 'Low', at(now - 7_200_000), at(now - 6_300_000)],
      ['Command', 'Reset boiler: confirmed by the device', 'Low', at(now - 72_000_000), at(now - 71_995_000)],
      ['Connection', 'Intermittent', 'Low', at(now - day), null],
      ['Connection', 'Not connected', 'Low', at(now - 10 * day), at(now - 6.5 * day)],
    ],
  )
  // A command is not a fault.
  assert.equal(charts.find(({ id }) => id === 'faults')!.dataSeries[0]!.series[0]!.value, 1)
})

const at = (instant: number) => new Date(instant).toISOString()

test('the charts of a device have the readings and events of the last week, and everything needed to draw them [dev-7telemetry-1 dev-3ent-52 dev-3ent-54 dev-3ent-56 dev-3ent-57]', async () => {
  const boiler = await addDevice(it, 'north', { product: 'BX', name: 'Kitchen boiler' })
  await report(boiler, [
    [now - 8 * day, { flowTemperature: 11 }],
    [now - 6 * day, { flowTemperature: 60, returnTemperature: 45 }],
    [now - day, { systemPressure: 1.4 }],
  ])
  await happened(boiler, [{ start: now - 9 * day, end: now - 8 * day }, { start: now - 2 * day }])
  const { status, body } = await chartsOf(boiler, { view: 'monitoring' })
  assert.equal(status, 200)
  const { from, to, view, views, charts } = body.data!
  assert.equal(Date.parse(to) - Date.parse(from), 7 * day)
  assert.equal(view, 'monitoring')
  assert.deepEqual(
    views.map(({ id, name, defaultChartId }) => [id, name, defaultChartId]),
    [
      ['property', 'Property Summary', 'flowReturn'],
      ['monitoring', 'Boiler Monitoring', 'flowReturn'],
      ['assets', 'Asset Management', 'signal'],
    ],
  )
  assert.deepEqual(
    views[1]!.cards.find(({ id }) => id === 'flowReturn'),
    {
      id: 'flowReturn',
      type: 'lineGraph',
      title: 'Flow and return temperature',
      gridWidth: 12,
      hideWhenNoData: false,
      deviceIds: [boiler],
    },
  )
  const named = (id: string) => charts.find((chart) => chart.id === id)!
  const { dataSeries, ...drawn } = named('flowReturn')
  assert.deepEqual(drawn, {
    id: 'flowReturn',
    type: 'Linear',
    title: 'Flow and return temperature',
    subTitle: null,
    chartLabel: 'Flow and return temperature (°C)',
    gridWidth: 12,
    units: '°C',
    color: 'series-1',
    rangeMin: 0,
    rangeMax: null,
    limits: [],
    hideWhenNoData: false,
    difference: true,
    bars: null,
    before: null,
    eventsSince: null,
    eventSeries: [],
  })
  assert.deepEqual(
    dataSeries.map(({ metric, label, series }) => [metric, label, series]),
    [
      ['flowTemperature', 'Flow temperature', [{ date: now - 6 * day, value: 60 }]],
      ['returnTemperature', 'Return temperature', [{ date: now - 6 * day, value: 45 }]],
    ],
  )
  const [event, ...others] = named('events').eventSeries
  assert.equal(others.length, 0)
  const { eventId: _, ...shown } = event!
  assert.deepEqual(shown, {
    start: new Date(now - 2 * day).toISOString(),
    end: null,
    severity: 'High',
    category: 'Boiler',
    description: 'E119: Low water pressure',
    contextLabel: 'Kitchen boiler',
    cardTitle: 'Events',
  })
  assert.deepEqual(
    named('faults').dataSeries[0]!.series.map(({ value }) => value),
    [1],
  )
  assert.equal(named('faults').before, 1)
  const without = await addDevice(it, 'north', { product: 'LM' })
  const none = (await chartsOf(without, {}, 'admin@north.test')).body.data!
  assert.deepEqual([none.views, none.view, none.charts], [[], null, []])
})

test('one chart of one view over its own range; the views alone; and unknown ones', async () => {
  const boiler = await addDevice(it, 'north', { product: 'BX' })
  await report(boiler, [[now - 20 * day, { systemPressure: 1.2 }]])
  const range = { from: now - 21 * day, to: now - 19 * day }
  const { body } = await chartsOf(boiler, { view: 'monitoring', charts: ['pressure'], ...range })
  const [chart, ...others] = body.data!.charts
  assert.equal(others.length, 0)
  assert.deepEqual([chart!.id, chart!.dataSeries[0]!.series], ['pressure', [{ date: now - 20 * day, value: 1.2 }]])
  assert.equal(Date.parse(body.data!.to), range.to)
  const views = (await chartsOf(boiler, { charts: [] })).body.data!
  assert.deepEqual([views.view, views.charts, views.views.length], ['property', [], 3])
  const known = (await chartsOf(boiler, { charts: ['flowReturn'], views: false })).body.data!
  assert.deepEqual([known.views, known.charts.map(({ id }) => id)], [[], ['flowReturn']])
  for (const unknown of [{ view: 'device' }, { view: 'diagnostics' }, { charts: ['pressure', 'nonsense'] }])
    assert.equal((await chartsOf(boiler, unknown)).status, 404, JSON.stringify(unknown))
  for (const [sent, field] of [
    [{ from: now, to: now - day }, 'to'],
    [{ from: now - day }, 'to'],
    [{ view: 'nonsense' }, 'view'],
    [{ charts: Array.from({ length: 10_000 }, () => 'pressure') }, 'charts'],
  ] as const) {
    const { status, body: refusal } = await chartsOf(boiler, sent)
    assert.deepEqual([status, refusal.validationErrors[0].field], [400, field])
  }
})

test('a property is viewed as one: devices behind the module and in the property, as far as the user sees them', async () => {
  const tags = [await addAccessRightsTag(it, 'north', 'Home'), await addAccessRightsTag(it, 'north', 'Elsewhere')]
  await it.addMember('north', 'tagged@north.test', 'Manager', [tags[0]!])
  const tag = { accessRightsTagId: tags[0] }
  const boiler = await addDevice(it, 'north', { product: 'BX', name: 'Boiler', ...tag })
  const child = await addDevice(it, 'north', { product: 'TH', name: 'Stat', parentId: boiler, ...tag })
  const hidden = await addDevice(it, 'north', {
    product: 'MD',
    name: 'Dot',
    parentId: boiler,
    accessRightsTagId: tags[1],
  })
  const hub = await addDevice(it, 'north', { product: 'ZH', name: 'Hub', ...tag })
  const stranger = await addDevice(it, 'north', { product: 'MD', name: 'Stranger', ...tag })
  const elsewhere = await addDevice(it, 'south', { product: 'MD', name: 'South' })
  const property = crypto.randomUUID()
  await it.database.owner.query(
    `insert into property (tenant_id, id, reference) values ('north', $1, 'NG-1'), ('south', $1, 'NG-1')`,
    [property],
  )
  await it.database.owner.query(
    `update device set property_id = $1 where (tenant_id, id) in (('north', $2::uuid), ('north', $3), ('south', $4))`,
    [property, boiler, hub, elsewhere],
  )
  for (const one of [child, hidden, hub, stranger]) await report(one, [[now - hour, { temperature: 20 }]])
  await happened(child, [{ start: now - day, end: now - day + hour, severity: 'Low' }])
  const rooms = async (email: string, deviceId = boiler) => {
    const { charts } = (await chartsOf(deviceId, { charts: ['rooms', 'events'] }, email)).body.data!
    assert.equal(charts[1]!.eventSeries[0]?.contextLabel, 'Stat')
    return charts[0]!.dataSeries.map(({ label }) => label).sort()
  }
  assert.deepEqual(await rooms(guest), ['Dot', 'Hub', 'Stat'])
  assert.deepEqual(await rooms('tagged@north.test'), ['Hub', 'Stat'])
  assert.deepEqual(await rooms(guest, child), ['Dot', 'Stat'])
  // A card that is hidden without data is offered once there was any.
  const cards = async () => (await chartsOf(boiler, { charts: [] })).body.data!.views[0]!.cards.map(({ id }) => id)
  assert.deepEqual(await cards(), ['meanTemperature', 'faults', 'rooms', 'events'])
  await reportHours(child, 'setPoint', [{ at: now - 300 * day, low: 20, high: 20 }])
  assert.ok((await cards()).includes('setPoints'))
})

test('extra series of a device are a view of their own, by raw name, for users who see the device', async () => {
  const dot = await addDevice(it, 'north', { product: 'ED' })
  const views = async () => (await chartsOf(dot, { charts: [] })).body.data!.views.map(({ name }) => name)
  assert.ok(!(await views()).includes('Extra series'))
  await reportHours(dot, 'soil moisture' as MetricKey, [{ at: now - 2 * hour, low: 30, high: 31 }])
  await reportHours(dot, 'temperature', [{ at: now - 2 * hour, low: 20, high: 20 }])
  assert.ok((await views()).includes('Extra series'))
  const range = { from: now - 20 * day, to: now }
  const { body } = await chartsOf(dot, { view: 'extra', ...range })
  assert.deepEqual(
    body.data!.charts.map(({ title, units, dataSeries }) => [
      title,
      units,
      dataSeries.map(({ metric, label }) => [metric, label]),
    ]),
    [['soil moisture', '', [['soil moisture', 'soil moisture']]]],
  )
  const values = body.data!.charts[0]!.dataSeries[0]!.series.flatMap(({ value }) => value ?? [])
  assert.deepEqual([Math.min(...values), Math.max(...values)], [30, 31])
  assert.equal((await chartsOf(dot, { view: 'extra', ...range }, 'tagged@north.test')).status, 404)
})

test('a device at the limit of extra series costs no more queries when it sends another one', async () => {
  const meter = await addDevice(it, 'north', { product: 'MD' })
  const cache = seriesCache()
  let statements = 0
  const counted = it.database.db.withPlugin({
    transformQuery: ({ node }) => (statements++, node),
    transformResult: async ({ result }) => result,
  })
  /** The number of statements for a message, and the metrics of its rejected readings. */
  const send = async (ts: number, values: Record<string, number>) => {
    const before = statements
    const { setAside } = await inTenant(counted, 'north', (tx) =>
      ingestTelemetry(
        tx,
        [{ deviceId: meter, tenant: 'north', payload: [{ ts, values }], receivedAt: new Date() }],
        cache,
      ),
    )
    return { statements: statements - before, setAside: setAside.map(({ metric, reason }) => [metric, reason]) }
  }
  const extra = Object.fromEntries(Array.from({ length: mostExtraSeries }, (_, at) => [`extra ${at}`, at]))
  await send(now, { ...extra, 'one more': 1 })
  await send(now + 1, extra)
  const plain = await send(now + 2, extra)
  const refused = await send(now + 3, { ...extra, 'one more': 1 })
  assert.deepEqual(refused, { statements: plain.statements, setAside: [['one more', 'too many series']] })
  // A metric of the product still gets its series.
  assert.deepEqual((await send(now + 4, { temperature: 20, 'one more': 1 })).setAside, refused.setAside)
  assert.equal((await read(meter, 'temperature', now, now + minute)).latest?.value, 20)
})

test('diagnostics are a view where the feature is enabled, and for nobody where it is not, not even developers', async () => {
  await it.addMember('north', 'dev@north.test', 'Developer')
  const boiler = await addDevice(it, 'north', { product: 'BX' })
  const names = async () =>
    (await chartsOf(boiler, { charts: [] }, 'dev@north.test')).body.data!.views.map(({ name }) => name)
  assert.ok(!(await names()).some((name) => name.includes('Diagnostics')))
  await it.database.owner.query(`insert into tenant_feature values ('north', 'SystemDebug')`)
  try {
    assert.equal((await names()).at(-1), 'Boiler control module Diagnostics')
    assert.equal((await chartsOf(boiler, { view: 'diagnostics', charts: [] })).status, 200)
  } finally {
    await it.database.owner.query(`delete from tenant_feature where tenant_id = 'north' and feature = 'SystemDebug'`)
  }
})

test('figures: the growth of a counter, a mean, the newest value; a restarted counter continues; and local days', async () => {
  const boiler = await addDevice(it, 'north', { product: 'BX' })
  // The clocks went back on 25 October 2026 in London: that day has 25 hours.
  const begin = Date.parse('2026-10-23T23:00:00Z')
  let counted = 1000
  const counts = Array.from({ length: 80 }, (_, n) => {
    counted = n === 60 ? 5 : counted + 0.5
    return { at: begin + n * hour, low: counted, high: counted }
  })
  await reportHours(boiler, 'burnerHours', [{ at: begin - 5 * day, low: 900, high: 900 }, ...counts])
  const temperatures = counts.map(({ at }, n) => ({ at, low: n % 2 ? 60 : 40, high: 70 }))
  await reportHours(boiler, 'flowTemperature', temperatures)
  const at = (text: string) => Date.parse(text)
  const ask = async (charts: string[], from: number, to: number, view = 'monitoring') =>
    (await chartsOf(boiler, { view, charts, from, to })).body.data!.charts
  const [hours, mean, bars] = await ask(
    ['burnerHours', 'meanFlow', 'burnerBars'],
    at('2026-10-24T23:00Z'),
    at('2026-10-26T23:59:59.999Z'),
  )
  const values = (chart: Chart) => chart.dataSeries[0]!.series.map(({ value }) => value)
  assert.equal(hours!.units, 'Hours')
  // The counter continued while the device had no contact.
  assert.equal(hours!.before, 112)
  assert.equal(values(mean!)[0], (25 * 40 + 24 * 60) / 49)
  assert.equal(bars!.bars, day)
  assert.deepEqual(
    bars!.dataSeries[0]!.series.map(({ date, value }) => [new Date(date).toISOString(), value]),
    [
      ['2026-10-24T23:00:00.000Z', 12.5],
      ['2026-10-26T00:00:00.000Z', 11.5],
    ],
  )
  assert.deepEqual(values(hours!), [24])
  const [newest] = await ask(['burnerHoursNow'], begin, begin + 90 * hour, 'assets')
  assert.deepEqual(values(newest!), [14.5])
  const twenty = await ask(['burnerBars', 'flowReturn', 'events'], begin - 20 * 365 * day, begin + 90 * hour)
  assert.ok(twenty[0]!.dataSeries[0]!.series.length <= 120)
  assert.ok(twenty[1]!.dataSeries.every(({ series }) => series.length <= 1350))
  const [none, noDays] = await ask(['burnerHours', 'burnerBars'], 0, 1000)
  assert.deepEqual([values(none!), none!.before, values(noDays!)], [[], null, []])
})

test('figures state their basis: the set point that the boiler reports, and the worst hour of its starts', async () => {
  const boiler = await addDevice(it, 'north', { product: 'BX' })
  const begin = Date.parse('2026-11-16T00:00:00Z')
  const range = { from: begin, to: begin + 5 * day }
  const starts = [0, 2, 4, 15, 17, undefined, undefined, 60].flatMap((count, n) =>
    count === undefined ? [] : [{ at: begin + n * hour, low: count, high: count }],
  )
  await reportHours(boiler, 'burnerStarts', starts)
  await reportHours(boiler, 'flowTemperature', [{ at: begin, low: 40, high: 50 }])
  const subTitles = async (bend = {}) => {
    const asked = { view: 'monitoring', charts: ['burnerStarts', 'meanFlow'], ...range, ...bend } as const
    const { body } = await chartsOf(boiler, asked)
    return body.data!.charts.map(({ subTitle }) => subTitle)
  }
  // The 43 of three hours belong to no single hour.
  assert.deepEqual(await subTitles(), ['11 an hour at worst, Monday', null])
  // A range that begins within that hour has it too.
  assert.deepEqual(await subTitles({ from: begin + 3.5 * hour }), ['11 an hour at worst, Monday', null])
  await it.database.owner.query(`update device set reported = '{"chMax": 60}' where id = $1`, [boiler])
  assert.deepEqual(await subTitles(), ['11 an hour at worst, Monday', 'Set point 60\u00A0°C'])
})

test('the heat of a heat pump per 1 kWh, from sums, and why there is no figure if one side has gaps', async () => {
  const begin = Date.parse('2026-11-16T00:00:00Z')
  const range = { from: begin, to: begin + 4 * hour - 1 }
  const figures = async (heat: (number | undefined)[], electricity: number[], before: number[] = []) => {
    const pump = await addDevice(it, 'north', { product: 'ASHP' })
    const hours = (values: (number | undefined)[]) =>
      [...before, ...values].flatMap((value, n) =>
        value === undefined ? [] : [{ at: begin + (n - before.length) * hour, low: value, high: value }],
      )
    await reportHours(pump, 'heatOutput', hours(heat))
    await reportHours(pump, 'electricityConsumption', hours(electricity))
    const { body } = await chartsOf(pump, { view: 'monitoring', charts: ['performance'], ...range })
    const { title, units, subTitle, before: earlier, dataSeries } = body.data!.charts[0]!
    return { title, units, subTitle, before: earlier, values: dataSeries[0]!.series.map(({ value }) => value) }
  }
  const card = { title: 'Heat for 1 kWh', units: 'kWh', subTitle: null, before: null }
  assert.deepEqual(await figures([4, 6, 2, 0], [1, 2, 0.5, 0.5]), { ...card, values: [3] })
  // The four hours before gave as much as they took.
  assert.deepEqual(await figures([4, 6, 2, 0], [1, 2, 0.5, 0.5], [1, 1, 1, 1]), { ...card, before: 1, values: [3] })
  const missing = { ...card, subTitle: 'Readings are missing in this period', values: [] }
  assert.deepEqual(await figures([4, undefined, 2, 0], [1, 2, 0.5, 0.5]), missing)
  assert.deepEqual(await figures([], [1, 2, 0.5, 0.5]), { ...card, values: [] })
})

test('the day on which the clocks go forward is a bar of 23 hours, and the next begins an hour earlier in UTC', async () => {
  const boiler = await addDevice(it, 'north', { product: 'BX' })
  const begin = Date.parse('2026-03-27T00:00:00Z')
  const counts = Array.from({ length: 97 }, (_, n) => ({ at: begin + n * hour, low: n / 2, high: n / 2 }))
  await reportHours(boiler, 'burnerHours', counts)
  const [from, to] = [Date.parse('2026-03-28T00:00:00Z'), Date.parse('2026-03-30T22:59:59.999Z')]
  const { body } = await chartsOf(boiler, { view: 'monitoring', charts: ['burnerBars'], from, to })
  assert.deepEqual(
    body.data!.charts[0]!.dataSeries[0]!.series.map(({ date, value }) => [new Date(date).toISOString(), value]),
    [
      ['2026-03-28T00:00:00.000Z', 12],
      ['2026-03-29T00:00:00.000Z', 11.5],
      ['2026-03-29T23:00:00.000Z', 12],
    ],
  )
})

test('if there are more events than one answer holds, the card shows from when they are complete', async () => {
  const boiler = await addDevice(it, 'north', { product: 'BX' })
  const begin = now - 2_000 * 60_000
  const addEvents = (count: number, first: number) =>
    it.database.owner.query(
      `insert into event (tenant_id, id, device_id, start_at, end_at, severity, category, description)
      select 'north', gen_random_uuid(), $1, at, at, 'Low', 'Boiler', 'Fired'
      from generate_series(0, $2::int - 1) as n, to_timestamp($3::float8 / 1000 + n * 60) as at`,
      [boiler, count, first],
    )
  const events = async () => {
    const monitored = await chartsOf(boiler, { view: 'monitoring', charts: ['events'], from: begin, to: now })
    return monitored.body.data!.charts[0]!
  }
  await addEvents(1_000, begin + 60_000)
  const all = await events()
  assert.deepEqual([all.eventSeries.length, all.eventsSince], [1_000, null])
  await addEvents(1, begin)
  const part = await events()
  assert.deepEqual([part.eventSeries.length, Date.parse(part.eventsSince!)], [1_000, begin + 60_000])
  await it.database.owner.query(
    `insert into command (tenant_id, id, device_id, name, args, status, created_at, expires_at)
    select 'north', gen_random_uuid(), $1, 'buzzer', '{"on": true}', 'expired', at, at
    from generate_series(0, 300) as n, to_timestamp($2::float8 / 1000 + n * 60) as at`,
    [boiler, begin + 1_200 * 60_000],
  )
  const lanes = await events()
  assert.deepEqual([lanes.eventSeries.length, Date.parse(lanes.eventsSince!)], [1_300, begin + 1_201 * 60_000])
})

test('events that touch a range come newest first; one without an end is still active [dev-7telemetry-3 dev-3ent-32]', async () => {
  const boiler = await addDevice(it, 'north', { product: 'BX', name: 'Kitchen boiler' })
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
    contextLabel: 'Kitchen boiler',
  })
})

test('telemetry of a device of another tenant, or hidden from the user, is not found', async () => {
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

test('a range that ends before it begins and an unknown metric are named in the refusal', async () => {
  const dot = await addDevice(it, 'north', { product: 'MD' })
  const backwards = await ask(dot, ['temperature'], now, now - day)
  assert.deepEqual(
    [backwards.status, backwards.body.validationErrors],
    [400, [{ field: 'to', message: 'must be after from' }]],
  )
  const many = Array.from({ length: 10_000 }, (): MetricKey => 'temperature')
  const tooMany = await ask(dot, many, now - day, now)
  assert.deepEqual([tooMany.status, tooMany.body.validationErrors[0].field], [400, 'metrics'])
  assert.equal((await ask(dot, ['temperature'], now - 20 * 365 * day, now)).status, 200)
  const unknown = await ask(dot, ['mood' as MetricKey], now - day, now)
  assert.deepEqual([unknown.status, unknown.body.validationErrors[0].field], [400, 'metrics.0'])
})

test('the measurements of each family are accepted and returned [dev-9const-33 dev-9const-34 dev-9const-35 dev-9const-36]', async () => {
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
