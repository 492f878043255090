import assert from 'node:assert/strict'
import { test } from 'vitest'
import { contradiction, isDisputable, ownWords, partContradiction, ruledOutBy } from './decisions.ts'
import type { StoredEvidence } from './decisions.ts'
import type { ComponentStates, TestPoint, TestResult } from './tests.ts'
import { testResults } from './tests.ts'

/** A reading per minute; `power` returns the lamp power for each. */
const curve = (minutes: number, power: (minute: number) => number | undefined = () => undefined): TestPoint[] =>
  Array.from({ length: minutes + 1 }, (_, minute) => {
    const lampPower = power(minute)
    return { seconds: minute * 60, batteryVoltage: 3.8, ...(lampPower !== undefined && { lampPower }) }
  })
const evidence = (known: Partial<StoredEvidence> = {}): StoredEvidence => ({
  ...{ testType: 'T180', series: [], bits: null, nominalVoltage: null },
  ...known,
})
const failed = { result: 'Failed' as TestResult, componentStates: { Battery: 'Failed' } as ComponentStates }
const passed = { result: 'Passed' as TestResult, componentStates: { Battery: 'Ok' } as ComponentStates }

test.each<[what: string, known: Partial<StoredEvidence>, sentence: string | undefined]>([
  [
    'a curve that ends early',
    { series: curve(130) },
    'The readings show 2 h 10 min of 3 h, so the result cannot become “Passed”.',
  ],
  [
    'a lamp that is dark before its time, whatever the length of the curve',
    { series: curve(180, (minute) => (minute < 130 ? 3.1 : 0)) },
    'The readings show 2 h 10 min of 3 h, so the result cannot become “Passed”.',
  ],
  [
    'a duration result that is too short',
    { bits: { durationResult: 26 } },
    'The readings show 52 min of 3 h, so the result cannot become “Passed”.',
  ],
  [
    'the shorter of curve and duration result',
    { series: curve(180), bits: { durationResult: 65 } },
    'The readings show 2 h 10 min of 3 h, so the result cannot become “Passed”.',
  ],
  [
    'an hour that lasted 52 minutes',
    { testType: 'T60', series: curve(52) },
    'The readings show 52 min of 1 h, so the result cannot become “Passed”.',
  ],
  [
    'the bit of a failed part',
    { series: curve(180), bits: { failure: 1 << 2 } },
    'The light reports its battery as failed, so it cannot become “Ok”.',
  ],
  [
    'the bit of a failed test',
    { testType: 'T0', bits: { failure: 1 << 6 } },
    'The light reports that this test failed, so the result cannot become “Passed”.',
  ],
  [
    'nothing: a duration result of an earlier T180 beside the curve of an hour',
    { testType: 'T60', series: curve(60), bits: { durationResult: 26 } },
    undefined,
  ],
  [
    'nothing: three hours of light',
    { series: curve(180, () => 3.1), bits: { failure: 0, durationResult: 90 } },
    undefined,
  ],
  ['nothing: a flick test without readings', { testType: 'T0' }, undefined],
  ['nothing: no evidence at all', {}, undefined],
])('%s decides whether a failed test can become Passed', (_, known, sentence) => {
  assert.equal(contradiction(ruledOutBy(evidence(known)), failed, passed), sentence)
})

test('a result that the light worked is rejected if its evidence contradicts it; all others are accepted', () => {
  const ruledOut = ruledOutBy(evidence({ series: curve(130) }))
  for (const result of testResults) {
    const why = contradiction(ruledOut, failed, { result, componentStates: failed.componentStates })
    assert.equal(why !== undefined, result === 'Passed' || result === 'Degraded', result)
  }
})

test('a part that the light reports as failed stays failed, also with another result', () => {
  const ruledOut = ruledOutBy(evidence({ testType: 'T0', bits: { failure: 1 << 3 } }))
  assert.equal(
    partContradiction(ruledOut, 'Lamp', 'Degraded'),
    'The light reports its lamp as failed, so it cannot become “Degraded”.',
  )
  assert.equal(partContradiction(ruledOut, 'Lamp', 'Failed'), undefined)
  assert.equal(partContradiction(ruledOut, 'Battery', 'Ok'), undefined)
  const lamp = { result: 'Failed' as const, componentStates: { Lamp: 'Failed' as const } }
  const after = { result: 'Indeterminate' as const, componentStates: { Lamp: 'Ok' as const } }
  assert.match(contradiction(ruledOut, lamp, after)!, /cannot become “Ok”/)
})

test('evidence never rejects a mere change of reason', () => {
  assert.equal(contradiction(ruledOutBy(evidence({ series: curve(130) })), passed, passed), undefined)
})

test("the generated part and the text of the rule are not the user's own reason", () => {
  const after = { componentStates: { Battery: 'Failed' } } as const
  const generated = 'Predicted Failed Components: Battery.'
  const judged = { reason: 'The light sent nothing that shows it Passed.' }
  for (const reason of [
    '',
    '  ',
    '-',
    '...',
    generated,
    ` ${generated} `,
    judged.reason,
    `${generated} ${judged.reason}`,
  ])
    assert.equal(ownWords(reason, after, judged), '', reason)
  assert.equal(ownWords(`${generated} Pack swollen`, after, judged), 'Pack swollen')
  assert.equal(ownWords('Mains came back', { componentStates: {}, other: 'Indeterminate' }, judged), 'Mains came back')
})

test('only a result against the light can be disputed', () => {
  assert.deepEqual(testResults.filter(isDisputable), ['Degraded', 'Failed'])
})
