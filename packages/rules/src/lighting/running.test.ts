import assert from 'node:assert/strict'
import { test } from 'vitest'
import { pendingText, runningTest, runningTestText } from './running.ts'
import type { TestResult, TestType } from './tests.ts'

const zone = 'Europe/London'
const at = (text: string) => Date.parse(text)
const light = (testType: TestType, testDate: string, result: TestResult = 'AwaitingAnalysis') => ({
  ...{ testType, testDate, result },
})

test('a test runs from its start until its rated time is over', () => {
  const long = light('T180', '2026-11-27T02:00:00.000Z')
  for (const [now, ends] of [
    ['2026-11-27T01:59:59Z', undefined],
    ['2026-11-27T02:00:00Z', '2026-11-27T05:00:00.000Z'],
    ['2026-11-27T04:59:59Z', '2026-11-27T05:00:00.000Z'],
    ['2026-11-27T05:00:00Z', undefined],
  ] as const)
    assert.equal(runningTest(long, at(now))?.endsAt, ends, now)
  const short = light('T0', '2026-11-27T02:00:00.000Z')
  assert.ok(runningTest(short, at('2026-11-27T02:00:30Z')))
  assert.equal(runningTest(short, at('2026-11-27T02:01:00Z')), undefined)
})

test('only a test without a result is running', () => {
  const begun = light('T180', '2026-11-27T02:00:00.000Z')
  const soon = at('2026-11-27T02:10:00Z')
  assert.ok(runningTest({ ...begun, reportedResult: 'AwaitingAnalysis' }, soon))
  // An administrator set the result of a finished test to AwaitingAnalysis.
  assert.equal(runningTest({ ...begun, reportedResult: 'Failed' }, soon), undefined)
  for (const result of ['Passed', 'Failed', 'Degraded', 'Indeterminate', 'AwaitingReview', 'Suppressed'] as const)
    assert.equal(
      runningTest(light('T180', '2026-11-27T02:00:00.000Z', result), at('2026-11-27T02:10:00Z')),
      undefined,
      result,
    )
})

test("the text has the test, its start in the client's time zone, and the time left", () => {
  for (const [start, now, text] of [
    ['2026-11-27T02:00:00.000Z', '2026-11-27T02:50:00Z', '3-hour test (T180): running since 02:00, 2 h 10 min left'],
    ['2026-11-27T02:00:00.000Z', '2026-11-27T04:59:30Z', '3-hour test (T180): running since 02:00, 1 min left'],
    [
      '2026-06-01T22:30:00.000Z',
      '2026-06-02T00:30:00Z',
      '3-hour test (T180): running since 01/06/2026 23:30, 1 h left',
    ],
  ] as const)
    assert.equal(runningTestText(runningTest(light('T180', start), at(now))!, at(now), zone), text)
  const late = runningTest(light('T180', '2026-11-27T02:00:00.000Z'), at('2026-11-27T02:10:00Z'))!
  assert.equal(
    runningTestText(late, at('2026-11-27T05:00:00Z'), zone),
    '3-hour test (T180): started at 02:00, awaiting the result',
  )
  assert.equal(
    pendingText(light('T60', '2026-11-27T02:00:00.000Z'), at('2026-11-27T02:10:00Z'), zone),
    'Running since 02:00, 50 min left',
  )
  assert.equal(pendingText(light('T60', '2026-11-27T02:00:00.000Z'), at('2026-11-27T03:10:00Z'), zone), undefined)
})
