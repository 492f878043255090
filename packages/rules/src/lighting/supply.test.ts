import assert from 'node:assert/strict'
import { test } from 'vitest'
import { chargeTime } from './runs.ts'
import { chargeOf, darkSince, supplyOf, isBatteryLow } from './supply.ts'

test('a lamp is dark if it is inhibited during a mains failure, and not known to be dark otherwise', () => {
  const dark = (reported: Record<string, unknown>) => darkSince(supplyOf(reported))
  assert.equal(dark({ mains: false, mainsSince: 5, inhibited: true }), 5)
  assert.equal(dark({ mains: false, inhibited: true }), null)
  for (const reported of [
    {},
    { mains: true, inhibited: true },
    { mains: false, inhibited: false },
    { mains: false },
    { inhibited: true },
    { mains: 'no', inhibited: 1 },
    { mains: null, inhibited: true },
  ])
    assert.equal(dark(reported), undefined, JSON.stringify(reported))
})

test('a battery that is not full after a day of charging is degraded, and unknown without data', () => {
  const now = Date.parse('2026-11-02T12:00:00Z')
  const charge = (reported: Record<string, unknown>, ...emptied: (number | undefined)[]) =>
    chargeOf(supplyOf(reported), emptied, now)
  assert.equal(charge({ batteryFull: true, mains: true }, now), 'Full')
  assert.equal(charge({ batteryFull: false, mains: true }, now - chargeTime), 'Degraded')
  assert.equal(charge({ batteryFull: false, mains: true }, now - chargeTime + 1), 'Charging')
  // The latest event counts: mains that returned, or a fitted battery.
  assert.equal(charge({ batteryFull: false, mains: true, mainsSince: now - 1 }, now - 2 * chargeTime), 'Charging')
  assert.equal(charge({ batteryFull: false }, now - 2 * chargeTime, now - 1), 'Charging')
  assert.equal(charge({ batteryFull: false }, now - 2 * chargeTime, undefined), 'Degraded')
  for (const unknown of [{}, { batteryFull: 'no' }, { batteryFull: false, mains: false }])
    assert.equal(charge(unknown, now - 2 * chargeTime), undefined)
  assert.equal(charge({ batteryFull: false, mains: true }), undefined)
})

test('a battery is low below its end voltage, or with less than a twentieth of its charge', () => {
  const isLow = (voltage?: number, level?: number, nominalVoltage: number | null = null) =>
    isBatteryLow({ voltage, level, nominalVoltage, batteryType: 'Nickel Cadmium' })
  assert.equal(isLow(0.3), true)
  assert.equal(isLow(1.1), false)
  assert.equal(isLow(2.9, undefined, 3.6), true)
  assert.equal(isLow(3.1, 100, 3.6), false)
  assert.equal(isLow(undefined, 0), true)
  assert.equal(isLow(undefined, 5), false)
  assert.equal(isLow(), false)
})
