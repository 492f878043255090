import type { TestsOfMonth } from '@caretaker/contract/lighting.ts'
import type { TestResult, TestType } from '@caretaker/rules/lighting/tests.ts'
import { lastDayOf } from '@caretaker/rules/calendar/months.ts'
import { resultWord } from '../test-result.tsx'
import type { TestsSearch } from './tests-place.ts'

/** The test names as row headers of the overview, without the type in brackets. */
export const overviewTests: Record<TestType, string> = {
  T0: 'Function test',
  T5: '5-minute test',
  T60: '1-hour test',
  T180: '3-hour test',
}

const months = 'January,February,March,April,May,June,July,August,September,October,November,December'.split(',')

export const monthInWords = (month: string) => `${months[Number(month.slice(5)) - 1]} ${month.slice(0, 4)}`

/** A column header: the year is added to the first month and each January. */
export const monthHead = (month: string, isFirst: boolean) => {
  const name = months[Number(month.slice(5)) - 1]!.slice(0, 3)
  return isFirst || month.endsWith('-01') ? `${name} ${month.slice(2, 4)}` : name
}

export type OverviewTone = 'passed' | 'warning' | 'failed' | 'unknown'

/** The colour of a month, according to the worst result of its lights. */
export function toneOf(worst: TestResult): OverviewTone {
  if (worst === 'Passed') return 'passed'
  if (worst === 'Failed') return 'failed'
  return worst === 'Degraded' || worst === 'Indeterminate' || worst === 'AwaitingReview' ? 'warning' : 'unknown'
}

/** The number of a cell: all lights if all passed, otherwise those with the worst result. */
export const numberOf = ({ worst, lights, worstLights }: TestsOfMonth) => (worst === 'Passed' ? lights : worstLights)

/** 'November 2026, 3-hour test: 5 failed of 72, 1 corrected, 1 disputed'. */
export function cellName(cell: TestsOfMonth): string {
  const { month, testType, worst, worstLights, lights, corrected, disputed } = cell
  const found =
    worst === 'Passed' ? `all ${lights} passed` : `${worstLights} ${resultWord(worst).toLowerCase()} of ${lights}`
  return [
    `${monthInWords(month)}, ${overviewTests[testType]}: ${found}`,
    corrected > 0 && `${corrected} corrected`,
    disputed > 0 && `${disputed} disputed`,
  ]
    .filter(Boolean)
    .join(', ')
}

/** The filter set by a cell. */
export const narrowedTo = ({ month, testType }: Pick<TestsOfMonth, 'month' | 'testType'>) =>
  ({ type: testType, from: `${month}-01`, to: lastDayOf(month) }) satisfies TestsSearch

/** The month that the days of a search cover exactly; undefined otherwise. */
export const monthOf = ({ from, to }: TestsSearch): string | undefined =>
  from?.endsWith('-01') && to === lastDayOf(from.slice(0, 7)) ? from.slice(0, 7) : undefined
