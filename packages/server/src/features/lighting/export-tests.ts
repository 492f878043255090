import type { EmergencyTest } from '@caretaker/contract/lighting.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { testColumns, testsFile } from '@caretaker/rules/lighting/tests-file.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { datedName } from '@caretaker/rules/files/csv.ts'
import { exportedIds } from '../../lists/export.ts'
import type { Row } from '../../spreadsheets/table.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { testsById } from './store.ts'
import type { TestsAsked } from './test-list.ts'
import { testList, testsWanted } from './test-list.ts'

export const testsFileName = (now: number, zone: string) => datedName(dayAt(now, zone), testsFile)

/** The header and all matching tests, newest first, in batches. */
export async function* exportedTests(
  tx: TenantTx,
  actor: Actor,
  asked: TestsAsked,
  zone: string,
): AsyncGenerator<Row[]> {
  yield [testColumns.map(({ label }) => label)]
  const wanted = testsWanted(asked, { sort: 'testDate', descending: true })
  for await (const ids of exportedIds(testList, tx, actor, wanted)) {
    const tests = await testsById(tx, actor, ids, false)
    yield tests.map((test: EmergencyTest) => testColumns.map(({ text }) => text(test, zone)))
  }
}
