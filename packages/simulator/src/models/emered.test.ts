import assert from 'node:assert/strict'
import { test } from 'vitest'
import { Test } from '@caretaker/contract/mqtt/payloads.ts'
import { testTypes } from '@caretaker/rules/lighting/tests.ts'
import { verdictOf } from '@caretaker/rules/lighting/verdict.ts'
import type { TestType } from '@caretaker/rules/lighting/tests.ts'
import type { Random } from '../random.ts'
import { generator } from '../random.ts'
import type { EmeredState } from './emered.ts'
import { emered } from './emered.ts'
import type { Context, Nature, Readings, TestMessage } from './model.ts'
import { runModel, nature } from './testing.ts'

const from = Date.UTC(2026, 10, 20, 9)
const seconds: Record<TestType, number> = { T0: 10, T5: 300, T60: 3600, T180: 10_800 }

/** Starts a test of a charged light and runs it at its own pace until it ends. */
function tested(device: Nature, testType: TestType, speed = 1) {
  const random: Random = generator(`${device.deviceId} test`)
  const context = (now: number, elapsed: number): Context => ({ now, elapsed, random, device, speed, supply: {} })
  let state: EmeredState = emered.start(context(from, 0))
  const answer = emered.commands!['runTest']!(state, context(from, 0), { testType })
  assert.equal(answer.status, 'confirmed')
  state = answer.state
  const first = answer.tests![0]!
  const readings: Readings[] = []
  let now = from
  let next = answer.next
  let last: TestMessage | undefined
  while (!last) {
    assert.ok(next !== undefined && next > 0, 'a running test asks for its next step')
    now += next * 1000
    const outcome = emered.step(state, context(now, next))
    state = outcome.state
    next = outcome.next
    readings.push(outcome.readings)
    last = outcome.tests?.[0]
  }
  return { first, last, readings, state, took: (now - from) / 1000, context }
}

test('a healthy light passes every test, and reports it under the id of the start', () => {
  for (const testType of testTypes) {
    const { first, last, took } = tested(nature({ model: 'emered' }), testType)
    assert.deepEqual(
      { ...first, eventId: '' },
      { eventId: '', testType, start: from, componentStates: {}, series: [] },
      'the beginning has no result yet',
    )
    assert.equal(last.eventId, first.eventId)
    assert.equal(last.start, first.start)
    assert.equal(last.result, 'Passed')
    assert.deepEqual(last.componentStates, { Battery: 'Ok', Inverter: 'Ok', Lamp: 'Ok', Emered: 'Ok' })
    assert.equal(last.series.at(-1)!.seconds, seconds[testType])
    assert.ok(took >= seconds[testType] && took < seconds[testType] + 61, `${testType} took ${took} s`)
    Test.parse(first)
    Test.parse(last)
  }
})

test('speed shortens the long tests, but neither the flick test nor the results', () => {
  assert.ok(tested(nature({ model: 'emered' }), 'T0', 600).took >= 10)
  const quick = tested(nature({ model: 'emered' }), 'T180', 600)
  assert.ok(quick.took < 25, `${quick.took} s`)
  assert.deepEqual(quick.last.series, tested(nature({ model: 'emered' }), 'T180').last.series)
})

test('the battery voltage never rises during a test, and a weaker battery never lasts longer', () => {
  let lasted = Infinity
  for (let health = 1; health > 0.02; health -= 0.07) {
    const { last } = tested(nature({ model: 'emered', traits: { batteryHealth: health } }), 'T180', 600)
    const voltages = last.series.map(({ batteryVoltage }) => batteryVoltage)
    for (const [index, voltage] of voltages.entries()) assert.ok(index === 0 || voltage <= voltages[index - 1]!)
    const end = last.series.at(-1)!.seconds
    assert.ok(end <= lasted)
    lasted = end
    const { Battery } = last.componentStates
    assert.equal(Battery === 'Failed', end < seconds.T180, `health ${health}`)
    assert.equal(last.result, Battery === 'Failed' ? 'Failed' : Battery === 'Degraded' ? 'Degraded' : 'Passed')
  }
})

test('the light of the story fails its T180 because of its battery, and passes a flick test', () => {
  const device = nature({ model: 'emered', story: 'failed T180' })
  const { last } = tested(device, 'T180', 600)
  assert.equal(last.result, 'Failed')
  assert.equal(last.componentStates.Battery, 'Failed')
  assert.equal(tested(device, 'T0').last.result, 'Passed')
})

test('a dead lamp, a dim lamp and a dead inverter are detected and named', () => {
  const found = (traits: Nature['traits']) => {
    const { last, readings } = tested(nature({ model: 'emered', traits }), 'T0')
    return { ...last, lampPower: readings[0]!.lampPower }
  }
  const dead = found({ lampHealth: 0 })
  assert.deepEqual([dead.result, dead.componentStates.Lamp, dead.lampPower], ['Failed', 'Failed', 0])
  const dim = found({ lampHealth: 0.5 })
  assert.deepEqual([dim.result, dim.componentStates.Lamp], ['Degraded', 'Degraded'])
  const dark = found({ inverterFailed: true })
  assert.deepEqual([dark.result, dark.componentStates.Inverter, dark.lampPower], ['Failed', 'Failed', 0])
})

test('during a test the battery drains and the lamp is lit; afterwards it charges until full', () => {
  const { readings, state, context } = tested(nature({ model: 'emered' }), 'T60', 60)
  assert.ok(readings.every(({ lampPower, chargeCurrent }) => lampPower! > 0 && chargeCurrent! < 0))
  assert.ok(state.charge < 0.8)
  let charge = state.charge
  let current: EmeredState = state
  for (let hour = 0; hour < 24; hour++) {
    const outcome = emered.step(current, { ...context(from, 3600), speed: 1 })
    assert.ok(outcome.state.charge >= charge)
    assert.ok(outcome.readings.chargeCurrent! > 0 && outcome.readings.lampPower === 0)
    charge = outcome.state.charge
    current = outcome.state
  }
  assert.equal(charge, 1)
})

test('only a maintained light is lit in normal operation', () => {
  const power = (traits: Nature['traits']) =>
    runModel(emered, nature({ model: 'emered', traits }), { from, steps: 5, seconds: 60 }).at(-1)!.readings.lampPower!
  assert.equal(power({}), 0)
  assert.ok(power({ maintained: true, lampPower: 6 }) > 5)
})

test('the verdict rule confirms the result that the light reports, and the report names the run', () => {
  const wears: Nature['traits'][] = [{}, { batteryHealth: 0.5 }, { lampHealth: 0 }, { inverterFailed: true }]
  for (const traits of wears)
    for (const testType of ['T0', 'T180'] as const) {
      const { last } = tested(nature({ model: 'emered', traits }), testType, 600)
      const { failure, emergency } = last.statusBits!
      const { result: word, componentStates, series } = last
      const verdict = verdictOf({
        ...{ testType, word, componentStates, series, nominalVoltage: 3.6 },
        ...{ failureStatus: failure, emergencyStatus: emergency },
      })
      assert.equal(verdict.kind === 'result' && verdict.result, word, `${testType} ${JSON.stringify(traits)}`)
    }
  const random = generator('runs')
  const context: Context = { now: from, elapsed: 0, random, device: nature({ model: 'emered' }), speed: 1, supply: {} }
  const run = emered.commands!['runTest']!
  const answer = run(emered.start(context), context, { testType: 'T0', runId: 'a run' })
  assert.equal(answer.tests![0]!.runId, 'a run')
})

test('a duration test is refused while the battery is not full; the light of the story never starts its tests', () => {
  const context: Context = {
    ...{ now: from, elapsed: 0, random: generator('y'), device: nature({ model: 'emered' }), speed: 1, supply: {} },
  }
  const run = emered.commands!['runTest']!
  const used = { ...emered.start(context), charge: 0.7 }
  const refused = run(used, context, { testType: 'T180' })
  assert.deepEqual([refused.status, refused.message], ['failed', 'The battery is not full'])
  assert.equal(run(used, context, { testType: 'T5' }).status, 'confirmed')
  const device = nature({ model: 'emered', story: 'missed test' })
  for (const testType of ['T0', 'T180'] as const) {
    const { state, tests, status } = run(emered.start(context), { ...context, device }, { testType })
    assert.deepEqual([status, state.test], ['confirmed', undefined])
    const { failure, emergency } = Test.parse(tests![0]).statusBits!
    const verdict = verdictOf({
      testType,
      componentStates: {},
      series: [],
      failureStatus: failure,
      emergencyStatus: emergency,
    })
    assert.equal(verdict.kind, 'missed')
  }
})

test('an unknown test and a second test at once are refused with the reason', () => {
  const device = nature({ model: 'emered' })
  const context: Context = { now: from, elapsed: 0, random: generator('x'), device, speed: 1, supply: {} }
  const run = emered.commands!['runTest']!
  const rested = emered.start(context)
  assert.match(run(rested, context, { testType: 'T7' }).message!, /T0, T5, T60, T180/)
  assert.equal(run(rested, context, {}).status, 'failed')
  const running = run(rested, context, { testType: 'T5' }).state
  const second = run(running, context, { testType: 'T0' })
  assert.deepEqual([second.status, second.message, second.tests], ['failed', 'T5 is still running', undefined])
})

test('a light that is switched off during a test reports that the test failed to complete', () => {
  const device = nature({ model: 'emered' })
  const context: Context = { now: from, elapsed: 0, random: generator('x'), device, speed: 1, supply: {} }
  const { state, tests } = emered.commands!['runTest']!(emered.start(context), context, { testType: 'T180' })
  const [last] = emered.interrupt!(state, context)
  assert.equal(last!.result, 'Indeterminate')
  assert.equal(last!.eventId, tests![0]!.eventId)
  assert.deepEqual(emered.interrupt!(emered.start(context), context), [])
})

test('a stopped test has its readings so far, and the next test can start', () => {
  const device = nature({ model: 'emered' })
  const random: Random = generator('stopped')
  const context = (now: number, elapsed: number): Context => ({ now, elapsed, random, device, speed: 60, supply: {} })
  const command = (state: EmeredState, name: string, at: number) =>
    emered.commands![name]!(state, context(at, 0), { testType: 'T180' })
  const begun = command(emered.start(context(from, 0)), 'runTest', from)
  const { state } = emered.step(begun.state, context(from + 10_000, 10))
  const stopped = command(state, 'stopTest', from + 10_000)
  assert.equal(stopped.status, 'confirmed')
  const [message] = stopped.tests!
  assert.deepEqual(
    [message!.eventId, message!.result, message!.series.length],
    [begun.tests![0]!.eventId, 'Indeterminate', 10],
  )
  Test.parse(message)
  assert.equal(stopped.state.test, undefined)
  assert.deepEqual(command(stopped.state, 'stopTest', from + 10_000).message, 'No test is running')
})
