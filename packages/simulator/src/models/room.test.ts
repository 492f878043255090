import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Story } from '@caretaker/contract/mqtt/fleet.ts'
import { gateway } from './gateway.ts'
import { State } from '@caretaker/contract/mqtt/payloads.ts'
import { emptyWeek, scheduleOf } from '@caretaker/rules/properties/schedule.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import { powerMeter } from './power-meter.ts'
import { powerSwitch } from './power-switch.ts'
import { enviroDot, multiDot, vStat } from './room.ts'
import type { Context } from './model.ts'
import { generator } from '../random.ts'
import { runModel, nature } from './testing.ts'

const week = { from: Date.UTC(2026, 10, 16), steps: 7 * 48, seconds: 1800 }
const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

function week48(story: Story | undefined, home = 'home') {
  const outcomes = runModel(enviroDot, nature({ model: 'enviroDot', story, home }), week)
  return (key: MetricKey) => outcomes.map(({ readings }) => readings[key]!)
}

test('an ordinary property is warm and dry by day, and CO2 rises while people are in', () => {
  for (let index = 0; index < 20; index++) {
    const values = week48(undefined, `home ${index}`)
    assert.ok(mean(values('temperature')) > 16.5 && Math.max(...values('temperature')) > 18.8, `home ${index}`)
    assert.ok(mean(values('humidity')) < 65)
    assert.ok(Math.max(...values('co2')) > 700 && Math.min(...values('co2')) < 600)
  }
})

test('each property with a story shows it', () => {
  const damp = week48('damp and mould')
  assert.ok(mean(damp('humidity')) > 75 && Math.min(...damp('humidity')) > 70)
  assert.ok(Math.max(...damp('humidity')) <= 97)
  const cold = week48('under-heated')
  assert.ok(mean(cold('temperature')) < 15 && Math.max(...cold('temperature')) < 17.5)
  const empty = week48('void')
  assert.ok(mean(empty('temperature')) < 12 && Math.max(...empty('co2')) < 460)
  const lockout = week48('boiler lockout')
  assert.ok(mean(lockout('temperature')) < mean(week48(undefined)('temperature')) - 3)
})

test('a trait of the device takes precedence over its story', () => {
  const device = nature({ model: 'multiDot', story: 'damp and mould', traits: { humidity: 70 } })
  const humidity = runModel(multiDot, device, week).map(({ readings }) => readings.humidity!)
  assert.ok(Math.abs(mean(humidity) - 70) < 6)
})

test('a thermostat has a higher target in the evening than at night, and reports its set point', () => {
  const outcomes = runModel(vStat, nature({ model: 'vStat' }), week)
  const at = (hour: number) => outcomes.find(({ now }) => (now - week.from) / 3_600_000 === hour)!
  assert.ok(at(19).readings.setPoint! > at(3).readings.setPoint!)
  assert.equal(at(19).reported['setPoint'], at(19).readings.setPoint)
})

test('a thermostat follows its schedule in London time, and rejects an invalid one', () => {
  const now = Date.UTC(2026, 6, 6, 5, 45)
  const device = nature({ model: 'vStat', traits: {} })
  const context: Context = { now, elapsed: 60, random: generator('x'), device, speed: 1, supply: {} }
  const state = vStat.step(vStat.start({ ...context, elapsed: 0 }), context).state
  assert.equal(vStat.step(state, context).reported['takesSchedules'], true)
  const schedule = { ...scheduleOf(emptyWeek()), Monday: [[390, 30] as [number, number]] }
  const send = (args: Record<string, unknown>, to = context) => vStat.commands!['schedule']!(state, to, args)
  const taken = send({ part: 'heating', week: schedule })
  assert.equal(taken.status, 'confirmed')
  // 06:45 in summer.
  const { reported, readings } = vStat.step(taken.state, context)
  assert.deepEqual([reported['schedules'], readings.setPoint], [{ heating: schedule }, 30])
  assert.ok(State.safeParse(reported).success)
  assert.equal(send({ part: 'heating', week: { Monday: [] } }).status, 'failed')
  assert.equal(send({ part: 'attic', week: schedule }).status, 'failed')
  const old = { ...context, device: { ...device, traits: { takesSchedules: false } } }
  assert.equal(send({ part: 'heating', week: schedule }, old).status, 'failed')
  assert.equal(vStat.step(state, old).reported['takesSchedules'], false)
})

test('a power meter adds up its clamps, and an empty property uses next to nothing', () => {
  for (const clamps of [1, 2, 3])
    for (const { readings } of runModel(powerMeter, nature({ model: 'powerMeter', traits: { clamps } }), week)) {
      assert.equal(readings.power, (readings.power1 ?? 0) + (readings.power2 ?? 0) + (readings.power3 ?? 0))
      assert.equal(readings.power3 !== undefined, clamps === 3)
    }
  const empty = runModel(powerMeter, nature({ model: 'powerMeter', story: 'void' }), week)
  assert.ok(empty.every(({ readings }) => readings.power! < 40))
})

test('a gateway counts its devices, an extender reports its radio link, a power switch its relays', () => {
  const [counted] = runModel(gateway, nature({ model: 'gateway', children: 7 }), week)
  assert.ok([6, 7].includes(counted!.readings.connectedDevices!))
  assert.ok(counted!.readings.gsmSignal! < 0 && counted!.readings.linkQuality === undefined)
  const [extender] = runModel(gateway, nature({ model: 'gateway', product: 'ZR' }), week)
  assert.ok(extender!.readings.linkQuality! > 0 && extender!.readings.gsmSignal === undefined)
  const [two] = runModel(powerSwitch, nature({ model: 'powerSwitch', traits: { relay1: true, relay2: false } }), week)
  assert.deepEqual(two!.reported['relays'], { 1: true, 2: false })
  const [one] = runModel(powerSwitch, nature({ model: 'powerSwitch' }), week)
  assert.deepEqual(one!.reported['relays'], { 1: true })
})
