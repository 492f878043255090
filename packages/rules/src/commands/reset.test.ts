import assert from 'node:assert/strict'
import { test } from 'vitest'
import { resetAdvice, resetFailureText, resetsLately } from './reset.ts'

test('a failed reset shows the message of the server, or the configured one if that is no text [dev-8err-34]', () => {
  const configured = 'Failed to reset Boiler!'
  assert.equal(resetFailureText('The boiler is not in lockout.', configured), 'The boiler is not in lockout.')
  for (const message of [undefined, null, '', '  ', 500, false, { message: 'x' }, ['x']])
    assert.equal(resetFailureText(message, configured), configured)
})

test('confirmed resets count for 30 days, and the third lockout in that time needs a visit', () => {
  const now = Date.parse('2026-11-20T12:00:00Z')
  const daysAgo = (days: number) => new Date(now - days * 86_400_000).toISOString()
  const reset = (days: number, status: 'confirmed' | 'failed' | 'expired', lateAnswer: 'confirmed' | null = null) => ({
    createdAt: daysAgo(days),
    status,
    lateAnswer,
  })
  assert.equal(resetsLately([], now), 0)
  assert.equal(
    resetsLately(
      [
        reset(1, 'confirmed'),
        reset(2, 'failed'),
        reset(3, 'expired', 'confirmed'),
        reset(30, 'confirmed'),
        reset(31, 'confirmed'),
      ],
      now,
    ),
    3,
  )
  assert.deepEqual([0, 1, 2, 3].map(resetAdvice), [
    'Not reset in the last 30 days.',
    'Reset once in 30 days.',
    'Reset twice in 30 days; a third lockout requires a visit.',
    'Reset 3 times in 30 days: this requires a visit, not another reset.',
  ])
})
