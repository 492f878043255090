import assert from 'node:assert/strict'
import { test } from 'vitest'
import { overdueAt } from './overdue.ts'

test("a monthly test is overdue on the 39th day after the last one, a yearly one on the 396th, in the client's time zone", () => {
  const london = 'Europe/London'
  const at = (text: string) => Date.parse(text)
  assert.equal(overdueAt('T0', at('2026-09-01T23:30:00+01:00'), london), at('2026-10-10T00:00:00+01:00'))
  assert.equal(overdueAt('T0', at('2026-10-01T02:00:00+01:00'), london), at('2026-11-09T00:00:00Z'))
  assert.equal(overdueAt('T180', at('2025-11-22T02:00:00Z'), london), at('2026-12-23T00:00:00Z'))
  // A year with a leap day.
  assert.equal(overdueAt('T180', at('2027-11-22T02:00:00Z'), london), at('2028-12-22T00:00:00Z'))
})
