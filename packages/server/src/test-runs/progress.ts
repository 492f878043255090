import { sql } from 'kysely'
import type { LightRunState } from '@caretaker/rules/lighting/runs.ts'
import type { TestType } from '@caretaker/rules/lighting/tests.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { record } from '../projections/record.ts'

/** A light of a run, with the time of its command in ISO 8601 and the gateway that sends it. */
export interface LightTurn {
  deviceId: string
  dueAt: string
  gatewayId: string | null
}

/** Begins a locked run with its lights. If `missed` is given, all lights have missed it for that reason. */
export async function beginRun(
  tx: TenantTx,
  run: { id: string; group_id: string; repeats: string | null },
  turns: readonly LightTurn[],
  { missed, now }: { missed: string | null; now: Date },
): Promise<void> {
  const deviceIds = turns.map(({ deviceId }) => deviceId)
  await sql`
    insert into test_run_light (tenant_id, run_id, device_id, due_at, gateway_id, state, reason, ended_at)
    select ${tx.tenant}, ${run.id}::uuid, light.id, light.due_at, light.gateway_id, ${missed === null ? 'waiting' : 'missed'},
      ${missed}, ${missed === null ? null : now}::timestamptz
    from unnest(
      ${deviceIds}::uuid[], ${turns.map(({ dueAt }) => dueAt)}::timestamptz[],
      ${turns.map(({ gatewayId }) => gatewayId)}::uuid[]
    ) as light (id, due_at, gateway_id)
    on conflict do nothing`.execute(tx)
  await tx
    .updateTable('test_run')
    // No light needs it any more: they were tested meanwhile, or left their group.
    .set(
      run.repeats && !deviceIds.length
        ? { state: 'cancelled', ended_at: now }
        : missed === null
          ? { state: 'running' }
          : { state: 'over', ended_at: now },
    )
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', run.id)
    .execute()
  record(tx, [{ type: 'TestRunBegan', groupId: run.group_id, deviceIds }])
}

/** Ends the runs whose lights all have a result; returns how many. */
export async function endFinishedRuns(tx: TenantTx, now: Date): Promise<number> {
  const { rows } = await sql<{ group_id: string }>`
    update test_run as run set state = 'over', ended_at = ${now}
    where run.tenant_id = ${tx.tenant} and run.state = 'running' and not exists (
      select from test_run_light as light
      where light.tenant_id = ${tx.tenant} and light.run_id = run.id and light.state in ('waiting', 'sent', 'running'))
    returning run.group_id`.execute(tx)
  record(
    tx,
    rows.map((row) => ({ type: 'TestRunEnded', groupId: row.group_id })),
  )
  return rows.length
}

/** Marks lights as missed if their command was due before a time and not sent; returns how many. */
export async function missLights(
  tx: TenantTx,
  { dueBefore, reason, now }: { dueBefore: Date; reason: string; now: Date },
): Promise<number> {
  const { rows } = await sql<{ device_id: string }>`
    update test_run_light set state = 'missed', reason = ${reason}, ended_at = ${now}
    where tenant_id = ${tx.tenant} and state = 'waiting' and due_at < ${dueBefore}
    returning device_id`.execute(tx)
  return recordLights(tx, rows)
}

/** For each test type, the start (ISO 8601) before which a test must have ended, and the reason if it has not. */
export interface LatestEnd {
  testType: TestType
  startedBefore: string
  reason: string
}

/** Interrupts lights under test whose end was never reported; returns how many. */
export async function interruptLights(tx: TenantTx, ends: readonly LatestEnd[], now: Date): Promise<number> {
  const { rows } = await sql<{ device_id: string }>`
    update test_run_light as light set state = 'interrupted', reason = ends.reason, ended_at = ${now}
    from test_run as run, unnest(${ends.map(({ testType }) => testType)}::text[],
      ${ends.map(({ startedBefore }) => startedBefore)}::timestamptz[], ${ends.map(({ reason }) => reason)}::text[])
      as ends (test_type, latest, reason)
    where light.tenant_id = ${tx.tenant} and run.tenant_id = ${tx.tenant} and run.id = light.run_id
      and ends.test_type = run.test_type and light.state = 'running' and coalesce(light.synced_at, light.due_at) < ends.latest
    returning light.device_id`.execute(tx)
  return recordLights(tx, rows)
}

/** The next state of a light in a run. */
export interface LightMove {
  runId: string
  deviceId: string
  state: LightRunState
  reason?: string | null
  commandId?: string | null
  syncedAt?: Date | null
}

/** Moves locked lights to their next state. */
export async function moveLights(tx: TenantTx, moves: readonly LightMove[], now: Date): Promise<void> {
  if (!moves.length) return
  const column = <T>(of: (move: LightMove) => T) => moves.map(of)
  await sql`
    update test_run_light as light set state = input.state, reason = input.reason,
      command_id = coalesce(input.command_id, light.command_id), synced_at = coalesce(input.synced_at, light.synced_at),
      ended_at = case when input.state in ('sent', 'running') then null else ${now}::timestamptz end
    from unnest(
      ${column(({ runId }) => runId)}::uuid[], ${column(({ deviceId }) => deviceId)}::uuid[],
      ${column(({ state }) => state)}::text[], ${column(({ reason }) => reason ?? null)}::text[],
      ${column(({ commandId }) => commandId ?? null)}::uuid[],
      ${column(({ syncedAt }) => syncedAt?.toISOString() ?? null)}::timestamptz[]
    ) as input (run_id, device_id, state, reason, command_id, synced_at)
    where light.tenant_id = ${tx.tenant} and light.run_id = input.run_id and light.device_id = input.device_id`.execute(
    tx,
  )
  recordLights(
    tx,
    moves.map(({ deviceId }) => ({ device_id: deviceId })),
  )
}

/** The state of a light in a run that follows from a test that it reported. */
export interface ReportedLight {
  runId: string
  deviceId: string
  state: LightRunState
  reason: string | null
  eventId: string | null
  startedAt: Date | null
}

/** Writes the states that follow from reported tests. The caller announces the results, which show them. */
export async function setReportedLights(tx: TenantTx, lights: readonly ReportedLight[]): Promise<void> {
  if (!lights.length) return
  const column = <T>(of: (light: ReportedLight) => T) => lights.map(of)
  await sql`
    update test_run_light as light set
      state = updates.state, reason = updates.reason, event_id = updates.event_id,
      synced_at = coalesce(light.synced_at, updates.started_at),
      ended_at = case when updates.state <> 'running' then ${new Date()}::timestamptz end
    from unnest(
      ${column(({ runId }) => runId)}::uuid[], ${column(({ deviceId }) => deviceId)}::uuid[],
      ${column(({ state }) => state)}::text[], ${column(({ reason }) => reason)}::text[],
      ${column(({ eventId }) => eventId)}::uuid[],
      ${column(({ startedAt }) => startedAt?.toISOString() ?? null)}::timestamptz[]
    ) as updates (run_id, device_id, state, reason, event_id, started_at)
    where light.tenant_id = ${tx.tenant} and light.run_id = updates.run_id and light.device_id = updates.device_id`.execute(
    tx,
  )
}

/** Records that the states of lights changed; returns how many. */
function recordLights(tx: TenantTx, rows: readonly { device_id: string }[]): number {
  record(
    tx,
    rows.map((row) => ({ type: 'TestedLightChanged', deviceId: row.device_id })),
  )
  return rows.length
}
