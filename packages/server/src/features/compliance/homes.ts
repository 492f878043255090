import { sql } from 'kysely'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAt, startOfDay } from '@caretaker/rules/calendar/days.ts'
import { deadlineAfter, deadlineBefore } from '@caretaker/rules/compliance/due.ts'
import type { RecordStatus, RecordType } from '@caretaker/rules/compliance/records.ts'
import { changed } from '../../changes/changed.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { Reckoning } from './figures.ts'
import { reckoningOf } from './figures.ts'

/**
 * A home's checks. Its date is what somebody entered on its page or in a list, or the last record of its boilers that passed,
 * whichever is later; by a record it is due when the first of its boilers is.
 */

/** What is kept of a home's gas check. */
export interface GasCheck {
  last_gas_safety_check_on: Day | null
  gas_check_due_at: Date | null
  gas_check_after: Day | null
}

/** What is kept when the last check was on a day; `known` are the deadlines that it may keep the date of. */
export function gasCheckOn(day: Day | null, known: readonly (Day | null)[], { zone, figures }: Reckoning): GasCheck {
  if (day === null) return { last_gas_safety_check_on: null, gas_check_due_at: null, gas_check_after: null }
  const before = deadlineBefore(day, known, figures.GasSafety)
  const due = deadlineAfter(day, before, figures.GasSafety)
  return {
    last_gas_safety_check_on: day,
    gas_check_due_at: new Date(startOfDay(due, zone)),
    gas_check_after: before ?? null,
  }
}

/** Holds the home that a device is in, before the device itself, as everywhere. */
export async function holdHomeOf(tx: TenantTx, deviceId: string): Promise<void> {
  await sql`
    select property.id from property
    where property.tenant_id = ${tx.tenant} and property.id = (
      select device.property_id from device where device.tenant_id = ${tx.tenant} and device.id = ${deviceId})
    for no key update`.execute(tx)
}

/** The same of many devices; gives the homes. */
export async function holdHomesOf(tx: TenantTx, deviceIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from property where tenant_id = ${tx.tenant} and id in (
      select property_id from device where device.tenant_id = ${tx.tenant} and device.id = any(${deviceIds}::uuid[]))
    order by id for no key update`.execute(tx)
  return rows.map(({ id }) => id)
}

/** That a boiler of the home passed a check on the day that the home has. */
const isOfRecord = (tx: TenantTx, zone: string) => sql`exists (
  select from device as boiler
  join compliance_record as record on record.tenant_id = ${tx.tenant} and record.device_id = boiler.id
  where boiler.tenant_id = ${tx.tenant} and boiler.property_id = property.id and record.type = 'GasSafety'
    and record.status = 'Pass' and not record.is_draft
    and (record.recorded_at at time zone ${zone})::date = property.last_gas_safety_check_on)`

/**
 * The day on which a boiler of a home failed a check that it has not passed since: only a later day that somebody entered says that it
 * has, not a record of another boiler. Of all boilers of the home, whoever sees them.
 */
export async function failedChecks(tx: TenantTx, zone: string, homes: readonly string[]): Promise<Map<string, Day>> {
  const { rows } = await sql<{ id: string; day: Day }>`
    select property.id, to_char(max(failed.recorded_at at time zone ${zone}), 'YYYY-MM-DD') as day from property
    join device on device.tenant_id = ${tx.tenant} and device.property_id = property.id and device.gas_state = 'Failed'
    join compliance_record as failed on failed.tenant_id = ${tx.tenant} and failed.device_id = device.id
      and failed.type = 'GasSafety' and failed.status = 'Fail' and not failed.is_draft
    where property.tenant_id = ${tx.tenant} and property.id = any(${homes}::uuid[])
      and (coalesce((failed.recorded_at at time zone ${zone})::date >= property.last_gas_safety_check_on, true)
        or ${isOfRecord(tx, zone)})
    group by property.id`.execute(tx)
  return new Map(rows.map(({ id, day }) => [id, day]))
}

interface Recorded {
  deviceId: string
  type: RecordType
  recordedAt: Date
  status: RecordStatus
}

/** Gives the home of a settled boiler the day of a record that it has now; a failed check renews nothing. */
export async function settleHomeByRecord(
  tx: TenantTx,
  { deviceId, type, recordedAt, status }: Recorded,
): Promise<void> {
  if (status !== 'Pass') return
  const { zone } = await reckoningOf(tx)
  const day = dayAt(+recordedAt, zone)
  const column = sql.ref(type === 'GasSafety' ? 'last_gas_safety_check_on' : 'last_chemical_test_on')
  const { rows } = await sql<{ id: string }>`
    update property set ${column} = ${day}::date, version = property.version + 1
      ${type === 'GasSafety' ? sql`, gas_check_after = null` : sql``}
    from device
    where property.tenant_id = ${tx.tenant} and device.tenant_id = ${tx.tenant} and device.id = ${deviceId}
      and property.id = device.property_id and coalesce(property.${column} < ${day}::date, true)
    returning property.id`.execute(tx)
  if (type === 'GasSafety') await dueByRecords(tx, zone, { deviceId })
  await changed(
    tx,
    'property',
    rows.map(({ id }) => id),
  )
}

/** Where the last check of a home is a record of a boiler in it, the records say by when the next is due; of all homes, or of some. */
export async function dueByRecords(
  tx: TenantTx,
  zone: string,
  of: { deviceId?: string; homes?: readonly string[] } = {},
): Promise<void> {
  const some = of.deviceId
    ? sql`and device.property_id = (
        select one.property_id from device as one where one.tenant_id = ${tx.tenant} and one.id = ${of.deviceId})`
    : of.homes && sql`and device.property_id = any(${of.homes}::uuid[])`
  await sql`
    update property set gas_check_due_at = told.due_at
    from (
      select device.property_id as id, min(device.gas_due_at) as due_at from device
      where device.tenant_id = ${tx.tenant} and device.property_id is not null and device.gas_due_at is not null
        ${some ?? sql``}
      group by device.property_id
    ) as told
    where property.tenant_id = ${tx.tenant} and property.id = told.id
      and property.gas_check_due_at is distinct from told.due_at
      and ${isOfRecord(tx, zone)}`.execute(tx)
}

/** Counts the due days of all homes anew, because the tenant counts by other figures or clocks now. Its boilers are settled. */
export async function settleGasChecks(tx: TenantTx): Promise<void> {
  const reckoning = await reckoningOf(tx)
  const { rows } = await sql<{ day: Day; after: Day | null }>`
    select distinct to_char(last_gas_safety_check_on, 'YYYY-MM-DD') as day, to_char(gas_check_after, 'YYYY-MM-DD') as after
    from property where tenant_id = ${tx.tenant} and last_gas_safety_check_on is not null`.execute(tx)
  if (!rows.length) return
  const due = rows.map(({ day, after }) => gasCheckOn(day, [after], reckoning).gas_check_due_at!)
  await sql`
    update property set gas_check_due_at = told.due_at
    from unnest(${rows.map(({ day }) => day)}::date[], ${rows.map(({ after }) => after)}::date[],
      ${due.map((at) => at.toISOString())}::timestamptz[]) as told (day, after, due_at)
    where property.tenant_id = ${tx.tenant} and property.last_gas_safety_check_on = told.day
      and property.gas_check_after is not distinct from told.after
      and property.gas_check_due_at is distinct from told.due_at`.execute(tx)
  await dueByRecords(tx, reckoning.zone)
  await changed(tx, 'property', null)
}
