import type { TestEvidence } from './verdict.ts'
import { emergencyBits } from './verdict.ts'
import type { TestType } from './tests.ts'

/** A curve of `minutes` points, one a minute, from one voltage down to another. */
export const curve = (minutes: number, from = 4, to = 3.7) =>
  Array.from({ length: minutes + 1 }, (_, minute) => ({
    seconds: minute * 60,
    batteryVoltage: from - ((from - to) * minute) / Math.max(1, minutes),
  }))
export const evidenceOf = (testType: TestType, more: Partial<TestEvidence> = {}): TestEvidence => ({
  testType,
  componentStates: {},
  series: [],
  ...more,
})

export const fine = 'Device successfully completed test.'
export const failed = (names: string) => ['Failed', `Predicted Failed Components: ${names}.`]
/** A curve whose lamp goes dark after `after` minutes while readings continue to the end. */
export const dark = (after: number, minutes = 180, { pLive = 0, voltage = 3.8 } = {}) =>
  Array.from({ length: minutes + 1 }, (_, minute) => ({
    seconds: minute * 60,
    batteryVoltage: voltage,
    lampPower: minute < after ? 3.1 : 0,
    pLive: minute < after ? 0 : pLive,
  }))
const notProven = (reason: string) => ['Indeterminate', reason]
const clear = emergencyBits.durationResultValid
const passedBits = { failureStatus: 0, emergencyStatus: 1 << clear }

/** Test messages with the expected verdict, shared by the tests of the rule and of the running product. */
export const evidenceRows: [name: string, evidence: TestEvidence, verdict: string[]][] = [
  ['full curve', evidenceOf('T180', { word: 'Passed', series: curve(180) }), ['Passed', fine]],
  ['full curve of an hour', evidenceOf('T60', { word: 'Passed', series: curve(60) }), ['Passed', fine]],
  ['full curve of five minutes', evidenceOf('T5', { word: 'Passed', series: curve(5) }), ['Passed', fine]],
  [
    'lamp dark after 130 min, readings to the end',
    evidenceOf('T180', { word: 'Passed', series: dark(130), nominalVoltage: 3.6 }),
    failed('Lamp'),
  ],
  [
    'lamp dark after 130 min, battery unknown',
    evidenceOf('T180', { word: 'Passed', series: dark(130) }),
    failed('Battery'),
  ],
  ['lamp dark and curve ends there', evidenceOf('T180', { word: 'Passed', series: dark(130, 131) }), failed('Battery')],
  [
    'lamp down to a tenth',
    evidenceOf('T180', {
      word: 'Passed',
      series: curve(180).map((point) => ({ ...point, lampPower: point.seconds < 9000 ? 3 : 0.3 })),
    }),
    failed('Battery'),
  ],
  [
    'lamp down to a third',
    evidenceOf('T180', {
      word: 'Passed',
      series: curve(180).map((point) => ({ ...point, lampPower: point.seconds < 9000 ? 3 : 1 })),
    }),
    ['Passed', fine],
  ],
  ['lamp never lit', evidenceOf('T180', { word: 'Passed', series: dark(0) }), failed('Battery')],
  ['lamp dark at the rated time', evidenceOf('T180', { word: 'Passed', series: dark(180) }), ['Passed', fine]],
  [
    'voltage below its end, by the label',
    evidenceOf('T180', { word: 'Passed', series: curve(180, 4, 2.9), nominalVoltage: 3.6 }),
    failed('Battery'),
  ],
  [
    'voltage of lithium above its end',
    evidenceOf('T180', {
      word: 'Passed',
      series: curve(180, 3.3, 2.7),
      nominalVoltage: 3.2,
      batteryType: 'Lithium Ion',
    }),
    ['Passed', fine],
  ],
  [
    'voltage of lithium below its end',
    evidenceOf('T180', {
      word: 'Passed',
      series: curve(180, 3.3, 2.3),
      nominalVoltage: 3.2,
      batteryType: 'Lithium Ion',
    }),
    failed('Battery'),
  ],
  ['0.3 V without any label', evidenceOf('T180', { word: 'Passed', series: curve(180, 0.4, 0.3) }), failed('Battery')],
  [
    'one cell of lead acid at 1.7 V',
    evidenceOf('T180', { word: 'Passed', series: curve(180, 2, 1.7), batteryType: 'Lead Acid' }),
    failed('Battery'),
  ],
  [
    'curve ends early',
    evidenceOf('T180', { word: 'Passed', series: curve(112) }),
    notProven('The evidence ends after 1 h 52 min of 3 h.'),
  ],
  [
    'curve ends a minute early',
    evidenceOf('T180', { word: 'Passed', series: curve(179) }),
    notProven('The evidence ends after 2 h 59 min of 3 h.'),
  ],
  [
    'an hour ends a minute early',
    evidenceOf('T60', { word: 'Passed', series: curve(59) }),
    notProven('The evidence ends after 59 min of 1 h.'),
  ],
  [
    'curve ends early, parts are well',
    evidenceOf('T180', { word: 'Passed', series: curve(112), componentStates: { Battery: 'Ok' } }),
    notProven('The evidence ends after 1 h 52 min of 3 h.'),
  ],
  [
    'curve ends early, the light reports a failure',
    evidenceOf('T180', { word: 'Failed', series: curve(112) }),
    ['Failed', '-'],
  ],
  [
    'ended by mains',
    evidenceOf('T180', { word: 'Passed', series: curve(130), endedBy: 'mains' }),
    notProven('Ended by the return of mains power after 2 h 10 min. Repeat the test.'),
  ],
  [
    'ended by a person',
    evidenceOf('T180', { word: 'Passed', series: curve(50), endedBy: 'person' }),
    notProven('Ended by a person after 50 min. Repeat the test.'),
  ],
  [
    'ended by mains, which the light reports as a failure',
    evidenceOf('T180', { word: 'Failed', series: curve(130), endedBy: 'mains' }),
    notProven('Ended by the return of mains power after 2 h 10 min. Repeat the test.'),
  ],
  [
    'ended by a person, with a failed part',
    evidenceOf('T180', { word: 'Failed', series: curve(130), endedBy: 'person', componentStates: { Lamp: 'Failed' } }),
    ['Failed', 'Predicted Failed Components: Lamp.'],
  ],
  [
    'ended by the light, which reports a failure',
    evidenceOf('T180', { word: 'Failed', series: curve(130), endedBy: 'device' }),
    ['Failed', '-'],
  ],
  [
    'ended by the light',
    evidenceOf('T180', { word: 'Passed', series: curve(50), endedBy: 'device' }),
    notProven('Ended by the light after 50 min. Repeat the test.'),
  ],
  [
    'mains came back by the state of the light',
    evidenceOf('T180', { word: 'Passed', series: curve(130), hasMainsReturned: true }),
    notProven('Ended by the return of mains power after 2 h 10 min. Repeat the test.'),
  ],
  [
    'mains came back in the curve, lamp off',
    evidenceOf('T180', { word: 'Passed', series: dark(130, 131, { pLive: 4 }), nominalVoltage: 3.6 }),
    notProven('Ended by the return of mains power after 2 h 10 min. Repeat the test.'),
  ],
  [
    'mains came back with an empty battery',
    evidenceOf('T180', { word: 'Passed', series: dark(130, 131, { pLive: 4, voltage: 2.8 }), nominalVoltage: 3.6 }),
    failed('Battery'),
  ],
  [
    'dark for long before the mains came back',
    evidenceOf('T180', { word: 'Passed', series: dark(90, 131), endedBy: 'mains' }),
    failed('Battery'),
  ],
  [
    'ended by mains after its time',
    evidenceOf('T180', { word: 'Passed', series: curve(195), endedBy: 'mains' }),
    ['Passed', fine],
  ],
  [
    'interrupted, as the light reports',
    evidenceOf('T180', { word: 'Indeterminate', series: curve(20) }),
    notProven('Ended by the light after 20 min. Repeat the test.'),
  ],
  [
    'no result, no curve, ended by a person',
    evidenceOf('T180', { word: 'Indeterminate', endedBy: 'person' }),
    notProven('Ended by a person. Repeat the test.'),
  ],
  ['no result and nothing else', evidenceOf('T180', { word: 'Indeterminate' }), notProven('-')],
  [
    'gap of twenty minutes',
    evidenceOf('T180', {
      word: 'Passed',
      series: curve(180).filter(({ seconds }) => seconds <= 3600 || seconds >= 4800),
    }),
    notProven('No readings for 20 min of the test.'),
  ],
  [
    'gap of three intervals',
    evidenceOf('T180', {
      word: 'Passed',
      series: curve(180).filter(({ seconds }) => seconds <= 3600 || seconds >= 3780),
    }),
    ['Passed', fine],
  ],
  [
    'first reading after twenty minutes',
    evidenceOf('T180', { word: 'Passed', series: curve(180).filter(({ seconds }) => seconds >= 1200) }),
    notProven('No readings for 20 min of the test.'),
  ],
  [
    'two readings only',
    evidenceOf('T180', { word: 'Passed', series: [curve(180)[0]!, curve(180)[180]!] }),
    notProven('No readings for 3 h of the test.'),
  ],
  [
    'duration result of 130 min beside a full curve',
    evidenceOf('T180', { word: 'Passed', series: curve(180), durationResult: 65 }),
    notProven('The readings show 3 h, the duration result shows 2 h 10 min.'),
  ],
  [
    'duration result within a twentieth',
    evidenceOf('T180', { word: 'Passed', series: curve(180), durationResult: 92 }),
    ['Passed', fine],
  ],
  [
    'duration result of at least 510 min',
    evidenceOf('T180', { word: 'Passed', series: curve(180), durationResult: 255 }),
    ['Passed', fine],
  ],
  ['duration result of 178 min alone', evidenceOf('T180', { durationResult: 89, ...passedBits }), failed('Battery')],
  ['duration result of 190 min alone', evidenceOf('T180', { durationResult: 95, ...passedBits }), ['Passed', fine]],
  [
    'duration result of 130 min, ended by mains',
    evidenceOf('T180', { durationResult: 65, ...passedBits, endedBy: 'mains' }),
    notProven('Ended by the return of mains power after 2 h 10 min. Repeat the test.'),
  ],
  [
    'own report alone',
    evidenceOf('T180', { word: 'Passed' }),
    notProven('Passed by its own report, duration not reported.'),
  ],
  [
    'own report with parts',
    evidenceOf('T180', { word: 'Passed', componentStates: { Battery: 'Ok', Lamp: 'Ok' } }),
    notProven('Passed by its own report, duration not reported.'),
  ],
  [
    'own report with a clear status byte',
    evidenceOf('T180', { word: 'Passed', ...passedBits }),
    notProven('Passed by its own report, duration not reported.'),
  ],
  [
    'valid result by its status byte alone',
    evidenceOf('T180', passedBits),
    notProven('Passed by its own report, duration not reported.'),
  ],
  [
    'own report of a worn battery',
    evidenceOf('T180', { word: 'Degraded', componentStates: { Battery: 'Degraded' } }),
    ['Degraded', 'Predicted degraded Components: Battery.'],
  ],
  [
    'own report of an hour',
    evidenceOf('T60', { word: 'Passed' }),
    notProven('Passed by its own report, duration not reported.'),
  ],
  [
    'own report of a function test alone',
    evidenceOf('T0', { word: 'Passed' }),
    notProven('Passed by its own report, without measurements.'),
  ],
  ['function test with parts', evidenceOf('T0', { word: 'Passed', componentStates: { Lamp: 'Ok' } }), ['Passed', fine]],
  [
    'function test with a failed part',
    evidenceOf('T0', { word: 'Passed', componentStates: { Lamp: 'Failed' } }),
    failed('Lamp'),
  ],
  [
    'passed with a failed part',
    evidenceOf('T180', { word: 'Passed', series: curve(180), componentStates: { Inverter: 'Failed' } }),
    failed('Inverter'),
  ],
  [
    'no valid result',
    evidenceOf('T180', { word: 'Passed', series: curve(180), emergencyStatus: 0 }),
    notProven('The light reports that it has no valid result of this test.'),
  ],
  ['running', evidenceOf('T180', { series: curve(20) }), ['AwaitingAnalysis', '-']],
  [
    'running, by its own report',
    evidenceOf('T180', { word: 'AwaitingAnalysis', series: curve(20) }),
    ['AwaitingAnalysis', '-'],
  ],
  ['under review', evidenceOf('T180', { word: 'AwaitingReview', series: curve(180) }), ['AwaitingReview', '-']],
  [
    'under review with a dark lamp',
    evidenceOf('T180', { word: 'AwaitingReview', series: dark(130) }),
    failed('Battery'),
  ],
  ['suppressed with a dark lamp', evidenceOf('T180', { word: 'Suppressed', series: dark(130) }), failed('Battery')],
  ['suppressed', evidenceOf('T180', { word: 'Suppressed', series: curve(180) }), ['Suppressed', '-']],
  ['could not begin', evidenceOf('T180', { word: 'Passed', failureStatus: 1 << 5 }), ['missed']],
  ['readings out of order', evidenceOf('T180', { word: 'Passed', series: dark(130).toReversed() }), failed('Battery')],
]
