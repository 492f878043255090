import { sql } from 'kysely'
import { askedTypes } from '@caretaker/rules/lighting/plan.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/**
 * Whether a light of a run, `light`, still needs the test of the run, `run`, that it missed: it has had no such test
 * since, from any source, and is still in its group, which still requires such tests. A test that has only begun
 * may still fail to complete. The plan and the warnings of missed tests both use this.
 */
export const wantsAgain = (tx: TenantTx) => sql<boolean>`
  light.state in ('missed', 'notStarted', 'interrupted') and exists (
    select from light_group_member as member
    join light_group on light_group.tenant_id = ${tx.tenant} and light_group.id = member.group_id
    where member.tenant_id = ${tx.tenant} and member.device_id = light.device_id and member.group_id = run.group_id
      and (run.test_type <> all(${askedTypes}::text[]) or run.test_type = any(light_group.also_types)))
  and not exists (
    select from emergency_test as test
    where test.tenant_id = ${tx.tenant} and test.device_id = light.device_id and test.test_type = run.test_type
      and test.started_at >= run.starts_at and test.result not in ('Indeterminate', 'AwaitingAnalysis'))`

/** The lights that still need their missed tests, by run. */
export async function lightsAgain(tx: TenantTx, runIds: readonly string[]): Promise<Map<string, string[]>> {
  if (!runIds.length) return new Map()
  const { rows } = await sql<{ run_id: string; device_id: string }>`
    select light.run_id, light.device_id
    from test_run_light as light join test_run as run on run.tenant_id = ${tx.tenant} and run.id = light.run_id
    where light.tenant_id = ${tx.tenant} and light.run_id = any(${runIds}::uuid[]) and ${wantsAgain(tx)}
    order by light.device_id`.execute(tx)
  const byRun = Map.groupBy(rows, (row) => row.run_id)
  return new Map([...byRun].map(([id, lights]) => [id, lights.map((row) => row.device_id)]))
}
