import assert from 'node:assert/strict'
import { test } from 'vitest'
import { generator } from '../random.ts'
import { autofill } from './autofill.ts'
import { boiler } from './boiler.ts'
import { heatPump, performance } from './heat-pump.ts'
import { runModel, nature } from './testing.ts'

const january = Date.UTC(2026, 0, 14)
const day = { steps: 24 * 12, seconds: 300 }
const monthOf = (from: number) => ({ from, steps: 30 * 24, seconds: 3600 })

test('on a winter day the burner follows the programme, rests at night, and the flow stays warmer than the return', () => {
  const outcomes = runModel(boiler, nature({ model: 'boiler' }), { from: january, ...day })
  const burning = (fromHour: number, toHour: number) =>
    outcomes.filter(({ now, readings }) => {
      const hour = (now - january) / 3_600_000
      return hour >= fromHour && hour < toHour && readings.modulation! > 0
    }).length
  assert.ok(burning(16, 22) > 20)
  assert.ok(burning(0.5, 4.5) < 5)
  for (const { readings } of outcomes) {
    assert.ok(readings.returnTemperature! <= readings.flowTemperature!)
    assert.ok(readings.flowTemperature! > 5 && readings.flowTemperature! < 90)
    assert.ok(readings.systemPressure! > 1 && readings.systemPressure! < 2.2)
  }
})

test('counters only grow, and a winter month burns more than a summer month', () => {
  const hours = (from: number) => {
    const outcomes = runModel(boiler, nature({ model: 'boiler' }), monthOf(from))
    for (const key of ['burnerHours', 'burnerStarts', 'pumpHours'] as const)
      for (const [index, { readings }] of outcomes.entries())
        assert.ok(index === 0 || readings[key]! >= outcomes[index - 1]!.readings[key]!)
    return outcomes.at(-1)!.readings.burnerHours! - outcomes[0]!.readings.burnerHours!
  }
  const [winter, summer] = [hours(january), hours(Date.UTC(2026, 6, 1))]
  assert.ok(winter > 90 && winter < 500, `${winter} h`)
  assert.ok(summer < winter / 2, `${summer} h`)
})

test('in lockout the burner stays off, the circuit cools, and the fault is reported once as resettable', () => {
  const device = nature({ model: 'boiler', story: 'boiler lockout', traits: { faultSince: january - 3_600_000 } })
  const outcomes = runModel(boiler, device, { from: january, ...day })
  assert.ok(outcomes.every(({ readings }) => readings.modulation === 0 && readings.flowTemperature! < 30))
  const events = outcomes.flatMap((one) => one.events)
  assert.equal(events.length, 1)
  assert.equal(events[0]!.severity, 'High')
  assert.equal(events[0]!.start, january - 3_600_000)
  const { faultCode, fault } = outcomes[5]!.reported as { faultCode: string; fault: Record<string, unknown> }
  assert.notEqual(faultCode, 'None')
  assert.equal(fault['isResettable'], true)
  assert.equal(fault['faultSource'], 'boiler')
  const again = runModel(boiler, device, { from: january + 86_400_000, steps: 1, seconds: 60 })
  assert.equal(again[0]!.events[0]!.eventId, events[0]!.eventId, 'after a restart it is the same fault')
})

test('a healthy boiler has no fault', () => {
  const [outcomes] = runModel(boiler, nature({ model: 'boiler' }), { from: january, steps: 1, seconds: 60 })
  assert.deepEqual([outcomes!.reported['faultCode'], outcomes!.reported['fault'], outcomes!.events], ['None', null, []])
})

test('a heat pump delivers more heat than it consumes, less in colder weather, and keeps the cylinder hot', () => {
  assert.ok(performance(-5, 50) < performance(10, 35))
  const outcomes = runModel(heatPump, nature({ model: 'airSourceHeatPump' }), { from: january, ...day })
  const running = outcomes.filter(({ readings }) => readings.compressorSpeed! > 0)
  assert.ok(running.length > 20)
  for (const { readings } of running) {
    assert.ok(readings.heatOutput! > readings.electricityConsumption!)
    assert.ok(readings.flowRate! > 0)
  }
  for (const { readings } of outcomes) {
    assert.ok(readings.dhwTemperature! > 35 && readings.dhwTemperature! < 60)
    if (readings.compressorSpeed === 0) assert.ok(readings.electricityConsumption! < 0.1)
  }
})

test('an autofill replaces leaked water; a failed one does not and reports why', () => {
  const year = { from: january, steps: 300, seconds: 86_400 }
  for (const { readings } of runModel(autofill, nature({ model: 'autofill' }), year))
    assert.ok(readings.systemPressure! > 0.9 && readings.systemPressure! < 1.6)
  const failed = runModel(autofill, nature({ model: 'autofill', story: 'failed autofill' }), year)
  assert.ok(failed.every(({ readings }) => readings.systemPressure! < 0.5))
  assert.equal(failed.flatMap((one) => one.events).length, 1)
  assert.equal((failed[0]!.reported['fault'] as Record<string, unknown>)['faultSource'], 'autofill')
})

test('a property whose boiler failed an hour ago is still warm and gets colder', () => {
  const from = january + 20 * 3_600_000
  const device = nature({ model: 'boiler', story: 'boiler lockout', traits: { faultSince: from - 3_600_000 } })
  const outcomes = runModel(boiler, device, { from, steps: 24, seconds: 3600 })
  const [first, last] = [outcomes[0]!.state.room, outcomes.at(-1)!.state.room]
  assert.ok(first > 18 && last < first - 4, `${first} to ${last} °C`)
})

test('the settings of a boiler affect its next burn: hot water, radiators and their limit', () => {
  /** The burner state of a property with a heat demand, one second after the boiler was set and reset. */
  const burner = (
    callsFor: 'hot water' | 'radiators',
    flowTemperature: number,
    commands: Readonly<Record<string, Record<string, unknown>>>,
  ) => {
    const traits = { callsFor, flowTemperature, chMax: 52, dhwSetPoint: 48, chLimit: true, faultSince: january - 1000 }
    // So far north that it is cold in every month.
    const place = { latitude: 80, longitude: 0 }
    const device = nature({ model: 'boiler', story: 'boiler lockout', traits, place })
    const context = { now: january, elapsed: 1, random: generator('burner'), device, speed: 1, supply: {} }
    let state = boiler.start({ ...context, elapsed: 0 })
    for (const [name, args] of Object.entries(commands)) state = boiler.commands![name]!(state, context, args).state
    return boiler.step(state, context).readings.modulation! > 0
  }
  const resetBoiler = {}
  const setDhwSetPoint = { dhwSetPoint: 60 }
  assert.equal(burner('hot water', 62, { resetBoiler }), false, 'the water is hot enough')
  assert.equal(burner('hot water', 62, { setDhwSetPoint }), false, 'it is locked out')
  assert.equal(burner('hot water', 62, { resetBoiler, setDhwSetPoint }), true)
  const setChMax = { chSetPoint: 58 }
  const setChLimit = { isLimited: false }
  assert.equal(burner('radiators', 46, { resetBoiler, setChMax }), false, 'it is limited')
  assert.equal(burner('radiators', 46, { resetBoiler, setChLimit }), false, 'its most is reached')
  assert.equal(burner('radiators', 46, { resetBoiler, setChMax, setChLimit }), true)
})

test('an autofill that was reset fills the system to its pressure', () => {
  const device = nature({ model: 'autofill', story: 'failed autofill' })
  const context = { now: january, elapsed: 1, random: generator('autofill'), device, speed: 1, supply: {} }
  const failed = autofill.step(autofill.start({ ...context, elapsed: 0 }), context)
  assert.ok(failed.readings.systemPressure! < 0.5)
  const { state } = autofill.commands!['resetAutofill']!(failed.state, context, {})
  const filled = autofill.step(state, context)
  assert.ok(filled.readings.systemPressure! > 1.4)
  assert.ok(filled.readings.waterFilled! > failed.readings.waterFilled! + 2)
})
