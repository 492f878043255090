import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { ComponentState, TestType } from './tests.ts'
import { componentStates, components, minutesOf, testResults, testTypes } from './tests.ts'
import type { TestEvidence, Verdict } from './verdict.ts'
import { burned, emergencyBits, failureBits, verdictOf } from './verdict.ts'

const bit = (...bits: number[]) => bits.reduce((byte, one) => byte | (1 << one), 0)
/** A curve that ends after so many minutes, a point a minute, falling from one voltage to another. */
const curve = (minutes: number, from = 4, to = 3.7) =>
  Array.from({ length: minutes + 1 }, (_, minute) => ({
    seconds: minute * 60,
    batteryVoltage: from - ((from - to) * minute) / Math.max(1, minutes),
  }))
const told = (testType: TestType, more: Partial<TestEvidence> = {}): TestEvidence => ({
  testType,
  componentStates: {},
  series: [],
  ...more,
})
const short = (verdict: Verdict) => (verdict.kind === 'missed' ? ['missed'] : [verdict.result, verdict.reason])
const { functionResultValid, durationResultValid } = emergencyBits
const fine = 'Device successfully completed test.'
const failed = (names: string) => ['Failed', `Predicted Failed Components: ${names}.`]

test('a light that went out early has failed by its battery, whatever it says of itself', () => {
  const word = 'Passed'
  assert.deepEqual(short(verdictOf(told('T180', { word, series: curve(112) }))), failed('Battery'))
  const states = { Battery: 'Ok', Lamp: 'Ok' } as const
  assert.deepEqual(
    short(verdictOf(told('T180', { word, componentStates: states, series: curve(179) }))),
    failed('Battery'),
  )
  assert.deepEqual(short(verdictOf(told('T60', { word, series: curve(59) }))), failed('Battery'))
  assert.deepEqual(short(verdictOf(told('T180', { word, series: curve(180) }))), ['Passed', fine])
  assert.deepEqual(short(verdictOf(told('T180', { durationResult: 89, emergencyStatus: bit(2) }))), failed('Battery'))
  assert.deepEqual(short(verdictOf(told('T180', { durationResult: 95, emergencyStatus: bit(2) }))), ['Passed', fine])
})

test('one with less than a twentieth of its time in reserve is degraded', () => {
  const degraded = ['Degraded', 'Predicted degraded Components: Battery.']
  assert.deepEqual(short(verdictOf(told('T180', { word: 'Passed', series: curve(186) }))), degraded)
  assert.deepEqual(short(verdictOf(told('T180', { word: 'Passed', series: curve(189) }))), ['Passed', fine])
  // 3.6 V are empty at 3.0: at 3.02, falling by 1 mV a minute or more, nothing is left.
  const series = curve(180, 4, 3.02)
  assert.deepEqual(short(verdictOf(told('T180', { word: 'Passed', series, nominalVoltage: 3.6 }))), degraded)
  assert.deepEqual(short(verdictOf(told('T180', { word: 'Passed', series }))), ['Passed', fine])
  const steady = curve(180, 4, 3.6)
  assert.deepEqual(short(verdictOf(told('T180', { word: 'Passed', series: steady, nominalVoltage: 3.6 }))), [
    'Passed',
    fine,
  ])
  assert.deepEqual(short(verdictOf(told('T180', { durationResult: 92, emergencyStatus: bit(2) }))), degraded)
})

test('each failure bit names its part, and only of the test that it is about', () => {
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
      const verdict = short(verdictOf(told(type, { word, failureStatus: bit(...bits), emergencyStatus: bit(1, 2) })))
      const said = word === 'Failed' && expected[0] === 'Passed' ? ['Failed', '-'] : expected
      assert.deepEqual(verdict, said, `${type} ${bits.join()}`)
    }
})

test('a test that the light could not begin in its time has no result', () => {
  assert.deepEqual(short(verdictOf(told('T0', { failureStatus: bit(4) }))), ['missed'])
  assert.deepEqual(short(verdictOf(told('T180', { word: 'Failed', failureStatus: bit(5) }))), ['missed'])
  // Of another test.
  assert.deepEqual(short(verdictOf(told('T0', { word: 'Passed', failureStatus: bit(5) }))), ['Passed', fine])
  // It was done after all.
  const done = { failureStatus: bit(4), emergencyStatus: bit(functionResultValid) }
  assert.deepEqual(short(verdictOf(told('T0', done))), ['Passed', fine])
})

test('while nothing is said the result waits; what has no measurement stays as it was told', () => {
  assert.deepEqual(short(verdictOf(told('T180'))), ['AwaitingAnalysis', '-'])
  assert.deepEqual(short(verdictOf(told('T180', { emergencyStatus: bit(functionResultValid) }))), [
    'AwaitingAnalysis',
    '-',
  ])
  const series = curve(20)
  for (const word of ['AwaitingReview', 'Suppressed', 'Indeterminate'] as const)
    assert.deepEqual(short(verdictOf(told('T180', { word, series }))), [word, '-'])
})

test('a word that nothing shows is no result, unless it is the bad one', () => {
  const nothing = (word: string) => ['Indeterminate', `The light sent nothing that shows it ${word}.`]
  for (const word of ['Passed', 'Degraded'] as const)
    assert.deepEqual(short(verdictOf(told('T180', { word }))), nothing(word))
  assert.deepEqual(short(verdictOf(told('T180', { word: 'Failed' }))), ['Failed', '-'])
  const invalid = verdictOf(told('T180', { word: 'Passed', series: curve(180), emergencyStatus: 0 }))
  assert.deepEqual(short(invalid), ['Indeterminate', 'The light says that it has no valid result of this test.'])
  const valid = { series: curve(180), emergencyStatus: bit(durationResultValid) }
  assert.deepEqual(short(verdictOf(told('T180', { word: 'Passed', ...valid }))), ['Passed', fine])
})

/** Every kind of evidence in turn, chosen by a number. */
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
  return told(testType, {
    word,
    series: minutes < 0 ? [] : curve(minutes),
    failureStatus: pick([undefined, 0, 1, 2, 4, 8, 16, 32, 64, 128, 255]),
    emergencyStatus: pick([undefined, 0, 2, 4, 6, 48]),
    componentStates: Object.fromEntries(
      components.flatMap((component, at) => (at < 2 ? [[component, pick(states)]] : [])).filter(([, state]) => state),
    ),
  })
}

test('whatever a light sends: no failed part passes, none gets better than told, and what burned too short never passes', () => {
  for (let n = 0; n < 4 * 8 * 9 * 11 * 6 * 16; n += 7) {
    const evidence = anyEvidence(n)
    const verdict = verdictOf(evidence)
    if (verdict.kind === 'missed') continue
    const { result, componentStates: states } = verdict
    if (result === 'Passed') assert.ok(!Object.values(states).some((state) => state !== 'Ok'))
    if (result === 'Passed' || result === 'Degraded') {
      assert.ok(!Object.values(states).includes('Failed'))
      const lasted = burned(evidence)
      assert.ok(lasted === undefined || lasted >= minutesOf[evidence.testType] * 60)
    }
    for (const component of components)
      if (evidence.componentStates[component] === 'Failed') assert.equal(states[component], 'Failed')
    if (evidence.word === 'Failed') assert.equal(result, 'Failed')
    // The same evidence always gives the same.
    assert.deepEqual(verdictOf(evidence), verdict)
  }
})
