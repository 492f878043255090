import type { EmergencyTest } from '@caretaker/contract/lighting.ts'
import { testTypes, worstResults } from '@caretaker/rules/lighting/tests.ts'
import type { Sort } from '../../../ui/table/props.ts'
import type { CellValue } from '../../../ui/table-rows.ts'
import { sortedRows } from '../../../ui/table-rows.ts'

/** The columns of the tests of one light with their sort keys, in the same order as the call for all tests. */
export const testOrders = {
  testDate: { label: 'Test date', value: ({ testDate }) => Date.parse(testDate) },
  testType: { label: 'Test', value: ({ testType }) => testTypes.indexOf(testType) },
  result: { label: 'Result', value: ({ result }) => -worstResults.indexOf(result) },
  reason: { label: 'Reason', value: ({ reason }) => reason },
} satisfies Record<string, { label: string; value(this: void, test: EmergencyTest): CellValue }>
export type TestOrder = keyof typeof testOrders

/** The tests in a known sort order; unchanged otherwise. */
export function testsInOrder(tests: readonly EmergencyTest[], sort: Sort | undefined): EmergencyTest[] {
  const known = sort && Object.hasOwn(testOrders, sort.id) ? sort : undefined
  return sortedRows(tests, known, (test, id) => testOrders[id as TestOrder].value(test))
}
