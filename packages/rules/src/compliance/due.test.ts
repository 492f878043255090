import assert from 'node:assert/strict'
import { test } from 'vitest'
import fc from 'fast-check'
import { dayAfter } from '../calendar/days.ts'
import type { Check, Figures } from './due.ts'
import {
  deadlineAfter,
  deadlineBefore,
  deadlines,
  defaultFigures,
  figuresFault,
  keepsDate,
  monthsAfter,
  nearTo,
  nextTurn,
  standingOf,
  stateOfDeadline,
  stateOn,
  stateText,
} from './due.ts'

const gas = defaultFigures.GasSafety
const water = defaultFigures.WaterTreatment
const passed = (day: string): Check => ({ day, status: 'Pass' })
const failed = (day: string): Check => ({ day, status: 'Fail' })

test('months later is the same day, or the last day of a shorter month', () => {
  for (const [day, months, later] of [
    ['2025-11-28', 12, '2026-11-28'],
    ['2024-02-29', 12, '2025-02-28'],
    ['2024-02-29', 48, '2028-02-29'],
    ['2023-02-28', 12, '2024-02-28'],
    ['2026-12-31', 2, '2027-02-28'],
    ['2026-04-30', -2, '2026-02-28'],
    ['2024-04-30', -2, '2024-02-29'],
    ['2026-01-31', -2, '2025-11-30'],
    ['2026-01-15', -12, '2025-01-15'],
    ['2026-11-30', 3, '2027-02-28'],
  ] as const)
    assert.equal(monthsAfter(day, months), later, `${day} ${months}`)
})

test('a gas check in the last two months before the deadline keeps its date; earlier and late ones start a new year', () => {
  for (const [check, next] of [
    ['2026-09-27', '2027-09-27'],
    ['2026-09-28', '2027-11-28'],
    ['2026-11-20', '2027-11-28'],
    ['2026-11-28', '2027-11-28'],
    ['2026-11-29', '2027-11-29'],
    ['2026-01-05', '2027-01-05'],
  ] as const)
    assert.equal(deadlineAfter(check, '2026-11-28', gas), next, check)
  // Water treatment has no such window: every period is counted from the day of the treatment.
  assert.equal(deadlineAfter('2026-11-20', '2026-11-28', water), '2027-11-20')
  assert.equal(deadlineAfter('2026-11-20', undefined, gas), '2027-11-20')
  // The window of a deadline at a month end begins at a month end, also in a leap year.
  assert.equal(keepsDate('2024-02-29', '2024-04-30', gas), true)
  assert.equal(keepsDate('2024-02-28', '2024-04-30', gas), false)
  assert.equal(keepsDate('2026-02-28', '2026-04-30', gas), true)
})

test('a check of a property follows the deadline in whose window it is; correcting a typing error loses none', () => {
  assert.equal(deadlineBefore('2026-11-01', ['2026-11-28', null], gas), '2026-11-28')
  assert.equal(deadlineBefore('2026-11-03', ['2027-11-28', '2026-11-28'], gas), '2026-11-28')
  assert.equal(deadlineBefore('2026-01-01', ['2026-11-28', null], gas), undefined)
  assert.equal(deadlineBefore('2026-11-01', [], gas), undefined)
})

test('a deadline is near from two months before it, or earlier if the client has more notice', () => {
  assert.equal(nearTo('2026-11-28', { notice: 14, months: 12 }), '2026-09-28')
  assert.equal(nearTo('2026-11-28', { notice: 90, months: 12 }), '2026-08-30')
  assert.equal(nearTo('2026-11-28', { notice: 14, months: 2 }), '2026-11-14')
  for (const [today, state] of [
    ['2026-11-13', 'InDate'],
    ['2026-11-14', 'Due'],
    ['2026-11-28', 'Due'],
    ['2026-11-29', 'Overdue'],
  ] as const)
    assert.equal(stateOfDeadline('2026-11-28', '2026-11-14', today), state)
  assert.equal(stateOfDeadline('2026-11-28', null, '2026-11-28'), 'InDate')
})

test('each passed check sets a deadline, and a failed one keeps the previous', () => {
  const checks = [
    failed('2023-11-30'),
    passed('2023-12-02'),
    passed('2024-11-29'),
    failed('2025-11-20'),
    passed('2025-12-10'),
  ]
  assert.deepEqual(deadlines(checks, gas), [undefined, '2024-12-02', '2025-12-02', '2025-12-02', '2026-12-10'])
})

test('a check is missing, in date, due from two months before, overdue after the day, or failed until one passes', () => {
  const due = standingOf([passed('2025-11-28')], gas)
  for (const [today, state, text] of [
    ['2026-09-27', 'InDate', 'In date'],
    ['2026-09-28', 'Due', 'Due in 61 days'],
    ['2026-11-20', 'Due', 'Due in 8 days'],
    ['2026-11-27', 'Due', 'Due in 1 day'],
    ['2026-11-28', 'Due', 'Due today'],
    ['2026-11-29', 'Overdue', 'Overdue 1 day'],
    ['2026-12-02', 'Overdue', 'Overdue 4 days'],
  ] as const) {
    assert.equal(stateOn(due, today, gas), state, today)
    assert.equal(stateText(due, today, gas), text)
  }
  const none = standingOf([], gas)
  assert.deepEqual([stateOn(none, '2026-11-20', gas), stateText(none, '2026-11-20', gas)], ['NoRecord', 'No record'])
  const broken = standingOf([passed('2025-11-28'), failed('2026-11-12')], gas)
  assert.deepEqual(broken, { dueOn: '2026-11-28', failedOn: '2026-11-12' })
  assert.equal(stateText(broken, '2026-11-20', gas), 'Failed 12/11/2026')
  assert.equal(stateText(broken, '2028-11-20', gas), 'Failed 12/11/2026')
  const mended = standingOf([passed('2025-11-28'), failed('2026-11-12'), passed('2026-11-12')], gas)
  assert.deepEqual([mended.dueOn, stateOn(mended, '2026-11-20', gas)], ['2027-11-28', 'InDate'])
})

test('a client can change the figures within limits', () => {
  const own: Figures = { months: 6, window: 1, notice: 14 }
  const due = standingOf([passed('2026-01-31'), passed('2026-07-05')], own)
  assert.equal(due.dueOn, '2027-01-31')
  assert.equal(stateOn(due, '2026-11-29', own), 'InDate')
  assert.equal(stateOn(due, '2026-11-30', own), 'Due')
  assert.equal(figuresFault(own), undefined)
  assert.equal(figuresFault(gas), undefined)
  assert.equal(figuresFault({ ...own, months: 0 }), 'months must be a whole number from 1 to 120')
  assert.equal(figuresFault({ ...own, notice: 1.5 }), 'notice must be a whole number from 0 to 365')
  assert.equal(figuresFault({ ...own, window: 6 }), 'window must be shorter than months')
})

const day = fc.integer({ min: 0, max: 20_000 }).map((days) => dayAfter('2000-01-01', days))
const figures = fc
  .record({
    months: fc.integer({ min: 1, max: 36 }),
    window: fc.integer({ min: 0, max: 12 }),
    notice: fc.integer({ min: 0, max: 90 }),
  })
  .filter((one) => figuresFault(one) === undefined)
const checks = fc.array(
  day.chain((one) => fc.constantFrom(passed(one), failed(one))),
  { maxLength: 12 },
)

test('for random checks the next deadline is after the check, and never later than the window allows', () => {
  fc.assert(
    fc.property(day, fc.option(day, { nil: undefined }), figures, (check, before, of) => {
      const next = deadlineAfter(check, before, of)
      assert.ok(next >= monthsAfter(check, of.months) || before !== undefined)
      assert.ok(next > check)
      assert.ok(next <= dayAfter(monthsAfter(check, of.months + of.window), 3), `${check} ${before} ${next}`)
    }),
  )
})

test('a failed check changes no deadline, and the state changes exactly on the announced day', () => {
  fc.assert(
    fc.property(checks, day, figures, (made, today, of) => {
      const inOrder = made.toSorted((a, b) => a.day.localeCompare(b.day))
      const standing = standingOf(inOrder, of)
      assert.equal(
        standing.dueOn,
        standingOf(
          inOrder.filter(({ status }) => status === 'Pass'),
          of,
        ).dueOn,
      )
      const turn = nextTurn(standing, today, of)
      const state = stateOn(standing, today, of)
      if (turn === null) return assert.notEqual(state, 'InDate')
      assert.ok(turn > today)
      assert.equal(stateOn(standing, dayAfter(turn, -1), of), state)
      assert.notEqual(stateOn(standing, turn, of), state)
    }),
  )
})
