import assert from 'node:assert/strict'
import { test } from 'vitest'
import { closerTogether, fillRows, lockoutsIn } from '@caretaker/rules/boilers/fills.ts'
import type { Monitoring } from '@caretaker/rules/devices/monitoring.ts'
import { monitoringOfHome } from '@caretaker/rules/properties/details.ts'
import type { Card } from '@caretaker/rules/telemetry/cards.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import { measures, metrics } from '@caretaker/rules/telemetry/metrics.ts'
import type { MeasuringDevice, TelemetryView } from '@caretaker/rules/telemetry/views.ts'
import { homeTelemetryViews, leadingFirst, seriesOf, telemetryViews } from '@caretaker/rules/telemetry/views.ts'
import type { DemoDevice } from '../plan/device.ts'
import { demoDevices } from '../fixtures.ts'
import { tenantPlans } from '../plan/tenants.ts'
import { faultsOf, spellsOf } from './events.ts'
import { historyOf } from './history.ts'

const now = Date.parse('2026-11-20T12:00:00Z')
const devices = tenantPlans.flatMap((plan) => plan.storied(now).devices)
const measured = new Map(
  devices.map((device) => [device.id, new Set<MetricKey>(historyOf(device, now, 2).map(({ metric }) => metric))]),
)
const asMeasuring = ({ id, name, product, monitoring, room, powerClamps }: DemoDevice): MeasuringDevice => ({
  id,
  name,
  product,
  model: '1',
  monitoring,
  place: room,
  clamps: powerClamps,
})

/** Whether a card has data for a property. */
function isFilled(card: Card, home: readonly DemoDevice[]): boolean {
  if (!card.metrics.length) return home.some((one) => [...faultsOf(one), ...spellsOf(one, now)].length > 0)
  return seriesOf(card, home.map(asMeasuring)).some(({ deviceId, metric }) => measured.get(deviceId)!.has(metric))
}

/** Whether a card shows only measurements from other makers' sensors, which the demo does not have. */
const isForeign = ({ metrics: keys }: Card) =>
  keys.length > 0 &&
  keys.every((key) => (metrics[key].products as readonly Product[]).every((product) => product === 'ADEY'))

/** For each card, whether a property of the demo has data for it. */
function filling() {
  const filled = new Map<string, boolean>()
  const note = (key: string, hasData: boolean) => filled.set(key, (filled.get(key) ?? false) || hasData)
  return {
    look: ({ id, name, cards }: TelemetryView, home: readonly DemoDevice[]) => {
      for (const card of cards.filter((one) => !isForeign(one))) {
        const hasData = isFilled(card, home)
        note(`anywhere: ${card.id}`, hasData)
        // A card without data may be hidden. Products that share a view share its cards.
        if (!card.hideWhenNoData) note(`${id === 'diagnostics' ? id : name}: ${card.id}`, hasData)
      }
    },
    count: () => filled.size,
    empty: () => [...filled].filter(([, hasData]) => !hasData).map(([key]) => key),
  }
}

test('every card of the device views has data for some property of the demo', () => {
  const cards = filling()
  for (const device of devices.filter((one) => one.detail === 'fine')) {
    const others = devices.filter((one) => one !== device && device.propertyId && one.propertyId === device.propertyId)
    for (const view of telemetryViews(device, ['SystemDebug'])) cards.look(view, [device, ...others])
  }
  assert.deepEqual(cards.empty(), [])
  assert.ok(cards.count() > 40)
})

test('every card of the property views has data for some property of the demo', () => {
  const cards = filling()
  const seen = new Set<string>()
  for (const [propertyId, of] of Map.groupBy(devices, (device) => device.propertyId)) {
    if (!propertyId || !of.some((one) => one.detail === 'fine')) continue
    const home = leadingFirst(of)
    const monitoring = monitoringOfHome(home.map((one) => one.monitoring)) as Monitoring
    for (const view of homeTelemetryViews({ monitoring, devices: home }, ['SystemDebug'])) {
      seen.add(view.name)
      cards.look(view, home)
    }
  }
  assert.deepEqual(cards.empty(), [])
  for (const name of ['Property Summary', 'Boiler Monitoring', 'Heat Pump Monitoring', 'Asset Management'])
    assert.ok(seen.has(name), name)
  assert.ok(cards.count() > 25)
})

test('the metrics of the history are in the catalogue of their product', () => {
  for (const device of devices)
    for (const metric of measured.get(device.id)!)
      assert.ok(measures(device.product, metric), `${device.product} ${metric}`)
})

test("a counter's history ends where the simulator continues, and never falls", () => {
  const boiler = devices.find(({ detail, product }) => detail === 'fine' && product === 'BX')!
  for (const metric of ['burnerHours', 'pumpHours', 'burnerStarts'] as const) {
    const { values } = historyOf(boiler, now, 30).find((one) => one.metric === metric)!
    const known = values.filter((value) => value !== null)
    assert.equal(known.at(-1), boiler.traits[metric])
    assert.ok(known.every((value, n) => n === 0 || value >= known[n - 1]!))
    assert.ok(known.at(-1)! > known[0]!, metric)
  }
})

test('a failed autofill has an event with litres for each fill in its pressure history, and one for the attempt that ended in lockout', () => {
  const failed = devices.find(({ serial }) => serial === demoDevices.failedAutofill.serial)!
  const history = historyOf(failed, now, 30)
  const readingsOf = (wanted: MetricKey) => {
    const { start, step, values } = history.find(({ metric }) => metric === wanted)!
    return values.map((value, index) => ({ date: start + index * step, value }))
  }
  const topUps = spellsOf(failed, now).map(({ since, until }) => ({ start: since, end: until }))
  const faults = faultsOf(failed).map(({ since, until }) => ({
    timestamp: new Date(since).toISOString(),
    endedAt: until === null ? null : new Date(until).toISOString(),
  }))
  const pressure = readingsOf('systemPressure')
  const rows = fillRows({ pressure, water: readingsOf('waterFilled'), topUps, lockouts: lockoutsIn(faults, pressure) })
  const fills = rows.filter(({ lockout }) => lockout === null)
  assert.ok(fills.length >= 8)
  for (const { lasted, litres, before, after } of fills)
    assert.deepEqual([lasted, litres, before !== null, after !== null], [3 * 60_000, 1.1, true, true])
  const [last] = rows
  assert.deepEqual([last!.lasted, last!.litres, last!.lockout?.end], [15 * 60_000, 1.5, null])
  assert.ok(closerTogether(fills.map(({ start }) => start)))
})
