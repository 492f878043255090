import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { TestType } from '@caretaker/rules/lighting/tests.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import type { Recorded } from '../projections/events/audit.ts'
import type { NamedDevice } from '../projections/events/devices.ts'
import { record } from '../projections/record.ts'

/** A test of a group to plan. Start in ms. */
export interface GroupTest {
  group: { id: string; name: string; building: string }
  testType: TestType
  startsAt: number
}

/** Plans tests of groups in one statement; an existing run, in any state, is not written again. */
export async function planRuns(tx: TenantTx, tests: readonly GroupTest[]): Promise<void> {
  if (!tests.length) return
  await sql`
    insert into test_run (tenant_id, id, group_id, group_name, building_id, test_type, starts_at)
    select ${tx.tenant}, id, group_id, group_name, building_id, test_type, starts_at
    from unnest(
      ${tests.map(() => randomUUID())}::uuid[], ${tests.map(({ group }) => group.id)}::uuid[],
      ${tests.map(({ group }) => group.name)}::text[], ${tests.map(({ group }) => group.building)}::uuid[],
      ${tests.map(({ testType }) => testType)}::text[],
      ${tests.map(({ startsAt }) => new Date(startsAt).toISOString())}::timestamptz[]
    ) as run (id, group_id, group_name, building_id, test_type, starts_at)
    on conflict do nothing`.execute(tx)
  const first = tests.reduce((least, { startsAt }) => Math.min(least, startsAt), Infinity)
  record(tx, [{ type: 'TestRunsPlanned', firstStartsAt: new Date(first) }])
}

/** Plans a run of a group again for lights that missed it. Returns false if a run is planned for that time. */
export async function repeatRun(
  tx: TenantTx,
  run: { id: string; group_id: string },
  { startsAt, deviceIds }: { startsAt: Date; deviceIds: readonly string[] },
): Promise<boolean> {
  const { rows } = await sql`
    insert into test_run (tenant_id, id, group_id, group_name, building_id, test_type, starts_at, repeats)
    select ${tx.tenant}, ${randomUUID()}::uuid, group_id, group_name, building_id, test_type, ${startsAt}::timestamptz, id
    from test_run where tenant_id = ${tx.tenant} and id = ${run.id}
    on conflict do nothing returning id`.execute(tx)
  if (!rows.length) return false
  record(tx, [{ type: 'TestRunRepeated', groupId: run.group_id, startsAt, deviceIds }])
  return true
}

/** Deletes the planned runs of groups, those after a time if given; returns them. The caller announces the groups. */
export async function deletePlannedRuns(tx: TenantTx, groupIds: readonly string[], after?: Date) {
  return tx
    .deleteFrom('test_run')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`group_id = any(${groupIds}::uuid[])`)
    .where('state', '=', 'planned')
    .$if(after !== undefined, (planned) => planned.where('starts_at', '>', after!))
    .returning(['group_id', 'test_type', 'starts_at', 'repeats'])
    .execute()
}

/** Deletes the repeated runs of a building that are planned after a time. The caller plans them again. */
export async function deleteRepeatedRuns(tx: TenantTx, building: string, after: Date): Promise<void> {
  await tx
    .deleteFrom('test_run')
    .where('tenant_id', '=', tx.tenant)
    .where('building_id', '=', building)
    .where('repeats', 'is not', null)
    .where('state', '=', 'planned')
    .where('starts_at', '>', after)
    .execute()
}

/** The group name of a run for a single light. Such a run belongs to the light instead of a group. */
const ofOneLight = 'This light'

/** Plans a test of a single locked light, replacing the planned one; returns the id of the run. */
export async function planLightTest(
  tx: TenantTx,
  by: Recorded,
  { deviceId, serial, buildingId }: NamedDevice & { buildingId: string | null },
  { testType, startsAt }: { testType: TestType; startsAt: Date },
): Promise<string> {
  await deletePlannedRuns(tx, [deviceId])
  const runId = randomUUID()
  await tx
    .insertInto('test_run')
    .values({
      ...{ tenant_id: tx.tenant, id: runId, group_id: deviceId, group_name: ofOneLight, test_type: testType },
      ...{ building_id: buildingId ?? deviceId, starts_at: startsAt },
    })
    .execute()
  await tx
    .insertInto('test_run_light')
    .values({ tenant_id: tx.tenant, run_id: runId, device_id: deviceId, due_at: startsAt })
    .execute()
  const after = { testType, startsAt: startsAt.toISOString() }
  record(tx, [{ type: 'LightTestPlanned', deviceId, serial, by, before: null, after, startsAt }])
  return runId
}

/** Deletes the planned test of a single locked light. */
export async function withdrawLightTest(
  tx: TenantTx,
  by: Recorded,
  { deviceId, serial }: NamedDevice,
  { testType, startsAt }: { testType: TestType; startsAt: Date },
): Promise<void> {
  await deletePlannedRuns(tx, [deviceId])
  const before = { testType, startsAt: startsAt.toISOString() }
  record(tx, [{ type: 'LightTestWithdrawn', deviceId, serial, by, before, after: null }])
}

/** Removes uninstalled lights from all test runs. */
export async function deletePlannedLightsOf(tx: TenantTx, deviceIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('test_run_light')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${deviceIds}::uuid[])`)
    .execute()
}
