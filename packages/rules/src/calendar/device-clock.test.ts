import assert from 'node:assert/strict'
import { test } from 'vitest'
import { earliestClock, isClockUnset, looksLikeSeconds } from './device-clock.ts'

const now = Date.UTC(2026, 10, 22)
const [hour, day] = [3_600_000, 86_400_000]

test('times in seconds, in milliseconds and of unset clocks are distinguished', () => {
  for (const seconds of [now / 1000, (now - 300 * day) / 1000, now / 1000 + 299])
    assert.ok(looksLikeSeconds(seconds, now), String(seconds))
  for (const other of [now, now - 8 * day, 0, 5000, now / 1000 + 301, Date.UTC(2000, 0, 1) / 1000])
    assert.ok(!looksLikeSeconds(other, now), String(other))
})

test('an unset clock shows 1970, 2000 or a firmware date before 2015', () => {
  for (const unset of [
    0,
    5000,
    15 * day,
    30 * day,
    Date.UTC(2000, 0, 1),
    Date.UTC(2000, 0, 1) + hour,
    earliestClock - 1,
  ])
    assert.ok(isClockUnset(unset, now), String(unset))
  for (const other of [-1, now / 1000, earliestClock, now - 8 * day, now, now + day])
    assert.ok(!isClockUnset(other, now), String(other))
})
