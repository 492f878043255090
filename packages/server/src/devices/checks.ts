import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { TenantTx } from '../postgres/tenant.ts'
import { record } from '../projections/record.ts'

/**
 * Updates when lights were last tested.
 *
 * @param newest a query of `device_id`, `at` and `full_at`: the start of the last test and of the last full test that
 * count
 */
export async function setLastTests(tx: TenantTx, newest: RawBuilder<unknown>): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    update device set last_test_at = newest.at, last_full_test_at = newest.full_at
    from (${newest}) as newest
    where device.tenant_id = ${tx.tenant} and device.id = newest.device_id
      and (device.last_test_at, device.last_full_test_at) is distinct from (newest.at, newest.full_at)
    returning device.id`.execute(tx)
  record(
    tx,
    rows.map(({ id }) => ({ type: 'DeviceLastTestChanged', deviceId: id })),
  )
}

/** The gas check and water treatment of a device. */
export interface DeviceChecks {
  id: string
  /** ISO instants. */
  gas_due_at: string | null
  gas_state: string | null
  water_due_at: string | null
  water_state: string | null
  /** When the states must be recomputed. */
  turns_at: string | null
}

/** Writes the checks of locked devices where they differ; returns the ids of those. */
export async function setDeviceChecks(tx: TenantTx, checks: readonly DeviceChecks[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update device set gas_due_at = next.gas_due_at, gas_state = next.gas_state, water_due_at = next.water_due_at,
      water_state = next.water_state, compliance_turns_at = next.turns_at
    from json_to_recordset(${JSON.stringify(checks)}::json) as next (id uuid, gas_due_at timestamptz, gas_state text,
      water_due_at timestamptz, water_state text, turns_at timestamptz)
    where device.tenant_id = ${tx.tenant} and device.id = next.id
      and (device.gas_due_at, device.gas_state, device.water_due_at, device.water_state, device.compliance_turns_at)
        is distinct from (next.gas_due_at, next.gas_state, next.water_due_at, next.water_state, next.turns_at)
    returning device.id`.execute(tx)
  const ids = rows.map(({ id }) => id)
  record(
    tx,
    ids.map((deviceId) => ({ type: 'DeviceChecksChanged', deviceId })),
  )
  return ids
}
