import type { EmergencyTest, LightRun } from '@caretaker/contract/lighting.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { TestResult, TestType } from '@caretaker/rules/lighting/tests.ts'
import { testTypes, worstResults } from '@caretaker/rules/lighting/tests.ts'

/** The part of a test that a grid of months needs. */
export type GridTest = Pick<EmergencyTest, 'eventId' | 'testDate' | 'testType' | 'result'>

/** The content of one month and type: the worst test or a missed one, and a scheduled one. */
export interface Cell<Test extends GridTest = EmergencyTest> {
  /** The day of the month. */
  day: number
  tests: Test[]
  result?: TestResult
  run?: LightRun
  /** The first scheduled test and its day of the month, if the cell has another result. */
  next?: { day: number; run: LightRun }
}

export interface GridYear {
  year: number
  rows: { type: TestType; months: (Cell | undefined)[] }[]
}

/** A light's year by month, with the worst test of any type. */
export function monthsOf<Test extends GridTest>(tests: readonly Test[], zone: string): (Cell<Test> | undefined)[] {
  const placed = tests.map((test) => ({ test, day: dayAt(Date.parse(test.testDate), zone) }))
  return Array.from({ length: 12 }, (_, month) => {
    const inIt = placed.filter(({ day }) => Number(day.slice(5, 7)) === month + 1)
    const worst = inIt.toSorted((a, b) => worstResults.indexOf(a.test.result) - worstResults.indexOf(b.test.result))[0]
    return (
      worst && {
        day: Number(worst.day.slice(8)),
        // The worst test is opened first.
        tests: [worst.test, ...inIt.map(({ test }) => test).filter((test) => test !== worst.test)],
        result: worst.test.result,
      }
    )
  })
}

/** Years from newest to oldest, with the worst test of each month. */
export function gridOf(
  tests: readonly EmergencyTest[],
  runs: readonly LightRun[],
  { zone, now }: { zone: string; now: number },
): GridYear[] {
  const cells = new Map<string, Cell>()
  const placeOf = (at: string, type: TestType) => {
    const [year, month, day] = dayAt(Date.parse(at), zone).split('-').map(Number) as [number, number, number]
    return { key: `${year} ${month} ${type}`, day, year }
  }
  const years = new Set<number>()
  for (const test of tests) {
    const { key, day, year } = placeOf(test.testDate, test.testType)
    years.add(year)
    const cell = cells.get(key) ?? { day, tests: [] }
    cell.tests.push(test)
    const isWorse = cell.result === undefined || worstResults.indexOf(test.result) < worstResults.indexOf(cell.result)
    if (isWorse) Object.assign(cell, { result: test.result, day })
    cells.set(key, cell)
  }
  const thisYear = Number(dayAt(now, zone).slice(0, 4))
  const coming = new Map<string, NonNullable<Cell['next']>>()
  for (const run of runs) {
    const { key, day, year } = placeOf(run.startsAt, run.testType)
    // Later years are shown in the schedule.
    if (run.state === 'planned' && year > thisYear) continue
    years.add(year)
    const isSooner = day < (coming.get(key)?.day ?? Infinity)
    if (run.state === 'planned' && isSooner) coming.set(key, { day, run })
    // A result takes precedence over a missed test in the same month.
    if (run.state !== 'planned' && !cells.has(key)) cells.set(key, { day, tests: [], run })
  }
  for (const [key, next] of coming) {
    const known = cells.get(key)
    if (known) known.next = next
    else cells.set(key, { tests: [], ...next })
  }
  return [...years]
    .sort((a, b) => b - a)
    .map((year) => ({
      year,
      rows: testTypes
        .map((type) => ({
          type,
          months: Array.from({ length: 12 }, (_, month) => cells.get(`${year} ${month + 1} ${type}`)),
        }))
        .filter(({ months }) => months.some(Boolean)),
    }))
}
