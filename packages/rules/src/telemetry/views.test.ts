import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Monitoring } from '../devices/monitoring.ts'
import type { Product } from '../devices/products.ts'
import { productCodes } from '../devices/products.ts'
import { cardTypes, chartTypeOf, chartTypes, gridColumns, seriesColours } from './cards.ts'
import { metricKeys, metrics } from './metrics.ts'
import type { MeasuringDevice } from './views.ts'
import { homeTelemetryViews, leadingFirst, seriesOf, telemetryViews } from './views.ts'

const kinds = productCodes.flatMap((product) =>
  (['Boiler', 'HeatPump', null] as const).map((monitoring) => ({ product, monitoring })),
)
const viewsOf = (product: Product, monitoring: Monitoring | null, debug = true) =>
  telemetryViews({ product, monitoring }, debug ? ['SystemDebug'] : [])
const device = (rest: Partial<MeasuringDevice>): MeasuringDevice => ({
  id: 'one',
  name: 'Kitchen boiler',
  product: 'BX',
  model: '1',
  monitoring: 'Boiler',
  place: 'Kitchen',
  clamps: null,
  ...rest,
})
const card = (id: string, product: Product = 'BX') =>
  viewsOf(product, null)
    .flatMap((view) => view.cards)
    .find((one) => one.id === id)!

test('cards are of three types, and so are charts [dev-3ent-53 dev-3ent-55]', () => {
  assert.deepEqual(cardTypes, ['eventsGraph', 'lineGraph', 'numericCard'])
  assert.deepEqual(chartTypes, ['EventTimeline', 'Linear', 'Numeric'])
  assert.deepEqual(chartTypeOf, { eventsGraph: 'EventTimeline', lineGraph: 'Linear', numericCard: 'Numeric' })
})

test('every metric that a product measures has a card in one of its views, whatever it monitors', () => {
  for (const { product, monitoring } of kinds) {
    const drawn = viewsOf(product, monitoring, false)
      .flatMap((view) => view.cards)
      .flatMap((one) => ['1', 'A'].flatMap((model) => seriesOf(one, [device({ product, model, monitoring })])))
    const known = new Set(drawn.map(({ metric }) => metric))
    const missing = metricKeys.filter(
      (key) => (metrics[key].products as readonly Product[]).includes(product) && !known.has(key),
    )
    assert.deepEqual(missing, [], `${product} ${monitoring}`)
  }
})

test('the cards of a view have known ids, one unit each, valid columns and a default chart', () => {
  for (const { product, monitoring } of kinds)
    for (const { name, cards, defaultChartId } of viewsOf(product, monitoring)) {
      assert.equal(new Set(cards.map(({ id }) => id)).size, cards.length, name)
      assert.ok(
        cards.some(({ id }) => id === defaultChartId),
        `${product} ${name}`,
      )
      for (const one of cards) {
        assert.ok(new Set(one.metrics.map((key) => metrics[key].unit)).size <= 1, one.id)
        assert.ok(one.gridWidth >= 1 && one.gridWidth <= gridColumns)
        assert.ok((one.colour ?? 1) <= seriesColours)
        assert.equal(one.figure !== undefined, one.type === 'numericCard')
      }
    }
})

test('boilers and heat pumps have their views; diagnostics depend on their feature alone', () => {
  const names = (product: Product, monitoring: Monitoring | null, debug: boolean) =>
    viewsOf(product, monitoring, debug).map(({ name }) => name)
  const boiler = ['Property Summary', 'Boiler Monitoring', 'Asset Management']
  const heatPump = ['Property Summary', 'Heat Pump Monitoring', 'Asset Management']
  assert.deepEqual(names('BX', 'Boiler', false), boiler)
  assert.deepEqual(names('BC', null, false), boiler)
  assert.deepEqual(names('BX', 'HeatPump', false), heatPump)
  assert.deepEqual(names('ASHP', null, false), heatPump)
  assert.deepEqual(names('BX', 'Boiler', true), [...boiler, 'Boiler control module Diagnostics'])
  assert.deepEqual(names('ASHP', null, true), [...heatPump, 'Air source heat pump Diagnostics'])
  assert.deepEqual(names('MD', null, false), ['Property Summary', 'Asset Management'])
  assert.deepEqual(names('PC', null, true), [])
})

test('a line is labelled with the metric, the location if there are several devices, and the clamp', () => {
  const boiler = device({})
  const stat = device({ id: 'two', product: 'TH', place: 'Hallway' })
  const dot = device({ id: 'three', product: 'MD', place: null, name: 'MD1' })
  const labels = (...given: Parameters<typeof seriesOf>) => seriesOf(...given).map(({ label }) => label)
  assert.deepEqual(labels(card('flowReturn'), [boiler, stat]), ['Flow temperature', 'Return temperature'])
  assert.deepEqual(labels(card('rooms'), [boiler, stat]), ['Temperature'])
  assert.deepEqual(labels(card('rooms'), [boiler, stat, dot]), ['Hallway', 'MD1'])
  const same = device({ id: 'four', product: 'ED', place: 'Hallway' })
  assert.deepEqual(labels(card('rooms'), [boiler, stat, same]), ['Hallway, V-Stat', 'Hallway, Enviro-dot'])
  const meter = device({ id: 'five', product: 'PM', clamps: { '1': 'Sockets' } })
  assert.deepEqual(labels(card('power'), [boiler, meter]), ['Sockets', 'Clamp 2', 'Clamp 3'])
  assert.deepEqual(labels(card('power'), [boiler, { ...meter, model: 'B' }]), ['Power'])
  // Figures show the sum for any model; a card of the device alone excludes the property.
  assert.deepEqual(
    seriesOf(card('meanPower'), [meter]).map(({ metric }) => metric),
    ['power'],
  )
  assert.deepEqual(labels(card('ownLink', 'MD'), [boiler, dot]), [])
})

test('a property has views by its heating; diagnostics of its main device by their feature alone [est-2.3-78] [est-2.3-79] [est-2.3-80] [est-2.3-81] [est-2.3-82]', () => {
  const names = (monitoring: Monitoring | null, of: Product[], debug = false) =>
    homeTelemetryViews(
      { monitoring, devices: leadingFirst(of.map((product) => ({ product }))) },
      debug ? ['SystemDebug'] : [],
    ).map(({ name }) => name)
  const [summary, assets] = ['Property Summary', 'Asset Management']
  assert.deepEqual(names('Boiler', ['MD', 'BX']), [summary, 'Boiler Monitoring', assets])
  assert.deepEqual(names('HeatPump', ['MD', 'ASHP']), [summary, 'Heat Pump Monitoring', assets])
  assert.deepEqual(names(null, ['MD']), [summary, assets])
  assert.deepEqual(names(null, []), [summary, assets])
  assert.deepEqual(names(null, [], true), [summary, assets])
  const boiler = [summary, 'Boiler Monitoring', assets, 'Boiler control module Diagnostics']
  assert.deepEqual(names('Boiler', ['MD', 'ZH', 'BX'], true), boiler)
  // The heating is also known to users who cannot see its device.
  assert.deepEqual(names('Boiler', ['MD']), [summary, 'Boiler Monitoring', assets])
  assert.deepEqual(
    leadingFirst((['MD', 'ZH', 'PM', 'BX'] as const).map((product) => ({ product }))).map(({ product }) => product),
    ['BX', 'ZH', 'MD', 'PM'],
  )
})

test('a property has each card once, including its default chart', () => {
  for (const lead of [...productCodes, undefined])
    for (const monitoring of ['Boiler', 'HeatPump', null] as const)
      for (const view of homeTelemetryViews({ monitoring, devices: lead ? [{ product: lead }] : [] }, [
        'SystemDebug',
      ])) {
        const ids = view.cards.map(({ id }) => id)
        assert.equal(new Set(ids).size, ids.length, view.name)
        assert.ok(view.id === 'diagnostics' || ids.includes(view.defaultChartId), view.name)
      }
})
