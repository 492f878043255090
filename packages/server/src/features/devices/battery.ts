import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { startOf } from '@caretaker/rules/lighting/plan.ts'
import { putInBy } from '@caretaker/rules/lighting/runs.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/** The day of the last repair of the battery of a `device`; null where none is recorded. */
const lastRepair = (tx: TenantTx) => sql<Day | null>`(
  select max(coalesce(repair.battery_fitted_on, repair.repaired_on)) from repair_form as repair
  where repair.tenant_id = ${tx.tenant} and repair.device_id = device.id and repair.parts ->> 'battery' = 'true')`

/**
 * The day on which the battery of a `device` was put in, as its equipment or a repair says; null where neither does. `equipment` names
 * the joined row of its equipment.
 */
export const batteryPutIn = (tx: TenantTx, equipment = 'equipment') => sql<Day | null>`greatest(
  ${sql.ref(`${equipment}.battery_installed`)}::text, ${lastRepair(tx)})`

/** The time of day at which a repair put the battery of a `device` in on that day; null where none says it. */
export const batteryPutInTime = (tx: TenantTx, equipment = 'equipment') => sql<string | null>`(
  select max(repair.repaired_time) from repair_form as repair
  where repair.tenant_id = ${tx.tenant} and repair.device_id = device.id and repair.parts ->> 'battery' = 'true'
    and coalesce(repair.battery_fitted_on, repair.repaired_on) = repair.repaired_on
    and repair.repaired_on = ${batteryPutIn(tx, equipment)})`

/** When at the latest a battery was put in of which the day is known, and perhaps the time of day. */
export const putInAt = (day: Day, time: string | null, zone: string): number =>
  time === null ? putInBy(day, zone) : startOf(`${day}T${time}`, zone)
/** Completed years from a day to today by the clocks of UTC. */
export const yearsSince = (day: RawBuilder<unknown>) =>
  sql<number>`extract(year from age(${new Date().toISOString().slice(0, 10)}::date, (${day})::date))::int`

/**
 * Lights with the day on which their battery was put in, as `fitted.on_day`: what their equipment and their repairs say, each read from an
 * index of those days alone. To be compared in `where`.
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

/** The same of one light. */
export async function batterySince(tx: TenantTx, deviceId: string): Promise<Day | null> {
  const { rows } = await sql<{ installed: Day | null }>`
    select ${batteryPutIn(tx)} as installed
    from device left join emergency_equipment as equipment
      on equipment.tenant_id = ${tx.tenant} and equipment.device_id = device.id
    where device.tenant_id = ${tx.tenant} and device.id = ${deviceId}`.execute(tx)
  return rows[0]?.installed ?? null
}

/** The day on which a repair of its battery was recorded last: that it was put in before is not so. */
export async function batteryRepairedOn(tx: TenantTx, deviceId: string): Promise<Day | null> {
  const { rows } = await sql<{ repaired: Day | null }>`
    select ${lastRepair(tx)} as repaired
    from device where device.tenant_id = ${tx.tenant} and device.id = ${deviceId}`.execute(tx)
  return rows[0]?.repaired ?? null
}
