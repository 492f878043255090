import { sql } from 'kysely'
import { severityOf } from '@caretaker/rules/devices/status.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { record } from '../projections/record.ts'

/** The status that results from the open conditions of a device. */
export interface Standing {
  id: string
  status: string
  /** The status before. */
  former: string
  reason: string | null
  /** Since when it has this status, in ms. */
  at: number
}

/** Standings as rows named `standing`. */
export const standingRows = (standings: readonly Standing[]) => sql`
  unnest(
    ${standings.map(({ id }) => id)}::uuid[], ${standings.map(({ status }) => status)}::text[],
    ${standings.map(({ status }) => severityOf(status))}::int2[],
    ${standings.map(({ at }) => new Date(at).toISOString())}::timestamptz[],
    ${standings.map(({ reason }) => reason)}::text[]
  ) as standing (id, status, severity, at, reason)`

/** Writes the status of locked devices. */
export async function setDeviceStatuses(tx: TenantTx, standings: readonly Standing[]): Promise<void> {
  if (!standings.length) return
  await sql`
    update device set status = standing.status, severity = standing.severity, status_at = standing.at, status_reason = standing.reason,
      status_reason_folded = lower(standing.reason)
    from ${standingRows(standings)}
    where device.tenant_id = ${tx.tenant} and device.id = standing.id`.execute(tx)
  recordStatuses(tx, standings)
}

/** Records the status of devices whose row was written with it. */
export function recordStatuses(tx: TenantTx, standings: readonly Standing[]): void {
  record(
    tx,
    standings
      .filter(({ status, former }) => status !== former)
      .map(({ id, status, former, at }) => ({
        ...{ type: 'DeviceStatusChanged', deviceId: id, before: former, after: status, at: new Date(at) },
      })),
  )
}

/** Writes the reasons for the status of locked devices; the status stays the same. */
export async function setStatusReasons(
  tx: TenantTx,
  reasons: readonly { id: string; reason: string | null }[],
): Promise<void> {
  if (!reasons.length) return
  const ids = reasons.map(({ id }) => id)
  await sql`
    update device set status_reason = standing.reason, status_reason_folded = lower(standing.reason)
    from unnest(${ids}::uuid[], ${reasons.map(({ reason }) => reason)}::text[]) as standing (id, reason)
    where device.tenant_id = ${tx.tenant} and device.id = standing.id`.execute(tx)
  recordConditions(tx, ids)
}

/** Announces that conditions of devices changed: their pages show them. */
export function recordConditions(tx: TenantTx, deviceIds: readonly string[]): void {
  record(
    tx,
    deviceIds.map((deviceId) => ({ type: 'DeviceConditionsChanged', deviceId })),
  )
}
