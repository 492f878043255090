import assert from 'node:assert/strict'
import { test } from 'vitest'
import { missedTestsText } from './missed-tests.ts'

const entry = (testType: 'T0' | 'T5' | 'T180', day: string, missed: number) => ({
  ...{ testType, testDate: `2026-11-${day}T03:30:00.000Z`, lights: 9, missed, again: null },
})
const since = '2026-11-20T02:04:00.000Z'
const textOf = (past: ReturnType<typeof entry>[], next: ReturnType<typeof entry>[] = []) =>
  missedTestsText({ past, next }, since, (at) => at.slice(8, 10))

test('an offline gateway shows how many tests its lights missed, and the next test', () => {
  assert.equal(textOf([], []), '')
  assert.equal(textOf([], [entry('T0', '28', 0)]), 'Their next test is a T0 on 28.')
  assert.equal(textOf([entry('T5', '20', 9)]), 'Their T5 of 20 was missed.')
  assert.equal(
    textOf([entry('T5', '20', 9), entry('T0', '12', 9)], [entry('T0', '28', 0), entry('T5', '29', 0)]),
    'Their T5 of 20 was missed; the next test is a T0 on 28.',
  )
  assert.equal(textOf([entry('T5', '20', 2)]), '2 of 9 missed their T5 of 20.')
  assert.equal(
    textOf([entry('T180', '22', 9), entry('T0', '21', 0), entry('T5', '20', 9)]),
    'They have missed 2 tests, the last a T180 on 22.',
  )
  assert.equal(textOf([entry('T5', '20', 0), entry('T5', '12', 9)]), '', 'what was missed before is not its doing')
})
