import { sql } from 'kysely'
import type { RunningTest } from '@caretaker/rules/lighting/running.ts'
import { runningTest } from '@caretaker/rules/lighting/running.ts'
import type { TestType } from '@caretaker/rules/lighting/tests.ts'
import { minutesOf } from '@caretaker/rules/lighting/tests.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/** The longest test in ms: anything begun earlier has ended. */
const longest = Math.max(...Object.values(minutesOf)) * 60_000

/** The running tests that these lights have reported; the longest of each light. */
export async function runningTests(
  tx: TenantTx,
  deviceIds: readonly string[],
  now = Date.now(),
): Promise<Map<string, RunningTest>> {
  const running = new Map<string, RunningTest>()
  if (!deviceIds.length) return running
  const { rows } = await sql<{ device_id: string; test_type: TestType; started_at: Date }>`
    select device_id, test_type, started_at from emergency_test
    where tenant_id = ${tx.tenant} and device_id = any(${deviceIds}::uuid[])
      and started_at > ${new Date(now - longest)} and result = 'AwaitingAnalysis'
      and coalesce(told_result, result) = 'AwaitingAnalysis'`.execute(tx)
  for (const { device_id, test_type: testType, started_at } of rows) {
    const test = runningTest({ testType, testDate: started_at.toISOString(), result: 'AwaitingAnalysis' }, now)
    const other = running.get(device_id)
    if (test && (!other || minutesOf[other.testType] < minutesOf[testType])) running.set(device_id, test)
  }
  return running
}
