import assert from 'node:assert/strict'
import { test } from 'vitest'
import { setPointText, worstHourText } from './measured-by.ts'

test('the worst hour is shown with its weekday within a week, otherwise with its date', () => {
  const day = 86_400_000
  const at = Date.parse('2026-11-19T23:30:00Z')
  const within = { from: at - 6 * day, to: at + day }
  const beyond = { from: at - 20 * day, to: at + day }
  assert.equal(worstHourText(11, at, within, 'Europe/London'), '11 an hour at worst, Thursday')
  assert.equal(worstHourText(11, at, within, 'Europe/Paris'), '11 an hour at worst, Friday')
  assert.equal(worstHourText(3.2, at, beyond, 'Europe/London'), '3 an hour at worst, 19/11/2026')
})

test('a set point is shown in degrees', () => {
  assert.equal(setPointText(60), 'Set point 60\u00A0°C')
  assert.equal(setPointText(57.5), 'Set point 57.5\u00A0°C')
})
