import assert from 'node:assert/strict'
import { test } from 'vitest'
import { startOf, startQuestion } from './plan.ts'
import { darkText, darkTitle, nightText } from './start-words.ts'

const zone = 'Europe/London'

test('a daytime start states the lights that go dark, and until when', () => {
  assert.equal(darkTitle(8, 4), 'If the power fails, 8 lights on 4 floors go dark')
  assert.equal(darkTitle(1, 1), 'If the power fails, 1 light on 1 floor goes dark')
  const clocks = { now: startOf('2026-11-28T15:34', zone), zone }
  assert.equal(
    darkText(startQuestion('2026-11-28T15:00', clocks)!, clocks),
    'The test drains the batteries from 15:34 to 18:34 today. They then need 24 h to recharge, until 18:34 on Sunday 29 November 2026.',
  )
  assert.match(
    darkText(startQuestion('2026-12-01T10:00', clocks)!, clocks),
    /^The test drains the batteries from 10:00 to 13:00 on Tuesday 1 December 2026\./,
  )
  assert.equal(nightText(startOf('2026-11-30T02:00', zone), zone), 'Monday 30 November 2026, 02:00')
})
