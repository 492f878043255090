import type { Day } from '@caretaker/rules/calendar/days.ts'
import { isDay } from '@caretaker/rules/calendar/days.ts'
import type { TestResult, TestType } from '@caretaker/rules/lighting/tests.ts'
import { testResults, testTypes } from '@caretaker/rules/lighting/tests.ts'
import type { TestSort } from '@caretaker/contract/lighting.ts'
import type { TableSearch } from '../../../ui/table-place.ts'
import { tablePlace, validTableSearch } from '../../../ui/table-place.ts'

/** The parameters of the test results in the address: table position and filters. */
export interface TestsSearch extends TableSearch {
  building?: string
  group?: string
  from?: Day
  to?: Day
  /** The months of a year, one row per light, instead of the table. */
  view?: 'months'
  /** The shown year; the current one by default. */
  year?: number
  type?: TestType
  result?: TestResult
  /** Only disputed, or only corrected results. */
  decision?: Decision
}

const decisions = ['disputed', 'corrected'] as const
type Decision = (typeof decisions)[number]

const sorts: readonly TestSort[] = ['testDate', 'testType', 'result', 'deviceName', 'buildingName', 'reason']

/** The known parameters of an address; any value may occur. */
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

/** The sort order for the call: newest first, unless the address has another known order. */
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
