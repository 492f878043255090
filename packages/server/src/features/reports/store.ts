import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { refuse, refuseTooMany } from '@caretaker/contract/refusal.ts'
import type { ReportRun, ReportSchedule } from '@caretaker/contract/reports.ts'
import { dayAt, instantOf } from '@caretaker/rules/calendar/days.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { Reader, ReportFormat, ReportType, RunFormat, RunType } from '@caretaker/rules/reports/kinds.ts'
import { isReportTag, mayReport, reportKeptDays, reports } from '@caretaker/rules/reports/kinds.ts'
import type { SheetsOrder } from '@caretaker/rules/inspection/sheet.ts'
import type { Month } from '@caretaker/rules/reports/months.ts'
import { monthAfter, monthFault, monthOf, monthText } from '@caretaker/rules/reports/months.ts'
import { changed } from '../../changes/changed.ts'
import { zoneOf } from '../../lists/read.ts'
import type { Claim } from '../../postgres/claim.ts'
import { claimOldest } from '../../postgres/claim.ts'
import { makeDue } from '../../postgres/due.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { monthKey } from './months.ts'
import { naturally } from '../../postgres/natural-order.ts'

/** The channel that notifies the worker of an ordered report. */
export const reportWaiting = 'report_waiting'

const kept = reportKeptDays * 86_400_000
/** Maximum number of pending or running reports per user. */
const mostOpen = 5
/** Seconds within which most reports are written. */
const retryReportAfter = 30

/** The report that the user requests. */
export interface Wanted {
  reportType: ReportType
  month: Month | null
  tagIds: readonly string[]
  format: ReportFormat
}

/** The tags that a report can be filtered by, by name. */
export async function reportTags(tx: TenantTx): Promise<{ id: string; name: string }[]> {
  const rows = await tx
    .selectFrom('access_rights_tag')
    .select(['id', 'display_name as name'])
    .where('tenant_id', '=', tx.tenant)
    .orderBy(naturally(sql`display_name`))
    .execute()
  return rows.filter(({ name }) => isReportTag(name))
}

/**
 * Refuses a report that the actor may not have, an invalid month, or a tag that is not the tenant's; returns the
 * tags' names.
 */
export async function expectReport(
  tx: TenantTx,
  actor: Actor,
  { reportType, month, tagIds }: Pick<Wanted, 'reportType' | 'month' | 'tagIds'>,
  now: Date,
): Promise<string[]> {
  if (!mayReport(actor, reportType)) throw refuse('forbidden')
  const { isMonthly, isSchedulable, label } = reports[reportType]
  const wrong = (field: string, message: string) => refuse('invalid', message, [{ field, message }])
  if (isMonthly !== (month !== null))
    throw wrong('month', isMonthly ? `${label} is a monthly report.` : `${label} is not a monthly report.`)
  const fault = month && monthFault(month, dayAt(+now, await zoneOf(tx)))
  if (fault) throw wrong('month', fault)
  if (!isSchedulable && tagIds.length) throw wrong('tag', `${label} cannot be filtered by tags.`)
  const known = new Map((tagIds.length ? await reportTags(tx) : []).map(({ id, name }) => [id, name]))
  return tagIds.map((id) => {
    const name = known.get(id)
    if (name === undefined) throw wrong('tag', 'This tag does not exist.')
    return name
  })
}

const columns = [
  ...([
    'id',
    'report_type',
    'tag_ids',
    'format',
    'sheets',
    'state',
    'rows_written',
    'fault',
    'file_id',
    'file_name',
  ] as const),
  ...([
    'reader',
    'size',
    'asked_at',
    'finished_at',
    'schedule_id',
    'membership_id',
    'scheduled_for',
    'attempts',
  ] as const),
] as const

const runs = (tx: TenantTx) =>
  tx
    .selectFrom('report_run')
    .where('tenant_id', '=', tx.tenant)
    .select(columns)
    .select(sql<string | null>`to_char(month, 'YYYY-MM')`.as('month'))

export type StoredRun = Awaited<ReturnType<typeof ownRun>>

/** A report of the user's own; those of others are not found. */
export async function ownRun(tx: TenantTx, actor: Actor, runId: string) {
  const run = await runs(tx).where('id', '=', runId).where('membership_id', '=', actor.memberId).executeTakeFirst()
  if (!run) throw refuse('not found')
  return run
}

export const monthIn = (text: string | null): Month | null => (text === null ? null : monthOf(`${text}-01`))

export async function ownRuns(tx: TenantTx, actor: Actor): Promise<ReportRun[]> {
  const rows = await runs(tx)
    .where('membership_id', '=', actor.memberId)
    .orderBy('asked_at', 'desc')
    .orderBy('id')
    .limit(500)
    .execute()
  const names = await namesOf(tx)
  return rows.map((row) => asReportRun(row, names))
}

async function namesOf(tx: TenantTx): Promise<Map<string, string>> {
  const rows = await tx
    .selectFrom('access_rights_tag')
    .select(['id', 'display_name'])
    .where('tenant_id', '=', tx.tenant)
    .execute()
  return new Map(rows.map(({ id, display_name: name }) => [id, name]))
}

const asReportRun = (row: StoredRun, names: ReadonlyMap<string, string>): ReportRun => ({
  runId: row.id,
  reportType: row.report_type,
  month: monthIn(row.month),
  tags: row.tag_ids.map((id) => names.get(id) ?? 'a deleted tag'),
  format: row.format,
  state: row.state,
  rows: row.rows_written,
  fault: row.fault,
  fileName: row.file_name,
  size: row.size,
  askedAt: row.asked_at.toISOString(),
  finishedAt: row.finished_at?.toISOString() ?? null,
  keptUntil: new Date(+(row.finished_at ?? row.asked_at) + kept).toISOString(),
  isScheduled: row.schedule_id !== null,
})

interface Order extends Omit<Wanted, 'reportType' | 'format'> {
  reportType: RunType
  format: RunFormat
  sheets?: SheetsOrder
  membershipId: string
  schedule?: { id: string; at: Date }
}

/** Requests a report from the worker; the right was checked before. */
export async function orderReport(tx: TenantTx, order: Order, now: Date): Promise<string> {
  const id = randomUUID()
  await tx
    .insertInto('report_run')
    .values({
      ...{ tenant_id: tx.tenant, id, membership_id: order.membershipId, report_type: order.reportType },
      ...{ month: order.month && monthKey(order.month), tag_ids: [...order.tagIds], format: order.format },
      ...{ state: 'waiting', asked_at: now },
      ...(order.sheets && { sheets: JSON.stringify(order.sheets) }),
      ...(order.schedule && { schedule_id: order.schedule.id, scheduled_for: order.schedule.at }),
    })
    .execute()
  await makeDue(tx, 'write reports')
  await sql`select pg_notify(${reportWaiting}, ${tx.tenant})`.execute(tx)
  await changed(tx, 'report', [id], [order.membershipId])
  return id
}

export async function startRun(
  tx: TenantTx,
  actor: Actor,
  wanted: Omit<Order, 'membershipId'>,
  now: Date,
): Promise<ReportRun> {
  const { open } = await tx
    .selectFrom('report_run')
    .select(sql<number>`count(*)::int`.as('open'))
    .where('tenant_id', '=', tx.tenant)
    .where('membership_id', '=', actor.memberId)
    .where('finished_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (open >= mostOpen)
    throw refuseTooMany(
      { limit: mostOpen, retryAfter: retryReportAfter },
      `${mostOpen} of your reports are being created. Please wait until one of them is finished.`,
    )
  const id = await orderReport(tx, { ...wanted, membershipId: actor.memberId }, now)
  return asReportRun(await ownRun(tx, actor, id), await namesOf(tx))
}

export async function deleteRun(tx: TenantTx, actor: Actor, runId: string): Promise<void> {
  await ownRun(tx, actor, runId)
  await tx.deleteFrom('report_run').where('tenant_id', '=', tx.tenant).where('id', '=', runId).execute()
  await changed(tx, 'report', [runId], [actor.memberId])
}

/** The next time of a schedule after an instant, in a time zone. */
export function nextTime({ day, hour }: { day: number; hour: number }, after: number, zone: string): number {
  const running = monthOf(dayAt(after, zone))
  for (let months = 0; ; months++) {
    const text = `${monthText(monthAfter(running, months))}-${String(day).padStart(2, '0')}`
    const at = instantOf(Date.parse(`${text}T00:00:00Z`) + hour * 3_600_000, zone)
    if (at > after) return at
  }
}

const schedules = (tx: TenantTx) => tx.selectFrom('report_schedule').selectAll().where('tenant_id', '=', tx.tenant)

export async function ownSchedules(tx: TenantTx, actor: Actor): Promise<ReportSchedule[]> {
  const rows = await schedules(tx).where('membership_id', '=', actor.memberId).orderBy('created_at').execute()
  const names = await namesOf(tx)
  const members = await memberNames(
    tx,
    rows.flatMap(({ recipient_ids: ids }) => ids),
  )
  return rows.map((row) => ({
    recipients: row.recipient_ids.flatMap((id) => {
      const name = members.get(id)
      return name === undefined ? [] : [{ id, name }]
    }),
    scheduleId: row.id,
    reportType: row.report_type,
    tags: row.tag_ids.map((id) => ({ id, name: names.get(id) ?? 'a deleted tag' })),
    format: row.format,
    day: row.day,
    hour: row.hour,
    nextAt: row.next_at.toISOString(),
    lastAt: row.last_at?.toISOString() ?? null,
  }))
}

/** The names of these members, without those that do not exist. */
async function memberNames(tx: TenantTx, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await tx
    .selectFrom('membership')
    .select(['id', 'name'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

type WantedSchedule = Omit<Wanted, 'month'> & { day: number; hour: number; recipientIds: readonly string[] }

/** The stored columns of a schedule; refuses recipients whom the actor may not see, or who are not members. */
async function scheduleColumns(tx: TenantTx, actor: Actor, wanted: WantedSchedule, now: Date) {
  const recipients = [...new Set(wanted.recipientIds)].filter((id) => id !== actor.memberId)
  if (recipients.length && !can(actor, 'see users')) throw refuse('forbidden')
  if ((await memberNames(tx, recipients)).size < recipients.length)
    throw refuse('invalid', undefined, [{ field: 'recipientIds', message: 'must be members of the client' }])
  return {
    ...{ report_type: wanted.reportType, tag_ids: [...wanted.tagIds], format: wanted.format, day: wanted.day },
    ...{ hour: wanted.hour, recipient_ids: recipients, next_at: new Date(nextTime(wanted, +now, await zoneOf(tx))) },
  }
}

const mostSchedules = 20

export async function addSchedule(
  tx: TenantTx,
  actor: Actor,
  wanted: WantedSchedule,
  now: Date,
): Promise<ReportSchedule> {
  const own = await ownSchedules(tx, actor)
  if (own.length >= mostSchedules)
    throw refuse('refused', `You have reached the maximum of ${mostSchedules} schedules.`)
  const columns = await scheduleColumns(tx, actor, wanted, now)
  const id = randomUUID()
  await tx
    .insertInto('report_schedule')
    .values({ tenant_id: tx.tenant, id, membership_id: actor.memberId, created_at: now, ...columns })
    .execute()
  return follow(tx, actor, id, columns.next_at)
}

export async function changeSchedule(
  tx: TenantTx,
  actor: Actor,
  id: string,
  wanted: WantedSchedule,
  now: Date,
): Promise<ReportSchedule> {
  const columns = await scheduleColumns(tx, actor, wanted, now)
  const { numUpdatedRows } = await tx
    .updateTable('report_schedule')
    .set(columns)
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .where('membership_id', '=', actor.memberId)
    .executeTakeFirstOrThrow()
  if (!numUpdatedRows) throw refuse('not found')
  return follow(tx, actor, id, columns.next_at)
}

/** Announces a stored schedule to the worker and to open pages. */
async function follow(tx: TenantTx, actor: Actor, id: string, next: Date): Promise<ReportSchedule> {
  await makeDue(tx, 'write reports', next)
  await changed(tx, 'report', [id], [actor.memberId])
  return (await ownSchedules(tx, actor)).find(({ scheduleId }) => scheduleId === id)!
}

export async function deleteSchedule(tx: TenantTx, actor: Actor, scheduleId: string): Promise<void> {
  const gone = await tx
    .deleteFrom('report_schedule')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', scheduleId)
    .where('membership_id', '=', actor.memberId)
    .executeTakeFirstOrThrow()
  if (!gone.numDeletedRows) throw refuse('not found')
  await changed(tx, 'report', [scheduleId], [actor.memberId])
}

/** The due schedules, locked; each is moved to its next time. */
export const dueSchedules = (tx: TenantTx, now: Date) =>
  schedules(tx).where('next_at', '<=', now).orderBy('next_at').forUpdate().execute()

export async function claimRun(tx: TenantTx, now: Date, claim: Claim): Promise<StoredRun | undefined> {
  const id = await claimOldest(tx, 'report_run', now, claim)
  return id === undefined ? undefined : runs(tx).where('id', '=', id).executeTakeFirstOrThrow()
}

/**
 * Stores the progress of a report, which shows that its writer is alive; false if the user has deleted the report
 * meanwhile.
 */
export async function storeProgress(
  tx: TenantTx,
  { id, membership_id: member }: Pick<StoredRun, 'id' | 'membership_id'>,
  { rows, until }: { rows: number; until: Date },
): Promise<boolean> {
  const updated = await tx
    .updateTable('report_run')
    .set({ rows_written: rows, claimed_until: until })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await changed(tx, 'report', [id], [member])
  return updated.numUpdatedRows > 0n
}

interface Outcome {
  fault?: string
  file?: { id: string; name: string; size: number; reader: Reader }
  rows?: number
}

export async function finishRun(
  tx: TenantTx,
  { id, membership_id: member }: Pick<StoredRun, 'id' | 'membership_id'>,
  { fault, file, rows }: Outcome,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('report_run')
    .set({
      ...{
        state: fault === undefined ? 'done' : 'failed',
        fault: fault ?? null,
        finished_at: now,
        claimed_until: null,
        claimant: null,
      },
      ...(file && { file_id: file.id, file_name: file.name, size: file.size, reader: JSON.stringify(file.reader) }),
      ...(rows !== undefined && { rows_written: rows }),
    })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .execute()
  await changed(tx, 'report', [id], [member])
}

/** Leaves a failed report for another attempt from an instant on. */
export async function tryLater(tx: TenantTx, { id }: Pick<StoredRun, 'id'>, from: Date): Promise<void> {
  await tx
    .updateTable('report_run')
    .set({ claimed_until: from, claimant: null })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .execute()
}

/** Deletes reports after their retention period. */
export async function forgetRuns(tx: TenantTx, now: Date): Promise<void> {
  await tx
    .deleteFrom('report_run')
    .where('tenant_id', '=', tx.tenant)
    .where('finished_at', '<=', new Date(+now - kept))
    .execute()
}

/** When the worker is next due, apart from the end of the month. */
export async function nextWork(tx: TenantTx): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select least(
      (select min(coalesce(claimed_until, ${new Date(0)}::timestamptz)) from report_run
        where tenant_id = ${tx.tenant} and finished_at is null),
      (select min(finished_at) + make_interval(hours => ${reportKeptDays * 24}) from report_run
        where tenant_id = ${tx.tenant}),
      (select min(next_at) from report_schedule where tenant_id = ${tx.tenant})) as at`.execute(tx)
  return rows[0]?.at ?? null
}
