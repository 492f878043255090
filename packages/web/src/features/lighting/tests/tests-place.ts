import type { TestResult, TestType } from '@caretaker/rules/lighting/tests.ts'
import { testResults, testTypes } from '@caretaker/rules/lighting/tests.ts'
import type { TestSort } from '@caretaker/contract/lighting.ts'
import type { TableSearch } from '../../../ui/table-place.ts'
import { tablePlace, validTableSearch } from '../../../ui/table-place.ts'

/** What of the test results the address holds: the place of their table, and how they are narrowed. */
export interface TestsSearch extends TableSearch {
  building?: string
  type?: TestType
  result?: TestResult
}

const sorts: readonly TestSort[] = ['testDate', 'testType', 'result', 'deviceName']

/** The search of an address without what the page does not know; anything may stand in an address. */
export function validTestsSearch(search: Record<string, unknown>): TestsSearch {
  const type = testTypes.find((one) => one === search['type'])
  const result = testResults.find((one) => one === search['result'])
  const building = search['building']
  return {
    ...validTableSearch(search),
    ...(typeof building === 'string' && /^[\da-f-]{36}$/i.test(building) ? { building } : {}),
    ...(type ? { type } : {}),
    ...(result ? { result } : {}),
  }
}

/** The order as the call takes it: the newest first, unless the address asks for another that there is. */
export function orderOf(sort: string | undefined): { sort: TestSort; descending: boolean } {
  const place = tablePlace(sort === undefined ? {} : { sort }).sort
  const known = sorts.find((one) => one === place?.id)
  return known ? { sort: known, descending: place!.descending } : { sort: 'testDate', descending: true }
}

export const isNarrowed = ({ filter, building, type, result }: TestsSearch) =>
  Boolean(filter ?? building ?? type ?? result)
