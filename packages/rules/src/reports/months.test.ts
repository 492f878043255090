import assert from 'node:assert/strict'
import { test } from 'vitest'
import { monthAfter, monthFault, monthSpan, monthWords, presetMonth, reportMonths, reportYears } from './months.ts'

test('years run from the current one back to 2019 [core-9-5] [est-2.6-17]', () => {
  assert.deepEqual(reportYears('2022-05-01'), [2022, 2021, 2020, 2019])
})

test('in the current year the running and later months cannot be chosen, in earlier years all can [est-2.6-18]', () => {
  assert.deepEqual(reportMonths(2026, '2026-11-30'), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  assert.deepEqual(reportMonths(2025, '2026-11-30').length, 12)
  assert.deepEqual(reportMonths(2026, '2026-01-31'), [])
  for (const year of [2018, 2027, 1]) assert.deepEqual(reportMonths(year, '2026-11-30'), [])
})

test('last month is preset, in January December of the previous year [est-2.6-19]', () => {
  assert.deepEqual(presetMonth('2026-11-01'), { year: 2026, month: 10 })
  assert.deepEqual(presetMonth('2026-01-31'), { year: 2025, month: 12 })
})

test('a future or invalid month, or one before 2019, is refused with the reason; the running one is not', () => {
  assert.equal(monthFault({ year: 2026, month: 12 }, '2026-11-30'), 'That month has not begun.')
  assert.equal(monthFault({ year: 2026, month: 13 }, '2026-11-30'), 'A month must be a number from 1 to 12.')
  assert.equal(monthFault({ year: 1, month: 1 }, '2026-11-30'), 'Reports begin with 2019.')
  assert.equal(monthFault({ year: 2026, month: 11 }, '2026-11-30'), undefined)
})

test('months cross year ends, and have the hours of their zone', () => {
  assert.deepEqual(monthAfter({ year: 2026, month: 1 }, -13), { year: 2024, month: 12 })
  assert.deepEqual(monthAfter({ year: 2026, month: 12 }, 1), { year: 2027, month: 1 })
  const hours = (year: number, month: number) => {
    const { from, to } = monthSpan({ year, month }, 'Europe/London')
    return (to - from) / 3_600_000
  }
  // Clocks go forward in March and back in October; 2028 is a leap year.
  assert.deepEqual([hours(2026, 3), hours(2026, 10), hours(2028, 2), hours(2027, 2)], [743, 745, 696, 672])
  assert.equal(monthWords({ year: 2026, month: 9 }), 'September 2026')
})
