import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { EmergencyTest } from '@caretaker/contract/lighting.ts'
import { testsInOrder } from './tests-order.ts'

const tests = [
  { eventId: 'new', testDate: '2026-06-02T02:00:00.000Z', testType: 'T0', result: 'Passed', reason: 'b' },
  { eventId: 'long', testDate: '2026-05-02T02:00:00.000Z', testType: 'T180', result: 'Failed', reason: 'a' },
  { eventId: 'hour', testDate: '2026-04-02T02:00:00.000Z', testType: 'T60', result: 'Degraded', reason: 'd' },
  { eventId: 'odd', testDate: '2026-03-02T02:00:00.000Z', testType: 'T5', result: 'AwaitingReview', reason: 'c' },
] as EmergencyTest[]
const by = (id: string, descending = false) => testsInOrder(tests, { id, descending }).map(({ eventId }) => eventId)

test('the tests of a light are sorted by time, length, how bad the result is, and reason, either way', () => {
  assert.deepEqual(by('testDate'), ['odd', 'hour', 'long', 'new'])
  assert.deepEqual(by('testType'), ['new', 'odd', 'hour', 'long'])
  assert.deepEqual(by('result', true), ['long', 'hour', 'odd', 'new'])
  assert.deepEqual(by('result'), ['new', 'odd', 'hour', 'long'])
  assert.deepEqual(by('reason'), ['long', 'new', 'odd', 'hour'])
})

test('an unknown sort order in an address changes nothing', () => {
  for (const id of ['series', 'constructor', 'toString']) assert.deepEqual(by(id), ['new', 'long', 'hour', 'odd'])
  assert.deepEqual(testsInOrder(tests, undefined), tests)
})
