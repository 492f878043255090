import { sql } from 'kysely'
import type { TenantTx } from '../postgres/tenant.ts'
import type { DeviceBatteryEmptied } from '../projections/events/devices.ts'
import { record } from '../projections/record.ts'
import type { Standing } from './statuses.ts'
import { recordStatuses, standingRows } from './statuses.ts'

/** Reported values of a device that differ from before. */
export interface ReportedState {
  id: string
  /** The reported fields, as JSON. */
  patch: string
  /** Whether lists show it. */
  isListed: boolean
  /** The equipment that a boiler's device monitors, if it changed. */
  monitoring: string | null
}

/** Writes reported values of locked devices together with the resulting status: a new status comes from new values. */
export async function reportStates(
  tx: TenantTx,
  states: readonly ReportedState[],
  standings: readonly Standing[],
): Promise<void> {
  if (!states.length) return
  await sql`
    update device set reported = device.reported || patch.fields, monitoring = coalesce(patch.monitoring, device.monitoring),
      status = coalesce(standing.status, device.status), severity = coalesce(standing.severity, device.severity),
      status_at = coalesce(standing.at, device.status_at),
      status_reason = case when standing.id is null then device.status_reason else standing.reason end,
      status_reason_folded = case when standing.id is null then device.status_reason_folded else lower(standing.reason) end
    from unnest(
      ${states.map(({ id }) => id)}::uuid[], ${states.map(({ patch }) => patch)}::jsonb[],
      ${states.map(({ monitoring }) => monitoring)}::text[]
    ) as patch (id, fields, monitoring) left join ${standingRows(standings)} on standing.id = patch.id
    where device.tenant_id = ${tx.tenant} and device.id = patch.id`.execute(tx)
  recordStatuses(tx, standings)
  record(
    tx,
    states.map(({ id, isListed, monitoring }) => ({ type: 'DeviceStateReported', deviceId: id, isListed, monitoring })),
  )
}

/** Records when batteries were empty: a job checks whether they charge in time. */
export function recordEmptyBatteries(tx: TenantTx, emptied: readonly Omit<DeviceBatteryEmptied, 'type'>[]): void {
  record(
    tx,
    emptied.map((one) => ({ type: 'DeviceBatteryEmptied', ...one })),
  )
}

/** A device whose connection state changed at a time. */
export interface ConnectionChange {
  id: string
  before: string | null
  status: string
  at: Date
}

/** Writes the connection states that differ. */
export async function setConnections(tx: TenantTx, changes: readonly ConnectionChange[]): Promise<void> {
  await sql`
    with changed as (
      select device.id, change.status, change.at
      from unnest(
        ${changes.map(({ id }) => id)}::uuid[], ${changes.map(({ status }) => status)}::text[],
        ${changes.map(({ at }) => at.toISOString())}::timestamptz[]
      ) as change (id, status, at)
      join device on device.tenant_id = ${tx.tenant} and device.id = change.id
      order by device.id
      for no key update of device
    )
    update device set connection_status = changed.status, connection_at = changed.at from changed
    where device.tenant_id = ${tx.tenant} and device.id = changed.id`.execute(tx)
  record(
    tx,
    changes.map(({ id, before, status, at }) => ({
      ...{ type: 'DeviceConnectionChanged', deviceId: id, before, after: status, at },
    })),
  )
}

/** Writes the desired state of a locked device. */
export async function setDesiredState(tx: TenantTx, deviceId: string, desired: Record<string, unknown>): Promise<void> {
  await tx
    .updateTable('device')
    .set({ desired })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', deviceId)
    .execute()
  record(tx, [{ type: 'DeviceDesiredStateChanged', deviceId }])
}

/** Writes how often devices report, in seconds, from which silence is detected. */
export async function setReportingIntervals(tx: TenantTx, intervals: ReadonlyMap<string, number>): Promise<void> {
  if (!intervals.size) return
  const [ids, seconds] = [[...intervals.keys()], [...intervals.values()]]
  await sql`
    update device set reporting_interval = input.seconds
    from unnest(${ids}::uuid[], ${seconds}::integer[]) as input (id, seconds)
    where device.tenant_id = ${tx.tenant} and device.id = input.id`.execute(tx)
  await sql`
    update device_route set reporting_interval = input.seconds
    from unnest(${ids}::uuid[], ${seconds}::integer[]) as input (id, seconds)
    where device_route.tenant_id = ${tx.tenant} and device_route.device_id = input.id`.execute(tx)
}
