import assert from 'node:assert/strict'
import { test } from 'vitest'
import { badMessageReasons, looksLikeSeconds, notTaken } from './messages.ts'

const now = Date.UTC(2026, 10, 22)

test('a time in seconds is told from one in milliseconds and from one that no clock can have', () => {
  assert.ok(looksLikeSeconds(now / 1000, now))
  assert.ok(looksLikeSeconds(Date.UTC(2000, 0, 1) / 1000, now))
  for (const other of [now, now - 8 * 86_400_000, 0, 5000, now / 1000 + 1, Date.UTC(1999, 11, 31) / 1000])
    assert.ok(!looksLikeSeconds(other, now), String(other))
})

test('every reason has words that end the sentence, without a full stop', () => {
  for (const reason of badMessageReasons) assert.match(notTaken[reason], /^[a-z].*[a-zJSON]$/)
})
