import assert from 'node:assert/strict'
import { test } from 'vitest'
import { bankHolidaysOf, isWorkingDay, workingDaysAfter, workingDaysBetween } from './bank-holidays.ts'

/** From gov.uk/bank-holidays, England and Wales. */
const listed = {
  2020: '01-01 04-10 04-13 05-08 05-25 08-31 12-25 12-28',
  2021: '01-01 04-02 04-05 05-03 05-31 08-30 12-27 12-28',
  2022: '01-03 04-15 04-18 05-02 06-02 06-03 08-29 09-19 12-26 12-27',
  2023: '01-02 04-07 04-10 05-01 05-08 05-29 08-28 12-25 12-26',
  2024: '01-01 03-29 04-01 05-06 05-27 08-26 12-25 12-26',
  2025: '01-01 04-18 04-21 05-05 05-26 08-25 12-25 12-26',
  2026: '01-01 04-03 04-06 05-04 05-25 08-31 12-25 12-28',
  2027: '01-01 03-26 03-29 05-03 05-31 08-30 12-27 12-28',
} as const

for (const [year, days] of Object.entries(listed))
  test(`the bank holidays of ${year} are those proclaimed`, () => {
    assert.deepEqual(
      [...bankHolidaysOf(Number(year))].sort(),
      days.split(' ').map((day) => `${year}-${day}`),
    )
  })

test('working days exclude weekends and bank holidays, and the first day is day 0', () => {
  assert.equal(isWorkingDay('2026-12-24'), true)
  assert.equal(isWorkingDay('2026-12-28'), false)
  assert.equal(workingDaysAfter('2026-12-24', 1), '2026-12-29')
  assert.equal(workingDaysAfter('2026-11-05', 10), '2026-11-19')
  // Awareness on a Saturday: Monday is day 1.
  assert.equal(workingDaysAfter('2026-11-21', 1), '2026-11-23')
  assert.equal(workingDaysAfter('2026-11-21', 0), '2026-11-21')
})

test('the working days between two days are those needed to get from one to the other', () => {
  for (const from of ['2025-12-20', '2026-03-31', '2026-05-22', '2026-11-22'])
    for (let count = 0; count < 30; count++)
      assert.equal(workingDaysBetween(from, workingDaysAfter(from, count)), count)
})
