import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { BadMessageReason } from '@caretaker/rules/devices/messages.ts'
import { rejectedText } from './rejected-messages.ts'

const now = Date.UTC(2026, 6, 2, 12)
const entry = (reason: BadMessageReason, count: number, since: number, field: string | null = null) => ({
  ...{ reason, count, field },
  since: new Date(since).toISOString(),
  last: new Date(now).toISOString(),
})

test('rejected messages are one sentence, in the local time of the properties, with the day if it is not today', () => {
  assert.equal(rejectedText([], now, 'Europe/London'), undefined)
  const today = entry('time in seconds', 1037, Date.UTC(2026, 6, 2, 9, 4))
  assert.equal(
    rejectedText([today], now, 'Europe/London'),
    'Some messages, or parts of them, were not stored: their time is in seconds instead of milliseconds, 1,037 since 10:04.',
  )
  const yesterday = entry('over the limit', 1, Date.UTC(2026, 6, 1, 22, 59))
  assert.equal(
    rejectedText([today, yesterday], now, 'Europe/London'),
    'Some messages, or parts of them, were not stored: their time is in seconds instead of milliseconds, 1,037 since 10:04; the device sent more than the hourly limit, 1 since 01/07/2026 23:59.',
  )
})

test('the rejected field is named', () => {
  const wrong = entry('not a number', 2, Date.UTC(2026, 6, 2, 9, 4), '0.values.temperature')
  assert.equal(
    rejectedText([wrong], now, 'Europe/London'),
    'Some messages, or parts of them, were not stored: a value is text instead of a number (field 0.values.temperature), 2 since 10:04.',
  )
})

test('an unset clock gets a sentence of its own, because its messages are stored', () => {
  const unset = entry('clock not set', 4, Date.UTC(2026, 6, 2, 9, 4), 'ts')
  const sentence =
    'The clock of the device is not set: its messages get the time of their receipt (field ts), 4 since 10:04.'
  assert.equal(rejectedText([unset], now, 'Europe/London'), sentence)
  const outside = entry('out of range', 1, Date.UTC(2026, 6, 2, 9, 4), 'values.temperature')
  assert.equal(
    rejectedText([unset, outside], now, 'Europe/London'),
    `Some messages, or parts of them, were not stored: a value is outside the range of its measurement (field values.temperature), 1 since 10:04. ${sentence}`,
  )
})
