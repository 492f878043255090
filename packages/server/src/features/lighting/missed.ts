import { sql } from 'kysely'
import { severityOf } from '@caretaker/rules/devices/status.ts'
import type { TestType } from '@caretaker/rules/lighting/tests.ts'
import { requiredTests } from '@caretaker/rules/lighting/overdue.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { happened } from '../conditions/store.ts'
import { countedResult } from './counted.ts'

/** Maximum number of lights warned in one transaction. */
const atOnce = 1000
/** Days to look back; older runs have already been checked. */
const lookBack = 2

/** Records required group tests that did not take place and were not repeated, as conditions of their lights. */
export async function warnOfMissed(tx: TenantTx, now: Date) {
  const { rows } = await sql<{ id: string; testType: TestType; at: Date; reason: string | null }>`
    select distinct on (device.id, run.test_type)
      device.id, run.test_type as "testType", light.due_at as at, light.reason
    from test_run_light as light
    join test_run as run on run.tenant_id = ${tx.tenant} and run.id = light.run_id
    join device on device.tenant_id = ${tx.tenant} and device.id = light.device_id
    where light.tenant_id = ${tx.tenant} and light.state in ('missed', 'notStarted', 'interrupted')
      and light.due_at > ${now}::timestamptz - ${lookBack} * interval '1 day'
      and run.test_type = any(${requiredTests as readonly string[]}::text[])
      and device.severity <> ${severityOf('Inventory')}
      and not exists (
        select from condition where condition.tenant_id = ${tx.tenant} and condition.device_id = device.id
          and kind = 'testMissed' and key = run.test_type and (ended_at is null or began_at >= light.due_at))
      and not exists (
        select from emergency_test as test
        where test.tenant_id = ${tx.tenant} and test.device_id = device.id and test.started_at >= light.due_at
          and ${countedResult} in ('Passed', 'Degraded', 'Failed') and (run.test_type = 'T0' or test.test_type = 'T180'))
    order by device.id, run.test_type, light.due_at desc limit ${atOnce}`.execute(tx)
  if (!rows.length) return { moved: 0, more: false }
  await tx
    .selectFrom('device')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${rows.map(({ id }) => id)}::uuid[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  await happened(
    tx,
    rows.map(({ id, testType, at, reason }) => ({
      deviceId: id,
      occurrence: { what: 'test missed', at: +at, testType, evidence: { ...(reason && { description: reason }) } },
    })),
  )
  return { moved: rows.length, more: rows.length === atOnce }
}
