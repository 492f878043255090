import type { Day } from '@caretaker/rules/calendar/days.ts'
import { isDay } from '@caretaker/rules/calendar/days.ts'
import type { TestResult, TestType } from '@caretaker/rules/lighting/tests.ts'
import { testResults, testTypes } from '@caretaker/rules/lighting/tests.ts'
import type { TestSort } from '@caretaker/contract/lighting.ts'
import type { TableSearch } from '../../../ui/table-place.ts'
import { tablePlace, validTableSearch } from '../../../ui/table-place.ts'

/** What of the test results the address holds: the place of their table, and how they are narrowed. */
export interface TestsSearch extends TableSearch {
  building?: string
  group?: string
  from?: Day
  to?: Day
  /** The months of a year, a light a row, in place of the table. */
  view?: 'months'
  /** The one whose months are shown; this year without it. */
  year?: number
  type?: TestType
  result?: TestResult
  /** Only results that people have disputed, or corrected. */
  decision?: Decision
}

const decisions = ['disputed', 'corrected'] as const
type Decision = (typeof decisions)[number]

const sorts: readonly TestSort[] = ['testDate', 'testType', 'result', 'deviceName', 'buildingName', 'reason']

/** The search of an address without what the page does not know; anything may stand in an address. */
export function validTestsSearch(search: Record<string, unknown>): TestsSearch {
  const type = testTypes.find((one) => one === search['type'])
  const result = testResults.find((one) => one === search['result'])
  const decision = decisions.find((one) => one === search['decision'])
  const { building, group, from, to, year } = search
  return {
    ...validTableSearch(search),
    ...(isId(building) ? { building } : {}),
    ...(isId(group) ? { group } : {}),
    ...(isDay(from) ? { from } : {}),
    ...(isDay(to) ? { to } : {}),
    ...(search['view'] === 'months' ? { view: 'months' } : {}),
    ...(isYear(year) ? { year } : {}),
    ...(type ? { type } : {}),
    ...(result ? { result } : {}),
    ...(decision ? { decision } : {}),
  }
}

const isId = (value: unknown): value is string => typeof value === 'string' && /^[\da-f-]{36}$/i.test(value)
const isYear = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 2000 && Number(value) <= 2100

/** The order as the call takes it: the newest first, unless the address asks for another that there is. */
export function orderOf(sort: string | undefined): { sort: TestSort; descending: boolean } {
  const place = tablePlace(sort === undefined ? {} : { sort }).sort
  const known = sorts.find((one) => one === place?.id)
  return known ? { sort: known, descending: place!.descending } : { sort: 'testDate', descending: true }
}

export const isNarrowed = ({ filter, building, group, type, result, ...others }: TestsSearch) =>
  Boolean(
    filter ??
    building ??
    group ??
    type ??
    result ??
    (others.view ? undefined : (others.decision ?? others.from ?? others.to)),
  )
