import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { ComponentState, TestType } from './tests.ts'
import { componentStates, components, minutesOf, testResults, testTypes } from './tests.ts'
import type { TestEvidence, Verdict } from './verdict.ts'
import { earliestClock, emergencyBits, endVoltageOf, failureBits, isClockWrong, litOf, verdictOf } from './verdict.ts'

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
const { functionResultValid } = emergencyBits

const fine = 'Device successfully completed test.'
const failed = (names: string) => ['Failed', `Predicted Failed Components: ${names}.`]
/** A curve whose lamp goes dark after so many minutes, while the readings go on to the end. */
const dark = (after: number, minutes = 180, { pLive = 0, voltage = 3.8 } = {}) =>
  Array.from({ length: minutes + 1 }, (_, minute) => ({
    seconds: minute * 60,
    batteryVoltage: voltage,
    lampPower: minute < after ? 3.1 : 0,
    pLive: minute < after ? 0 : pLive,
  }))
const notProven = (reason: string) => ['Indeterminate', reason]
const clear = emergencyBits.durationResultValid
const passedBits = { failureStatus: 0, emergencyStatus: 1 << clear }

/** What a light sends of a test, and the verdict on it. */
const rows: [name: string, evidence: TestEvidence, verdict: string[]][] = [
  ['full curve', told('T180', { word: 'Passed', series: curve(180) }), ['Passed', fine]],
  ['full curve of an hour', told('T60', { word: 'Passed', series: curve(60) }), ['Passed', fine]],
  ['full curve of five minutes', told('T5', { word: 'Passed', series: curve(5) }), ['Passed', fine]],
  [
    'lamp dark after 130 min, readings to the end',
    told('T180', { word: 'Passed', series: dark(130), nominalVoltage: 3.6 }),
    failed('Lamp'),
  ],
  ['lamp dark after 130 min, battery unknown', told('T180', { word: 'Passed', series: dark(130) }), failed('Battery')],
  ['lamp dark and curve ends there', told('T180', { word: 'Passed', series: dark(130, 131) }), failed('Battery')],
  [
    'lamp down to a tenth',
    told('T180', {
      word: 'Passed',
      series: curve(180).map((point) => ({ ...point, lampPower: point.seconds < 9000 ? 3 : 0.3 })),
    }),
    failed('Battery'),
  ],
  [
    'lamp down to a third',
    told('T180', {
      word: 'Passed',
      series: curve(180).map((point) => ({ ...point, lampPower: point.seconds < 9000 ? 3 : 1 })),
    }),
    ['Passed', fine],
  ],
  ['lamp never lit', told('T180', { word: 'Passed', series: dark(0) }), failed('Battery')],
  ['lamp dark at the rated time', told('T180', { word: 'Passed', series: dark(180) }), ['Passed', fine]],
  [
    'voltage below its end, by the label',
    told('T180', { word: 'Passed', series: curve(180, 4, 2.9), nominalVoltage: 3.6 }),
    failed('Battery'),
  ],
  [
    'voltage of lithium above its end',
    told('T180', { word: 'Passed', series: curve(180, 3.3, 2.7), nominalVoltage: 3.2, batteryType: 'Lithium Ion' }),
    ['Passed', fine],
  ],
  [
    'voltage of lithium below its end',
    told('T180', { word: 'Passed', series: curve(180, 3.3, 2.3), nominalVoltage: 3.2, batteryType: 'Lithium Ion' }),
    failed('Battery'),
  ],
  ['0.3 V without any label', told('T180', { word: 'Passed', series: curve(180, 0.4, 0.3) }), failed('Battery')],
  [
    'one cell of lead acid at 1.7 V',
    told('T180', { word: 'Passed', series: curve(180, 2, 1.7), batteryType: 'Lead Acid' }),
    failed('Battery'),
  ],
  [
    'curve ends early',
    told('T180', { word: 'Passed', series: curve(112) }),
    notProven('The evidence ends after 1 h 52 min of 3 h.'),
  ],
  [
    'curve ends a minute early',
    told('T180', { word: 'Passed', series: curve(179) }),
    notProven('The evidence ends after 2 h 59 min of 3 h.'),
  ],
  [
    'an hour ends a minute early',
    told('T60', { word: 'Passed', series: curve(59) }),
    notProven('The evidence ends after 59 min of 1 h.'),
  ],
  [
    'curve ends early, parts are well',
    told('T180', { word: 'Passed', series: curve(112), componentStates: { Battery: 'Ok' } }),
    notProven('The evidence ends after 1 h 52 min of 3 h.'),
  ],
  [
    'curve ends early, the light reports a failure',
    told('T180', { word: 'Failed', series: curve(112) }),
    ['Failed', '-'],
  ],
  [
    'ended by mains',
    told('T180', { word: 'Passed', series: curve(130), endedBy: 'mains' }),
    notProven('Ended by mains after 2 h 10 min. Repeat the test.'),
  ],
  [
    'ended by a person',
    told('T180', { word: 'Passed', series: curve(50), endedBy: 'person' }),
    notProven('Ended by a person after 50 min. Repeat the test.'),
  ],
  [
    'ended by the light',
    told('T180', { word: 'Passed', series: curve(50), endedBy: 'device' }),
    notProven('Ended by the light after 50 min. Repeat the test.'),
  ],
  [
    'mains came back by the state of the light',
    told('T180', { word: 'Passed', series: curve(130), hasMainsReturned: true }),
    notProven('Ended by mains after 2 h 10 min. Repeat the test.'),
  ],
  [
    'mains came back in the curve, lamp off',
    told('T180', { word: 'Passed', series: dark(130, 131, { pLive: 4 }), nominalVoltage: 3.6 }),
    notProven('Ended by mains after 2 h 10 min. Repeat the test.'),
  ],
  [
    'mains came back with an empty battery',
    told('T180', { word: 'Passed', series: dark(130, 131, { pLive: 4, voltage: 2.8 }), nominalVoltage: 3.6 }),
    failed('Battery'),
  ],
  [
    'dark for long before the mains came back',
    told('T180', { word: 'Passed', series: dark(90, 131), endedBy: 'mains' }),
    failed('Battery'),
  ],
  [
    'ended by mains after its time',
    told('T180', { word: 'Passed', series: curve(195), endedBy: 'mains' }),
    ['Passed', fine],
  ],
  [
    'interrupted, as the light reports',
    told('T180', { word: 'Indeterminate', series: curve(20) }),
    notProven('Ended by the light after 20 min. Repeat the test.'),
  ],
  [
    'no result, no curve, ended by a person',
    told('T180', { word: 'Indeterminate', endedBy: 'person' }),
    notProven('Ended by a person. Repeat the test.'),
  ],
  ['no result and nothing else', told('T180', { word: 'Indeterminate' }), notProven('-')],
  [
    'gap of twenty minutes',
    told('T180', { word: 'Passed', series: curve(180).filter(({ seconds }) => seconds <= 3600 || seconds >= 4800) }),
    notProven('No readings for 20 min of the test.'),
  ],
  [
    'gap of three intervals',
    told('T180', { word: 'Passed', series: curve(180).filter(({ seconds }) => seconds <= 3600 || seconds >= 3780) }),
    ['Passed', fine],
  ],
  [
    'first reading after twenty minutes',
    told('T180', { word: 'Passed', series: curve(180).filter(({ seconds }) => seconds >= 1200) }),
    notProven('No readings for 20 min of the test.'),
  ],
  [
    'two readings only',
    told('T180', { word: 'Passed', series: [curve(180)[0]!, curve(180)[180]!] }),
    notProven('No readings for 3 h of the test.'),
  ],
  [
    'duration result of 130 min beside a full curve',
    told('T180', { word: 'Passed', series: curve(180), durationResult: 65 }),
    notProven('The readings show 3 h, the duration result shows 2 h 10 min.'),
  ],
  [
    'duration result within a twentieth',
    told('T180', { word: 'Passed', series: curve(180), durationResult: 92 }),
    ['Passed', fine],
  ],
  [
    'duration result of at least 510 min',
    told('T180', { word: 'Passed', series: curve(180), durationResult: 255 }),
    ['Passed', fine],
  ],
  ['duration result of 178 min alone', told('T180', { durationResult: 89, ...passedBits }), failed('Battery')],
  ['duration result of 190 min alone', told('T180', { durationResult: 95, ...passedBits }), ['Passed', fine]],
  [
    'duration result of 130 min, ended by mains',
    told('T180', { durationResult: 65, ...passedBits, endedBy: 'mains' }),
    notProven('Ended by mains after 2 h 10 min. Repeat the test.'),
  ],
  ['own report alone', told('T180', { word: 'Passed' }), notProven('Passed by its own report, duration not reported.')],
  [
    'own report with parts',
    told('T180', { word: 'Passed', componentStates: { Battery: 'Ok', Lamp: 'Ok' } }),
    notProven('Passed by its own report, duration not reported.'),
  ],
  [
    'own report with a clear status byte',
    told('T180', { word: 'Passed', ...passedBits }),
    notProven('Passed by its own report, duration not reported.'),
  ],
  [
    'valid result by its status byte alone',
    told('T180', passedBits),
    notProven('Passed by its own report, duration not reported.'),
  ],
  [
    'own report of a worn battery',
    told('T180', { word: 'Degraded', componentStates: { Battery: 'Degraded' } }),
    ['Degraded', 'Predicted degraded Components: Battery.'],
  ],
  [
    'own report of an hour',
    told('T60', { word: 'Passed' }),
    notProven('Passed by its own report, duration not reported.'),
  ],
  [
    'own report of a function test alone',
    told('T0', { word: 'Passed' }),
    notProven('Passed by its own report, without measurements.'),
  ],
  ['function test with parts', told('T0', { word: 'Passed', componentStates: { Lamp: 'Ok' } }), ['Passed', fine]],
  [
    'function test with a failed part',
    told('T0', { word: 'Passed', componentStates: { Lamp: 'Failed' } }),
    failed('Lamp'),
  ],
  [
    'passed with a failed part',
    told('T180', { word: 'Passed', series: curve(180), componentStates: { Inverter: 'Failed' } }),
    failed('Inverter'),
  ],
  [
    'no valid result',
    told('T180', { word: 'Passed', series: curve(180), emergencyStatus: 0 }),
    notProven('The light reports that it has no valid result of this test.'),
  ],
  ['running', told('T180', { series: curve(20) }), ['AwaitingAnalysis', '-']],
  [
    'running, by its own report',
    told('T180', { word: 'AwaitingAnalysis', series: curve(20) }),
    ['AwaitingAnalysis', '-'],
  ],
  ['under review', told('T180', { word: 'AwaitingReview', series: curve(180) }), ['AwaitingReview', '-']],
  ['under review with a dark lamp', told('T180', { word: 'AwaitingReview', series: dark(130) }), failed('Battery')],
  ['suppressed with a dark lamp', told('T180', { word: 'Suppressed', series: dark(130) }), failed('Battery')],
  ['suppressed', told('T180', { word: 'Suppressed', series: curve(180) }), ['Suppressed', '-']],
  ['could not begin', told('T180', { word: 'Passed', failureStatus: 1 << 5 }), ['missed']],
  ['readings out of order', told('T180', { word: 'Passed', series: dark(130).toReversed() }), failed('Battery')],
]

test('the verdict follows from the evidence, whatever the light reports', () => {
  for (const [name, evidence, verdict] of rows) assert.deepEqual(short(verdictOf(evidence)), verdict, name)
})

test('the time for which a lamp was lit is measured, and why the evidence ends there', () => {
  assert.deepEqual(litOf(told('T180', { series: dark(130) })), { seconds: 7800, end: 'dark', isEmpty: true })
  assert.deepEqual(litOf(told('T180', { series: dark(130, 131, { pLive: 4 }), nominalVoltage: 3.6 })), {
    ...{ seconds: 7800, end: 'ended', isEmpty: false },
  })
  assert.deepEqual(litOf(told('T180', { series: curve(112) })).end, 'no further evidence')
  assert.deepEqual(litOf(told('T180')), { seconds: undefined, end: 'no further evidence', isEmpty: false })
})

test('the end voltage comes from the label of the battery, else from one cell of its type', () => {
  const volts = (nominalVoltage: number | null, batteryType?: TestEvidence['batteryType']) =>
    Math.round(endVoltageOf({ nominalVoltage, batteryType }) * 100) / 100
  assert.deepEqual([volts(3.6), volts(3.6, 'Nickel Cadmium'), volts(12, 'Lead Acid')], [3, 3, 10.5])
  assert.deepEqual([volts(3.2, 'Lithium Ion'), volts(6.4, 'Lithium Ion')], [2.5, 5])
  assert.deepEqual([volts(null, 'Nickel Metal Hydride'), volts(null)], [1, 0.8])
})

test('a clock is wrong that stands before 2015, before the light existed, or in the future', () => {
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
      const series = curve(minutesOf[type])
      const status = { failureStatus: bit(...bits), emergencyStatus: bit(1, 2) }
      const verdict = short(verdictOf(told(type, { word, series, ...status })))
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
  const endedBy = pick([undefined, 'mains' as const])
  const goesDark = pick([false, true])
  return told(testType, {
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

test('whatever a light sends: no failed part passes, none is better than reported, and no duration passes without its proof', () => {
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
    if (evidence.word === 'Failed') assert.equal(result, 'Failed')
    // The same evidence always gives the same.
    assert.deepEqual(verdictOf(evidence), verdict)
  }
})
