import type { EmergencyTest } from '@caretaker/contract/lighting.ts'
import { testColumns, testsFile } from '@caretaker/rules/lighting/tests-file.ts'
import { saveCsv } from '../../../api/save-csv.ts'

/** Downloads loaded tests as CSV. */
export function saveTests(tests: readonly EmergencyTest[], zone: string): void {
  const cells = tests.map((test) => testColumns.map(({ text }) => text(test, zone)))
  saveCsv([testColumns.map(({ label }) => label), ...cells], { zone, name: testsFile })
}
