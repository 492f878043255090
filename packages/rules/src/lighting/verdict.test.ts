import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { ComponentState, TestType } from './tests.ts'
import { componentStates, components, minutesOf, testResults, testTypes } from './tests.ts'
import { curve, dark, evidenceRows, failed, fine, evidenceOf } from './evidence-rows.ts'
import type { TestEvidence, Verdict } from './verdict.ts'
import { earliestClock } from '../calendar/device-clock.ts'
import { emergencyBits, endVoltageOf, failureBits, isClockWrong, litOf, verdictOf } from './verdict.ts'

const bit = (...bits: number[]) => bits.reduce((byte, one) => byte | (1 << one), 0)
const short = (verdict: Verdict) => (verdict.kind === 'missed' ? ['missed'] : [verdict.result, verdict.reason])
const { functionResultValid } = emergencyBits

test('the verdict follows from the evidence, whatever the light reports', () => {
  for (const [name, evidence, verdict] of evidenceRows) assert.deepEqual(short(verdictOf(evidence)), verdict, name)
})

test('the lit duration of a lamp is measured, with the reason why the evidence ends', () => {
  assert.deepEqual(litOf(evidenceOf('T180', { series: dark(130) })), { seconds: 7800, end: 'dark', isEmpty: true })
  assert.deepEqual(litOf(evidenceOf('T180', { series: dark(130, 131, { pLive: 4 }), nominalVoltage: 3.6 })), {
    ...{ seconds: 7800, end: 'ended', isEmpty: false },
  })
  assert.deepEqual(litOf(evidenceOf('T180', { series: curve(112) })).end, 'no further evidence')
  assert.deepEqual(litOf(evidenceOf('T180')), { seconds: undefined, end: 'no further evidence', isEmpty: false })
})

test('the end voltage comes from the label of the battery, else from one cell of its type', () => {
  const volts = (nominalVoltage: number | null, batteryType?: TestEvidence['batteryType']) =>
    Math.round(endVoltageOf({ nominalVoltage, batteryType }) * 100) / 100
  assert.deepEqual([volts(3.6), volts(3.6, 'Nickel Cadmium'), volts(12, 'Lead Acid')], [3, 3, 10.5])
  assert.deepEqual([volts(3.2, 'Lithium Ion'), volts(6.4, 'Lithium Ion')], [2.5, 5])
  assert.deepEqual([volts(null, 'Nickel Metal Hydride'), volts(null)], [1, 0.8])
})

test('a clock before 2015, before the light existed, or in the future is wrong', () => {
  const receivedAt = Date.UTC(2026, 10, 22, 8)
  const since = Date.UTC(2026, 0, 1)
  const isWrong = (start: number, seconds?: number, existsSince: number | undefined = since) =>
    isClockWrong({ start, seconds }, { receivedAt, existsSince })
  assert.equal(isWrong(receivedAt - 3 * 3_600_000, 10_800), false)
  assert.equal(isWrong(receivedAt + 4 * 60_000), false)
  assert.equal(isWrong(receivedAt + 6 * 60_000), true)
  // Longer than the time since its start.
  assert.equal(isWrong(receivedAt - 3_600_000, 10_800), true)
  for (const start of [0, Date.UTC(2000, 0, 1), earliestClock - 1]) assert.equal(isWrong(start, 10, undefined), true)
  assert.equal(isWrong(since - 1, 10), true)
  assert.equal(isClockWrong({ start: since - 1, seconds: 10 }, { receivedAt, existsSince: undefined }), false)
})

test('a battery with less than a twentieth of its time in reserve is degraded', () => {
  const degraded = ['Degraded', 'Predicted degraded Components: Battery.']
  assert.deepEqual(short(verdictOf(evidenceOf('T180', { word: 'Passed', series: curve(186) }))), degraded)
  assert.deepEqual(short(verdictOf(evidenceOf('T180', { word: 'Passed', series: curve(189) }))), ['Passed', fine])
  // The end voltage of 3.6 V is 3.0: at 3.02, falling by 1 mV a minute or more, nothing is left.
  const series = curve(180, 4, 3.02)
  assert.deepEqual(short(verdictOf(evidenceOf('T180', { word: 'Passed', series, nominalVoltage: 3.6 }))), degraded)
  assert.deepEqual(short(verdictOf(evidenceOf('T180', { word: 'Passed', series }))), ['Passed', fine])
  const steady = curve(180, 4, 3.6)
  assert.deepEqual(short(verdictOf(evidenceOf('T180', { word: 'Passed', series: steady, nominalVoltage: 3.6 }))), [
    'Passed',
    fine,
  ])
  assert.deepEqual(short(verdictOf(evidenceOf('T180', { durationResult: 92, emergencyStatus: bit(2) }))), degraded)
})

test('each failure bit concerns its part, and only in its own test', () => {
  const { circuit, battery, batteryDuration, lamp, functionTestFailed, durationTestFailed } = failureBits
  const rows: [TestType, number[], string[]][] = [
    ['T0', [circuit], failed('Inverter')],
    ['T0', [battery], failed('Battery')],
    ['T0', [lamp], failed('Lamp')],
    ['T0', [circuit, lamp, functionTestFailed], failed('Inverter, Lamp')],
    ['T0', [functionTestFailed], failed('Emered')],
    ['T0', [durationTestFailed, batteryDuration], ['Passed', fine]],
    ['T180', [batteryDuration], failed('Battery')],
    ['T180', [batteryDuration, durationTestFailed], failed('Battery')],
    ['T180', [durationTestFailed], failed('Emered')],
    ['T180', [functionTestFailed], ['Passed', fine]],
    ['T60', [lamp], failed('Lamp')],
    ['T60', [functionTestFailed, durationTestFailed], ['Passed', fine]],
  ]
  for (const [type, bits, expected] of rows)
    for (const word of ['Passed', 'Failed'] as const) {
      const series = curve(minutesOf[type])
      const status = { failureStatus: bit(...bits), emergencyStatus: bit(1, 2) }
      const verdict = short(verdictOf(evidenceOf(type, { word, series, ...status })))
      const wanted = word === 'Failed' && expected[0] === 'Passed' ? ['Failed', '-'] : expected
      assert.deepEqual(verdict, wanted, `${type} ${bits.join()}`)
    }
})

test('a test that the light could not begin in time has no result', () => {
  assert.deepEqual(short(verdictOf(evidenceOf('T0', { failureStatus: bit(4) }))), ['missed'])
  assert.deepEqual(short(verdictOf(evidenceOf('T180', { word: 'Failed', failureStatus: bit(5) }))), ['missed'])
  // Of another test.
  assert.deepEqual(short(verdictOf(evidenceOf('T0', { word: 'Passed', failureStatus: bit(5) }))), ['Passed', fine])
  // The test was done nevertheless.
  const done = { failureStatus: bit(4), emergencyStatus: bit(functionResultValid) }
  assert.deepEqual(short(verdictOf(evidenceOf('T0', done))), ['Passed', fine])
})

/** Combinations of evidence, selected by a number. */
function anyEvidence(n: number): TestEvidence {
  let rest = n
  const pick = <T>(from: readonly T[]): T => {
    const one = from[rest % from.length]!
    rest = Math.floor(rest / from.length)
    return one
  }
  const states: readonly (ComponentState | undefined)[] = [undefined, ...componentStates]
  const testType = pick(testTypes)
  const word = pick([undefined, ...testResults])
  const minutes = pick([-1, 0, 5, 59, 60, 112, 180, 184, 200])
  const endedBy = pick([undefined, 'mains' as const])
  const goesDark = pick([false, true])
  return evidenceOf(testType, {
    word,
    endedBy,
    series: minutes < 0 ? [] : goesDark ? dark(minutes / 2, minutes) : curve(minutes),
    failureStatus: pick([undefined, 0, 1, 2, 4, 8, 16, 32, 64, 128, 255]),
    emergencyStatus: pick([undefined, 0, 2, 4, 6, 48]),
    componentStates: Object.fromEntries(
      components.flatMap((component, at) => (at < 2 ? [[component, pick(states)]] : [])).filter(([, state]) => state),
    ),
  })
}

test('for random evidence no failed part passes, no result is better than reported, and no duration passes unproved', () => {
  for (let n = 0; n < 4 * 8 * 9 * 2 * 2 * 11 * 6 * 16; n += 29) {
    const evidence = anyEvidence(n)
    const verdict = verdictOf(evidence)
    if (verdict.kind === 'missed') continue
    const { result, componentStates: states } = verdict
    if (result === 'Passed') assert.ok(!Object.values(states).some((state) => state !== 'Ok'))
    if (result === 'Passed' || result === 'Degraded') {
      assert.ok(!Object.values(states).includes('Failed'))
      const { seconds, end } = litOf(evidence)
      const asked = minutesOf[evidence.testType] * 60
      assert.ok(seconds === undefined || seconds >= asked)
      if (result === 'Passed' && asked > 0) assert.ok(seconds !== undefined && end !== 'dark')
    }
    for (const component of components)
      if (evidence.componentStates[component] === 'Failed') assert.equal(states[component], 'Failed')
    // Only if mains or a person ended the test early is the verdict milder than the report, and then inconclusive.
    if (evidence.word === 'Failed' && result !== 'Failed') {
      const { seconds, end } = litOf(evidence)
      assert.deepEqual([result, end, evidence.endedBy === 'device'], ['Indeterminate', 'ended', false])
      assert.ok(seconds! < minutesOf[evidence.testType] * 60)
    }
    // Deterministic.
    assert.deepEqual(verdictOf(evidence), verdict)
  }
})
