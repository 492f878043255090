import assert from 'node:assert/strict'
import { test } from 'vitest'
import { runInWords, withAgain } from './run-words.ts'

const zone = 'Europe/London'
const run = {
  runId: 'one',
  groupName: 'Stairs',
  testType: 'T5' as const,
  startsAt: '2026-11-20T03:30:00Z',
  state: 'missed' as const,
  reason: 'Offline since 20/11/2026 02:04.',
  endedAt: null,
  again: null,
}

test('a test without a result shows when it is repeated, or why it is not', () => {
  assert.equal(
    runInWords(run, zone),
    'Missed: Offline since 20/11/2026 02:04. Not repeated: the next T5 of its group follows as scheduled',
  )
  assert.equal(
    runInWords({ ...run, state: 'notStarted', reason: null, testType: 'T60' }, zone),
    'Not started, not repeated: the next T60 of its group follows as scheduled',
  )
  assert.equal(
    runInWords({ ...run, testType: 'T180', reason: null, again: '2026-11-27T03:30:00Z' }, zone),
    'Missed, planned again for 27/11/2026 03:30',
  )
})

test('scheduled and passed tests, and tests with an unknown repeat, show nothing about a repeat', () => {
  assert.equal(runInWords({ ...run, state: 'planned', reason: null }, zone), 'Scheduled')
  assert.equal(runInWords({ ...run, testType: 'T180', reason: null }, zone), 'Missed')
  assert.equal(withAgain('Passed', { testType: 'T5', again: null, isMissed: false }, zone), 'Passed')
})
