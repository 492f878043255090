import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, test } from 'vitest'
import {
  getPowerMeter,
  getPropertyEvents,
  getPropertyMetrics,
  getPropertyTelemetryChart,
  getPropertyTelemetryViews,
} from '@caretaker/contract/telemetry.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { ingestTelemetry, seriesCache } from './ingest.ts'

const minute = 60_000
const hour = 60 * minute
const now = Math.floor(Date.now() / hour) * hour
const iso = (at: number) => new Date(at).toISOString()
const range = { from: iso(now - 2 * hour), to: iso(now) }

const [guest, limited, elsewhere, stranger] = [
  'guest@north.test',
  'limited@north.test',
  'elsewhere@north.test',
  'manager@south.test',
]
let app: TestApp
const [home, empty] = [randomUUID(), randomUUID()]
const devices = { boiler: '', bedroom: '', hall: '', behind: '', meterA: '', meterC: '', hidden: '' }

beforeAll(async () => {
  app = await testApp()
  for (const id of ['north', 'south'])
    await app.addTenant(id, { features: ['PropertyCentric'], capabilities: ['ViewProperties'] })
  const patch = await addAccessRightsTag(app, 'north', 'Patch')
  const far = await addAccessRightsTag(app, 'north', 'Far')
  await app.addMember('north', guest, 'Guest')
  await app.addMember('north', limited, 'Guest', [patch])
  await app.addMember('north', elsewhere, 'Guest', [far])
  await app.addMember('south', stranger, 'Manager')
  const add = (product: 'BX' | 'MD' | 'TH' | 'PM', serial: string, more: object = {}) =>
    addDevice(app, 'north', { product, serial, name: serial, accessRightsTagId: patch, ...more })
  devices.boiler = await add('BX', 'BX1000001A')
  devices.bedroom = await add('MD', 'MD1000002B')
  devices.hall = await add('TH', 'TH1000003C')
  devices.behind = await add('MD', 'MD1000004D', { parentId: devices.boiler })
  devices.meterA = await add('PM', 'PMA1000005E')
  devices.meterC = await add('PM', 'PMC1000006F')
  devices.hidden = await add('MD', 'MD1000007G', { accessRightsTagId: far })
  await inTenant(app.database.db, 'north', async (tx) => {
    for (const [id, tag] of [
      [home, patch],
      [empty, patch],
    ] as const)
      await tx
        .insertInto('property')
        .values({ tenant_id: 'north', id, reference: `REF-${id.slice(0, 4)}`, access_rights_tag_id: tag })
        .execute()
    const put = (id: string, more: object) =>
      tx.updateTable('device').set(more).where('tenant_id', '=', 'north').where('id', '=', id).execute()
    await put(devices.boiler, { property_id: home, location: 'Kitchen', monitoring: 'Boiler' })
    await put(devices.bedroom, { property_id: home, location: 'Bedroom 1' })
    await put(devices.hall, { property_id: home, location: 'Hallway' })
    await put(devices.behind, { location: 'Bathroom' })
    await put(devices.meterA, { property_id: home, model: 'A' })
    await put(devices.meterC, { property_id: home, model: 'C', power_clamps: JSON.stringify({ 1: 'Sockets' }) })
    await put(devices.hidden, { property_id: home, location: 'Attic' })
    for (const [device_id, start, end, severity] of [
      [devices.boiler, now - hour, null, 'High'],
      [devices.boiler, now - 30 * minute, now - 20 * minute, 'Low'],
      [devices.bedroom, now - 5 * hour, now - 4 * hour, 'High'],
    ] as const)
      await tx
        .insertInto('event')
        .values({
          ...{ tenant_id: 'north', id: randomUUID(), device_id, start_at: new Date(start), severity },
          ...{ end_at: end === null ? null : new Date(end), category: 'Lockout', description: 'EA' },
        })
        .execute()
  })
  await report(devices.boiler, { flowTemperature: 55, returnTemperature: 40 })
  await report(devices.bedroom, { temperature: 16, humidity: 70 })
  await report(devices.hall, { temperature: 18 })
  await report(devices.behind, { temperature: 20 })
  await report(devices.hidden, { temperature: 3 })
  await report(devices.meterA, { power: 400 })
  await report(devices.meterC, { power1: 100, power2: 50, power3: 25 })
})
afterAll(() => app.close())

/** Two readings within the range, and one before it. */
async function report(deviceId: string, values: Partial<Record<MetricKey, number>>): Promise<void> {
  const payload = [now - 3 * hour, now - hour, now - 50 * minute].map((ts) => ({
    ts,
    values: values as Record<string, number>,
  }))
  await inTenant(app.database.db, 'north', (tx) =>
    ingestTelemetry(tx, [{ deviceId, tenant: 'north', payload, receivedAt: new Date() }], seriesCache()),
  )
}

const metricsOf = (query: object = {}, as = guest, tenant = 'north') =>
  app.send(
    getPropertyMetrics,
    { params: { tenant }, query: { propertyId: home, ...range, metricKey: 'temperature', ...query } as never },
    as,
  )
const chartOf = (
  chart: string,
  { view = 'property', propertyId = home, ...more }: Record<string, string> = {},
  as = guest,
) =>
  app.send(
    getPropertyTelemetryChart,
    { params: { tenant: 'north', propertyId }, query: { view, chart, ...range, ...more } as never },
    as,
  )

test('a property metric has the points of each device in the range, or of those at one place [est-7.2-9] [est-3-28] [est-7.6-2]', async () => {
  const { status, body } = await metricsOf()
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(
    body.results.map(({ deviceId, propertyLocationId, series }) => [deviceId, propertyLocationId, series]),
    // By their serial numbers.
    [
      [devices.bedroom, 'Bedroom 1', 16],
      [devices.behind, 'Bathroom', 20],
      [devices.hidden, 'Attic', 3],
      [devices.hall, 'Hallway', 18],
    ].map(([id, place, value]) => [id, place, [now - hour, now - 50 * minute].map((date) => ({ date, value }))]),
  )
  const one = await metricsOf({ propertyLocationId: 'Bedroom 1' })
  assert.deepEqual(
    one.body.results.map(({ deviceId }) => deviceId),
    [devices.bedroom],
  )
  assert.deepEqual((await metricsOf({ propertyLocationId: 'Loft' })).body.results, [])
  assert.deepEqual((await metricsOf({ propertyId: empty })).body.results, [])
  for (const wrong of [{ metricKey: 'mood' }, { from: range.to, to: range.from }, { from: 'today' }, { more: 1 }])
    assert.equal((await metricsOf(wrong)).status, 400, JSON.stringify(wrong))
})

test('events of a property are one series per device, within the range only [est-7.2-8] [est-3-29]', async () => {
  const ask = (propertyId: string, as = guest) =>
    app.send(getPropertyEvents, { params: { tenant: 'north' }, query: { propertyId, ...range } }, as)
  const { body } = await ask(home)
  const eventsOf = new Map(body.results.map(({ deviceId, events }) => [deviceId, events]))
  assert.deepEqual(
    eventsOf.get(devices.boiler)!.map(({ severity, end }) => [severity, end]),
    [
      ['Low', iso(now - 20 * minute)],
      ['High', null],
    ],
  )
  assert.deepEqual(eventsOf.get(devices.bedroom), [])
  assert.equal(eventsOf.size, body.results.length)
  assert.equal((await ask(home, elsewhere)).status, 404)
  assert.equal((await ask(randomUUID())).status, 404)
})

test('a room has one colour in all charts of a property, whichever rooms a chart shows', async () => {
  const coloursOf = async (chart: string) =>
    Object.fromEntries((await chartOf(chart)).body.chart.dataSeries.map(({ label, color }) => [label, color]))
  const colours = { Attic: 'series-1', Bathroom: 'series-2', 'Bedroom 1': 'series-3', Hallway: 'series-4' }
  assert.deepEqual(await coloursOf('rooms'), colours)
  assert.deepEqual(await coloursOf('humidity'), colours)
  assert.deepEqual(Object.values(await coloursOf('setPoints')), [colours.Hallway])
  assert.deepEqual(new Set(Object.values(await coloursOf('flowReturn'))), new Set([undefined]))
})

test('a mean names its days, and without readings there is no count', async () => {
  const week = { from: iso(now - 7 * 24 * hour), to: iso(now) }
  const { days } = (await chartOf('meanTemperature', week)).body.chart
  assert.equal(days?.of, 8)
  assert.ok(days.read === 1 || days.read === 2, String(days.read))
  const figure = async (chart: string, asked: { from: string; to: string }) => {
    const { dataSeries, days } = (await chartOf(chart, asked)).body.chart
    return [dataSeries[0]!.series.at(-1)?.value, days]
  }
  assert.deepEqual(await figure('faults', range), [1, undefined])
  const before = { from: iso(now - 20 * 24 * hour), to: iso(now - 10 * 24 * hour) }
  for (const chart of ['faults', 'meanTemperature'])
    assert.deepEqual(await figure(chart, before), [undefined, undefined])
  // Readings without a fault give a count of nought.
  assert.deepEqual(await figure('faults', { from: iso(now - 55 * minute), to: iso(now - 45 * minute) }), [0, undefined])
})

test('the views of a property and its charts cover all its devices in one call', async () => {
  const { body } = await app.send(getPropertyTelemetryViews, { params: { tenant: 'north', propertyId: home } }, guest)
  assert.deepEqual(
    body.results.map(({ name }) => name),
    ['Property Summary', 'Boiler Monitoring', 'Asset Management'],
  )
  const [summary] = body.results
  // A card without any reported data is left out.
  assert.deepEqual(
    summary!.cards.map(({ id }) => id),
    [
      ...['meanTemperature', 'meanHumidity', 'energy', 'faults'],
      ...['rooms', 'humidity', 'energyBars', 'power', 'flowReturn', 'events'],
    ],
  )
  const rooms = (await chartOf('rooms')).body
  assert.deepEqual([rooms.from, rooms.to], [range.from, range.to])
  assert.deepEqual(rooms.chart.dataSeries.map(({ label }) => label).toSorted(), [
    'Attic',
    'Bathroom',
    'Bedroom 1',
    'Hallway',
  ])
  assert.deepEqual([rooms.chart.rangeMin, rooms.chart.units], [0, '°C'])
  assert.deepEqual(rooms.chart.limits, [{ value: 16, label: 'Cold limit below 16 °C' }])
  assert.deepEqual((await chartOf('humidity')).body.chart.limits, [{ value: 70, label: 'Damp limit above 70 %' }])
  assert.equal((await chartOf('faults')).body.chart.dataSeries[0]!.series[0]!.value, 1)
  assert.equal((await chartOf('events')).body.chart.eventSeries.length, 2)
  // A meter of model A has one line, any other meter one per clamp.
  const power = (await chartOf('power')).body.chart.dataSeries
  assert.deepEqual(new Set(power.map(({ metric }) => metric)), new Set(['power', 'power1', 'power2', 'power3']))
  // 400 W of one, and 175 W of the other's circuits, in the one hour of the range with readings.
  const energy = (await chartOf('energy')).body.chart
  assert.deepEqual(
    [energy.units, energy.dataSeries[0]!.series.map(({ value }) => value!.toFixed(3))],
    ['kWh', ['0.575']],
  )
  const days = (await chartOf('energyBars')).body.chart
  assert.equal(days.units, 'kWh')
  assert.equal(days.dataSeries[0]!.unit, 'kWh')
  // All readings of the day, also from before the range; each circuit separately, because one is named.
  const used = Object.fromEntries(days.dataSeries.map(({ label, series }) => [label, series.at(-1)!.value!.toFixed(3)]))
  const circuits = (times: number) => ({
    'PMA1000005E: Power': (0.4 * times).toFixed(3),
    'PMC1000006F: Sockets': (0.1 * times).toFixed(3),
    'PMC1000006F: Clamp 2': (0.05 * times).toFixed(3),
    'PMC1000006F: Clamp 3': (0.025 * times).toFixed(3),
  })
  assert.ok(
    [1, 2].some((times) => isDeepStrictEqual(used, circuits(times))),
    JSON.stringify(used),
  )
  assert.equal(new Set(days.dataSeries.map(({ dataSeriesId }) => dataSeriesId)).size, 4)
  const monitoring = (await chartOf('flowReturn', { view: 'monitoring' })).body.chart.dataSeries
  assert.deepEqual(
    monitoring.map(({ series }) => series[0]!.value),
    [55, 40],
  )
  for (const [chart, more] of [
    ['nothing', {}],
    ['rooms', { view: 'assets' }],
    ['ownSignal', { view: 'diagnostics' }],
  ] as const)
    assert.equal((await chartOf(chart, more)).status, 404, chart)
  assert.deepEqual((await chartOf('rooms', { propertyId: empty })).body.chart.dataSeries, [])
})

test('a power meter names the circuits of its clamps and their series [est-7.2-4]', async () => {
  const ask = (deviceId: string, as = guest) => app.send(getPowerMeter, { params: { tenant: 'north', deviceId } }, as)
  const meter = (await ask(devices.meterC)).body
  assert.deepEqual(
    [meter.serialNumber, meter.model, meter.propertyId, meter.powerClamps, meter.series],
    [
      'PMC1000006F',
      'C',
      home,
      { 1: 'Sockets' },
      [
        { metricKey: 'power1', label: 'Sockets' },
        { metricKey: 'power2', label: 'Clamp 2' },
        { metricKey: 'power3', label: 'Clamp 3' },
      ],
    ],
  )
  assert.deepEqual((await ask(devices.meterA)).body.series, [{ metricKey: 'power', label: 'Power' }])
  assert.equal((await ask(devices.boiler)).status, 404)
  assert.equal((await ask(devices.meterA, elsewhere)).status, 404)
  assert.equal((await ask(devices.meterA, stranger)).status, 404)
})

test('a limited user sees only the devices of their tags, and nobody the property of others', async () => {
  const { body } = await metricsOf({}, limited)
  assert.ok(body.results.every(({ deviceId }) => deviceId !== devices.hidden))
  assert.equal(body.results.length, 3)
  assert.equal((await chartOf('rooms', {}, limited)).body.chart.dataSeries.length, 3)
  assert.equal((await metricsOf({}, elsewhere)).status, 404)
  assert.equal((await chartOf('rooms', {}, elsewhere)).status, 404)
  for (const tenant of ['north', 'south']) assert.equal((await metricsOf({}, stranger, tenant)).status, 404)
})
