import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { startOf } from '@caretaker/rules/lighting/plan.ts'
import { putInBy } from '@caretaker/rules/lighting/runs.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/** The day of the last battery repair of a `device`; null if none is recorded. */
const lastRepair = (tx: TenantTx) => sql<Day | null>`(
  select max(coalesce(repair.battery_fitted_on, repair.repaired_on)) from repair_form as repair
  where repair.tenant_id = ${tx.tenant} and repair.device_id = device.id and repair.parts ->> 'battery' = 'true')`

/**
 * The day on which the battery of a `device` was fitted, according to its equipment or a repair; null if neither states
 * it. `equipment` names the joined row of its equipment.
 */
export const batteryPutIn = (tx: TenantTx, equipment = 'equipment') => sql<Day | null>`greatest(
  ${sql.ref(`${equipment}.battery_installed`)}::text, ${lastRepair(tx)})`

/** The time of day of the repair that fitted the battery on that day; null if unknown. */
export const batteryPutInTime = (tx: TenantTx, equipment = 'equipment') => sql<string | null>`(
  select max(repair.repaired_time) from repair_form as repair
  where repair.tenant_id = ${tx.tenant} and repair.device_id = device.id and repair.parts ->> 'battery' = 'true'
    and coalesce(repair.battery_fitted_on, repair.repaired_on) = repair.repaired_on
    and repair.repaired_on = ${batteryPutIn(tx, equipment)})`

/** The latest instant at which a battery was fitted, given the day and perhaps the time. */
export const putInAt = (day: Day, time: string | null, zone: string): number =>
  time === null ? putInBy(day, zone) : startOf(`${day}T${time}`, zone)
/** Full years from a day to today, in UTC. */
export const yearsSince = (day: RawBuilder<unknown>) =>
  sql<number>`extract(year from age(${new Date().toISOString().slice(0, 10)}::date, (${day})::date))::int`

/**
 * Lights with the day their battery was fitted, as `fitted.on_day`, from equipment and repairs, each read from an
 * index of those days alone. For comparison in `where`.
 */
export const batteriesPutIn = (tenant: string) => sql`
  from (
    select device_id, max(on_day) as on_day from (
      select device_id, battery_installed as on_day from emergency_equipment
      where tenant_id = ${tenant} and battery_installed is not null
      union all
      select device_id, repaired_on::date as on_day from repair_form
      where tenant_id = ${tenant} and parts ->> 'battery' = 'true'
    ) as known group by device_id
  ) as fitted`

/** The day on which the battery of one light was fitted. */
export async function batterySince(tx: TenantTx, deviceId: string): Promise<Day | null> {
  const { rows } = await sql<{ installed: Day | null }>`
    select ${batteryPutIn(tx)} as installed
    from device left join emergency_equipment as equipment
      on equipment.tenant_id = ${tx.tenant} and equipment.device_id = device.id
    where device.tenant_id = ${tx.tenant} and device.id = ${deviceId}`.execute(tx)
  return rows[0]?.installed ?? null
}

/** The day of the last recorded battery repair, before which the battery cannot have been fitted. */
export async function batteryRepairedOn(tx: TenantTx, deviceId: string): Promise<Day | null> {
  const { rows } = await sql<{ repaired: Day | null }>`
    select ${lastRepair(tx)} as repaired
    from device where device.tenant_id = ${tx.tenant} and device.id = ${deviceId}`.execute(tx)
  return rows[0]?.repaired ?? null
}
