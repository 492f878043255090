import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closerTogether, fillRows, lockoutsIn } from '@caretaker/rules/boilers/fills.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import { measures } from '@caretaker/rules/telemetry/metrics.ts'
import type { MeasuringDevice } from '@caretaker/rules/telemetry/views.ts'
import { seriesOf, telemetryViews } from '@caretaker/rules/telemetry/views.ts'
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

test('no card of a view is empty for every home of the demo', () => {
  const filled = new Map<string, boolean>()
  for (const device of devices.filter((one) => one.detail === 'fine')) {
    const others = devices.filter((one) => one !== device && device.propertyId && one.propertyId === device.propertyId)
    const home = [device, ...others]
    for (const { id, name, cards } of telemetryViews(device, ['SystemDebug']))
      for (const card of cards) {
        const hasEvents = home.some((one) => [...faultsOf(one), ...spellsOf(one, now)].length > 0)
        const series = seriesOf(card, home.map(asMeasuring))
        const hasData = card.metrics.length
          ? series.some(({ deviceId, metric }) => measured.get(deviceId)!.has(metric))
          : hasEvents
        // Where products share a view they share its cards.
        const key = `${id === 'diagnostics' ? id : name}: ${card.id}`
        filled.set(key, (filled.get(key) ?? false) || hasData)
      }
  }
  const empty = [...filled].filter(([, hasData]) => !hasData).map(([key]) => key)
  assert.deepEqual(empty, [])
  assert.ok([...filled].length > 40)
})

test('what was measured in the past is in the catalogue for its product', () => {
  for (const device of devices)
    for (const metric of measured.get(device.id)!)
      assert.ok(measures(device.product, metric), `${device.product} ${metric}`)
})

test('a counter of the past ends where the simulator goes on counting, and never falls', () => {
  const boiler = devices.find(({ detail, product }) => detail === 'fine' && product === 'BX')!
  for (const metric of ['burnerHours', 'pumpHours', 'burnerStarts'] as const) {
    const { values } = historyOf(boiler, now, 30).find((one) => one.metric === metric)!
    const known = values.filter((value) => value !== null)
    assert.equal(known.at(-1), boiler.traits[metric])
    assert.ok(known.every((value, n) => n === 0 || value >= known[n - 1]!))
    assert.ok(known.at(-1)! > known[0]!, metric)
  }
})

test('an autofill that failed tells of each fill that its pressure shows, with litres, and of the attempt that ended in its lockout', () => {
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
