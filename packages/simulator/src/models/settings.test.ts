import assert from 'node:assert/strict'
import { test } from 'vitest'
import { State } from '@caretaker/contract/mqtt/payloads.ts'
import { generator } from '../random.ts'
import type { BoilerState } from './boiler.ts'
import { boiler } from './boiler.ts'
import { heatPump } from './heat-pump.ts'
import { powerMeter } from './power-meter.ts'
import type { Context, Model, Nature } from './model.ts'
import { powerSwitch } from './power-switch.ts'
import { runModel, nature } from './testing.ts'

const january = Date.UTC(2026, 0, 14)
const context = (device: Nature, now = january): Context => ({
  ...{ now, elapsed: 60, random: generator('x'), device, speed: 1, supply: {} },
})

/** A model with a setting applied from the start. */
function set<S>(model: Model<S>, name: string, args: Record<string, unknown>): Model<S> {
  return {
    ...model,
    start: (current) => {
      const answer = model.commands![name]!(model.start(current), current, args)
      assert.equal(answer.status, 'confirmed')
      assert.ok(answer.next! > 0, 'it reports what it is now soon')
      return answer.state
    },
  }
}

const settings = [
  ['setChMax', { chSetPoint: 48 }, { chMax: 48 }],
  ['setDhwSetPoint', { dhwSetPoint: 60 }, { dhwSetPoint: 60 }],
  ['setChLimit', { isLimited: true }, { chLimit: true }],
  ['setBuzzer', { isLimited: true }, { buzzer: true }],
] as const
for (const [name, args, state] of settings)
  test(`${name} is reported by boilers and heat pumps, and an invalid value is rejected`, () => {
    for (const [model, device] of [
      [boiler, nature({ model: 'boiler' })],
      [heatPump, nature({ model: 'airSourceHeatPump' })],
    ] as const) {
      const changed = set(model as Model<unknown>, name, args)
      const [outcome] = runModel(changed, device, { from: january, steps: 1, seconds: 60 })
      assert.deepEqual({ ...State.parse(outcome!.reported), ...state }, outcome!.reported)
      const answer = (model as Model<unknown>).commands![name]!(model.start(context(device)), context(device), {})
      assert.equal(answer.status, 'failed')
    }
  })

const day = { from: january, steps: 24 * 12, seconds: 300 }

test('CH max caps the flow to the radiators, and the CH limit holds it at 45 °C', () => {
  // An empty property uses no hot water, whose flow would be hotter.
  const device = nature({ model: 'boiler', traits: { occupants: 0, roomTemperature: 21 } })
  const hottest = (model: Model<BoilerState>) =>
    Math.max(...runModel(model, device, day).map(({ readings }) => readings.flowTemperature!))
  assert.ok(hottest(boiler) > 55)
  assert.ok(hottest(set(boiler, 'setChMax', { chSetPoint: 50 })) < 53)
  assert.ok(hottest(set(boiler, 'setChLimit', { isLimited: true })) < 48)
})

test('the DHW set point changes the cylinder temperature', () => {
  const device = nature({ model: 'airSourceHeatPump' })
  const warmest = (dhwSetPoint: number) =>
    Math.max(
      ...runModel(set(heatPump, 'setDhwSetPoint', { dhwSetPoint }), device, day).map(
        ({ readings }) => readings.dhwTemperature!,
      ),
    )
  const [low, high] = [warmest(42), warmest(60)]
  assert.ok(low < 50 && high > 55, `${low} and ${high} °C`)
})

test('a heat pump turned off by its power switch uses no electricity; the immersion heater warms the cylinder', () => {
  const device = nature({ model: 'airSourceHeatPump' })
  const off = runModel(heatPump, device, { ...day, supply: { 1: false } })
  for (const { readings } of off) assert.deepEqual([readings.electricityConsumption, readings.compressorSpeed], [0, 0])
  const immersion = runModel(heatPump, device, { ...day, supply: { 1: false, 2: true } })
  const takes = (outcomes: typeof off) => new Set(outcomes.map(({ readings }) => readings.immersionPower))
  assert.deepEqual(takes(off), new Set([undefined]))
  assert.deepEqual(takes(runModel(heatPump, device, { ...day, supply: { 2: false } })), new Set([0]))
  assert.deepEqual(takes(immersion), new Set([0, 3]))
  assert.ok(off.at(-1)!.readings.dhwTemperature! < immersion.at(-1)!.readings.dhwTemperature! - 5)
})

test("a power switch turns its relays, and the property's other devices are informed", () => {
  const device = nature({ model: 'powerSwitch', product: 'PS', traits: { relay2: false } })
  const state = powerSwitch.start(context(device))
  const answer = powerSwitch.commands!['setRelay']!(state, context(device), { relay: '2', on: true })
  const { supply, reported } = powerSwitch.step(answer.state, context(device))
  assert.deepEqual(
    [supply, reported['relays']],
    [
      { 1: true, 2: true },
      { 1: true, 2: true },
    ],
  )
  const unknown = powerSwitch.commands!['setRelay']!(state, context(device), { relay: '3', on: true })
  assert.deepEqual([unknown.status, unknown.message], ['failed', 'TEST1 has no relay 3'])
})

test('a boiler of an empty property held at 10 °C burns for the commanded time when it is fired, and then stops', () => {
  const device = nature({ model: 'boiler', traits: { occupants: 0 } })
  const held = set(boiler, 'setChMax', { chSetPoint: 10 })
  const fired = set(held, 'fireBoiler', { minutes: 5 })
  const burns = (model: Model<BoilerState>) =>
    runModel(model, device, { from: january, steps: 12, seconds: 60 }).map(
      ({ readings, reported }) => [readings.modulation! > 0, reported['firing']] as const,
    )
  assert.ok(burns(held).every(([lit, firing]) => !lit && firing === undefined))
  const burning = burns(fired)
  assert.deepEqual(
    [burning[1], burning[4]],
    [
      [true, true],
      [true, true],
    ],
  )
  assert.deepEqual(burning.at(-1), [false, false])
  const locked = nature({ model: 'boiler', story: 'boiler lockout' })
  const answer = boiler.commands!['fireBoiler']!(boiler.start(context(locked)), context(locked), { minutes: 5 })
  assert.deepEqual([answer.status, answer.message], ['failed', 'The boiler is locked out'])
})

test('a power meter of model F cuts the electricity of its property, and leaves it off for an engineer when released', () => {
  const device = nature({ model: 'powerMeter', product: 'PM', serial: 'PMF000001X' })
  const supplyOf = (model: typeof powerMeter) => {
    const { readings, reported } = runModel(model, device, { from: january, steps: 1, seconds: 60 })[0]!
    return [readings.power! > 0, reported['supplyHeld'], reported['supply']]
  }
  const cut = set(powerMeter, 'setSupplyHold', { isHeld: true })
  assert.deepEqual(supplyOf(powerMeter), [true, false, true])
  assert.deepEqual(supplyOf(cut), [false, true, false])
  assert.deepEqual(supplyOf(set(cut, 'setSupplyHold', { isHeld: false })), [false, false, false])
  const other = nature({ model: 'powerMeter', product: 'PM', serial: 'PMA000001X' })
  const answer = powerMeter.commands!['setSupplyHold']!(powerMeter.start(context(other)), context(other), {
    isHeld: true,
  })
  assert.equal(answer.status, 'failed')
})
