import assert from 'node:assert/strict'
import { test } from 'vitest'
import { answerOf } from './answers.ts'

test('a sent command is not answered, an expired one neither, and a late answer counts', () => {
  const now = Date.UTC(2026, 10, 26, 12)
  const life = (minutes: number) => ({ expiresAt: new Date(now + minutes * 60_000).toISOString(), lateAnswer: null })
  assert.equal(answerOf({ ...life(5), status: 'queued' }, now), 'queued')
  assert.equal(answerOf({ ...life(5), status: 'sent' }, now), 'sent')
  assert.equal(answerOf({ ...life(5), status: 'confirmed' }, now), 'confirmed')
  assert.equal(answerOf({ ...life(5), status: 'failed' }, now), 'refused')
  assert.equal(answerOf({ ...life(5), status: 'withdrawn' }, now), 'withdrawn')
  for (const status of ['queued', 'sent', 'expired'] as const)
    assert.equal(answerOf({ ...life(0), status }, now), 'unanswered')
  assert.equal(answerOf({ ...life(0), status: 'expired', lateAnswer: 'confirmed' }, now), 'confirmed')
  assert.equal(answerOf({ ...life(0), status: 'expired', lateAnswer: 'failed' }, now), 'refused')
})
