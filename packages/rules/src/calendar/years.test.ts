import assert from 'node:assert/strict'
import { test } from 'vitest'
import { yearsBack } from './years.ts'

test('a year list contains the years from the current one back to the start year', () => {
  assert.deepEqual(yearsBack(2026, 2023), [2026, 2025, 2024, 2023])
  assert.deepEqual(yearsBack(2026, 2026), [2026])
  assert.deepEqual(yearsBack(2026, 2027), [])
})
