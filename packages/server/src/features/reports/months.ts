import { sql } from 'kysely'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { Month } from '@caretaker/rules/reports/months.ts'
import { isRunning, monthAfter, monthOf, monthSpan, monthText } from '@caretaker/rules/reports/months.ts'
import { zoneOf } from '../../lists/read.ts'
import type { Db } from '../../postgres/pool.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { Gathered } from './gather.ts'
import { gather } from './gather.ts'

/** The key of a month in its table: its first day. */
export const monthKey = (month: Month) => `${monthText(month)}-01`

/** A month with known figures, and the moment that they describe. */
export interface KnownMonth {
  month: Month
  /** When the places of devices were recorded: at the month's end, or so far. */
  asAt: Date
  isRunning: boolean
}

/** Device rows per insert. */
const atOnce = 2000

/** Months closed later than this many ms after their end state so. */
const promptly = 24 * 3_600_000

/** Whether the month was closed so late that the places of devices may have changed since its end. */
export const isLate = ({ month, asAt }: KnownMonth, zone: string) => +asAt > monthSpan(month, zone).to + promptly

/**
 * Stores the data for reports of ended months, each in a transaction of its own: the last month, those missed since
 * the last closed one while nothing was running, and those with a report written while they ran. Returns how many.
 */
export async function closeMonths(db: Db, tenant: string, now: Date): Promise<number> {
  const months = await inTenant(db, tenant, (tx) => openMonths(tx, now))
  for (const month of months) await inTenant(db, tenant, (tx) => closeMonth(tx, month, now))
  return months.length
}

/** The ended months that are not closed yet, oldest first. */
async function openMonths(tx: TenantTx, now: Date): Promise<Month[]> {
  const zone = await zoneOf(tx)
  const running = monthOf(dayAt(+now, zone))
  const rows = await tx
    .selectFrom('report_month')
    .select(sql<string>`to_char(month, 'YYYY-MM-DD')`.as('month'))
    .select('closed_at')
    .where('tenant_id', '=', tx.tenant)
    .where('month', '<', sql<Date>`${monthKey(running)}::date`)
    .orderBy('month')
    .execute()
  const closed = new Set(rows.flatMap((row) => (row.closed_at ? [row.month] : [])))
  const open = rows.flatMap((row) => (row.closed_at ? [] : [row.month]))
  const last = monthAfter(running, -1)
  // Months before the first closed one are never made up: reports did not exist then.
  const newest = [...closed].at(-1)
  const since = newest ? monthAfter(monthOf(newest), 1) : monthOf(open[0] ?? monthKey(last))
  const wanted = new Set(open)
  for (let month = since; monthKey(month) <= monthKey(last); month = monthAfter(month, 1)) wanted.add(monthKey(month))
  const months = [...wanted].toSorted().map(monthOf)
  if (!months.length) return []
  // A month before a client's first device has no data.
  const first = await tx
    .selectFrom('device')
    .select(({ fn }) => fn.min('created_at').as('at'))
    .where('tenant_id', '=', tx.tenant)
    .executeTakeFirst()
  return months.filter((month) => first?.at && +first.at < monthSpan(month, zone).to)
}

/** Closes an ended month, unless another process has meanwhile. */
async function closeMonth(tx: TenantTx, month: Month, now: Date): Promise<void> {
  const zone = await zoneOf(tx)
  await sql`
    insert into report_month (tenant_id, month, gathered_at) values (${tx.tenant}, ${monthKey(month)}, ${now})
    on conflict do nothing`.execute(tx)
  const row = await monthRow(tx, month).forUpdate().executeTakeFirst()
  if (!row?.closed_at) await write(tx, month, { now, zone, isClosed: true, hasClimate: true })
}

/** When the current month ends. */
export async function monthEnds(tx: TenantTx, now: Date): Promise<Date> {
  const zone = await zoneOf(tx)
  return new Date(monthSpan(monthOf(dayAt(+now, zone)), zone).to)
}

/**
 * Gathers the data of a month's report: the current month up to now, or an ended month if it is not closed yet. It
 * runs in a transaction apart from the report's own, so that a slowly read report does not block others. `hasClimate`
 * states whether the report has room and warmth columns; without them there is much less to read.
 */
export async function gatherMonth(
  tx: TenantTx,
  month: Month,
  { now, hasClimate }: { now: Date; hasClimate: boolean },
): Promise<void> {
  const zone = await zoneOf(tx)
  if (isRunning(month, dayAt(+now, zone))) return write(tx, month, { now, zone, isClosed: false, hasClimate })
  const open = await openMonths(tx, now)
  // The worker may not have closed it yet, and data gathered while it ran is not final.
  if (open.some((one) => monthKey(one) === monthKey(month))) await closeMonth(tx, month, now)
}

/** A gathered month; undefined if nothing is stored. */
export async function knownMonth(tx: TenantTx, month: Month, now: Date): Promise<KnownMonth | undefined> {
  const row = await monthRow(tx, month).executeTakeFirst()
  const running = isRunning(month, dayAt(+now, await zoneOf(tx)))
  return row && (running || row.closed_at) ? { month, asAt: row.gathered_at, isRunning: running } : undefined
}

const monthRow = (tx: TenantTx, month: Month) =>
  tx
    .selectFrom('report_month')
    .select(['gathered_at', 'closed_at'])
    .where('tenant_id', '=', tx.tenant)
    .where('month', '=', sql<Date>`${monthKey(month)}::date`)

interface Writing {
  now: Date
  zone: string
  isClosed: boolean
  hasClimate: boolean
}

async function write(tx: TenantTx, month: Month, { now, zone, isClosed, hasClimate }: Writing): Promise<void> {
  const key = monthKey(month)
  const closed = isClosed ? now : null
  await sql`
    insert into report_month (tenant_id, month, gathered_at, closed_at) values (${tx.tenant}, ${key}, ${now}, ${closed})
    on conflict (tenant_id, month) do update set gathered_at = excluded.gathered_at, closed_at = excluded.closed_at`.execute(
    tx,
  )
  await forgetGone(tx, key)
  await sql`
    insert into report_home (tenant_id, month, property_id, reference, address, postcode, epc_rating, architype, access_rights_tag_id)
    select ${tx.tenant}, ${key}::date, id, reference, address, postcode, epc_rating, architype, access_rights_tag_id
    from property where tenant_id = ${tx.tenant} and archived_at is null
    on conflict (tenant_id, month, property_id) do update set reference = excluded.reference, address = excluded.address,
      postcode = excluded.postcode, epc_rating = excluded.epc_rating, architype = excluded.architype,
      access_rights_tag_id = excluded.access_rights_tag_id,
      figures = ${hasClimate ? sql`null` : sql`report_home.figures`}`.execute(tx)
  const { from, to } = monthSpan(month, zone)
  for await (const some of gather(
    tx,
    { from, to: Math.min(to, +now), zone },
    hasClimate ? { isRunning: !isClosed } : undefined,
  ))
    await addGathered(tx, key, some, hasClimate)
}

/** Deletes gathered rows of devices that no longer have a place. */
async function forgetGone(tx: TenantTx, key: string): Promise<void> {
  await sql`
    delete from report_home where tenant_id = ${tx.tenant} and month = ${key}::date and not exists (
      select from property where property.tenant_id = ${tx.tenant} and property.id = report_home.property_id
        and property.archived_at is null)`.execute(tx)
  await sql`
    delete from report_device where tenant_id = ${tx.tenant} and month = ${key}::date and not exists (
      select from device where device.tenant_id = ${tx.tenant} and device.id = report_device.device_id
        and (device.property_id is not null or device.building_id is not null))`.execute(tx)
}

async function addGathered(tx: TenantTx, key: string, { devices, homes }: Gathered, hasClimate: boolean) {
  for (let first = 0; first < devices.length; first += atOnce)
    await sql`
      insert into report_device (tenant_id, month, device_id, property_id, building_name, serial, product, room, status,
        is_connected, access_rights_tag_id, hours_not_heard, faults_begun, tests_passed, tests_failed, figures)
      select ${tx.tenant}, ${key}::date, device_id, property_id, building_name, serial, product, room, status,
        is_connected, access_rights_tag_id, hours_not_heard, faults_begun, tests_passed, tests_failed, figures
      from jsonb_to_recordset(${JSON.stringify(devices.slice(first, first + atOnce))}::jsonb) as row (
        device_id uuid, property_id uuid, building_name text, serial text, product text, room text, status text,
        is_connected boolean, access_rights_tag_id uuid, hours_not_heard real, faults_begun integer,
        tests_passed integer, tests_failed integer, figures jsonb)
      on conflict (tenant_id, month, device_id) do update set property_id = excluded.property_id,
        building_name = excluded.building_name, serial = excluded.serial, product = excluded.product, room = excluded.room,
        status = excluded.status, is_connected = excluded.is_connected, access_rights_tag_id = excluded.access_rights_tag_id,
        hours_not_heard = excluded.hours_not_heard, faults_begun = excluded.faults_begun,
        tests_passed = excluded.tests_passed, tests_failed = excluded.tests_failed,
        figures = ${hasClimate ? sql`excluded.figures` : sql`report_device.figures`}`.execute(tx)
  if (homes.length)
    await sql`
      update report_home set figures = known.figures
      from jsonb_to_recordset(${JSON.stringify(homes)}::jsonb) as known ("propertyId" uuid, figures jsonb)
      where report_home.tenant_id = ${tx.tenant} and report_home.month = ${key}::date
        and report_home.property_id = known."propertyId"`.execute(tx)
}
