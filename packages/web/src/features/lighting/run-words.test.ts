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

test('of a test that came to nothing it is said when it comes again, or why it does not', () => {
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

test('nothing of that is said of one that is to come or has passed, nor of one whose next try is not known', () => {
  assert.equal(runInWords({ ...run, state: 'planned', reason: null }, zone), 'Scheduled')
  assert.equal(runInWords({ ...run, testType: 'T180', reason: null }, zone), 'Missed')
  assert.equal(withAgain('Passed', { testType: 'T5', again: null, isMissed: false }, zone), 'Passed')
})
