import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { openAsBlob } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Refusal } from '@caretaker/contract/refusal.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { RunFormat } from '@caretaker/rules/reports/kinds.ts'
import { isReportRun, mayGenerate, mayReport, readerOf, reports } from '@caretaker/rules/reports/kinds.ts'
import type { AsReader } from '../inspection/archive.ts'
import { writeSheets } from '../inspection/archive.ts'
import { monthAfter, monthOf, monthSpan } from '@caretaker/rules/reports/months.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { Context } from '../../context.ts'
import { keepFile, stageFile } from '../../files/files.ts'
import { actorOf, actorsOf } from '../../http/access.ts'
import { zoneOf } from '../../lists/read.ts'
import type { Mail } from '../../mail/mail.ts'
import { postMail } from '../../mail/mail.ts'
import { releaseClaims, releaseWritten, whileRenewing } from '../../postgres/claim.ts'
import { makeDueEverywhere, tenantsDue, updateDue } from '../../postgres/due.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { reportLetter } from './report-emails.ts'
import { closeMonths, monthEnds } from './months.ts'
import type { StoredRun } from './store.ts'
import {
  claimRun,
  dueSchedules,
  finishRun,
  forgetRuns,
  monthIn,
  nextTime,
  nextWork,
  orderReport,
  storeProgress,
  tryLater,
} from './store.ts'
import { reportPieces, reportTable } from './table.ts'
import { openReport, prepareReport } from './write.ts'

/** How long a writer's claim on a report lasts, and the interval of its progress reports, in ms. */
const claim = 120_000
const pace = 2000
/** Milliseconds before a failed report is tried again. */
const pause = 60_000
/** Attempts before a report is given up. */
const mostAttempts = 3

/** The largest offset of a time zone ahead of UTC, in ms. */
const furthestAhead = 14 * 3_600_000

/** Largest file attached to an e-mail, in bytes; mail servers accept about twice as much, some no more. */
const mostAttached = 5_000_000

const went = 'Something went wrong!'

/**
 * Closes ended months, orders scheduled reports, and writes ordered ones, one after the other; reports claimed by
 * another process are left to it. Returns how many reports were written.
 */
export async function writeReports(context: Context, stopping?: AbortSignal, now = () => new Date()): Promise<number> {
  const { db, log } = context
  let written = 0
  // A new client has a month that ends too: the exact time depends on its zone, but none is further ahead of UTC.
  const end = monthSpan(monthOf(now().toISOString().slice(0, 10)), 'UTC').to - furthestAhead
  await makeDueEverywhere(db, 'write reports', new Date(end))
  for (const tenant of await tenantsDue(db, 'write reports', now())) {
    if (stopping?.aborted) return written
    try {
      await closeMonths(db, tenant, now())
      await inTenant(db, tenant, (tx) => orderScheduled(tx, now()))
      for (;;) {
        if (stopping?.aborted) return written
        const run = await inTenant(db, tenant, (tx) =>
          claimRun(tx, now(), { until: new Date(+now() + claim), claimant: context.claimant?.() }),
        )
        if (!run) break
        await writeRun(context, tenant, run, now)
        written++
      }
      await inTenant(db, tenant, (tx) => forgetRuns(tx, now()))
      await updateDue(db, tenant, 'write reports', async (tx) => {
        const [end, next] = [await monthEnds(tx, now()), await nextWork(tx)]
        return next && next < end ? next : end
      })
    } catch (error) {
      log.error({ err: error, tenant }, 'reports could not be written')
    }
  }
  return written
}

/** Makes reports claimed by processes that have ended due now; returns how many. */
export function releaseReports({ db }: Pick<Context, 'db'>, claimants: readonly number[]): Promise<number> {
  return releaseClaims(db, { work: 'write reports', claimedFor: claim }, (tx, now) =>
    releaseWritten(tx, 'report_run', claimants, now),
  )
}

/**
 * A schedule missed while nothing was running sends one late report: that of the last month, however many months were
 * missed.
 */
async function orderScheduled(tx: TenantTx, now: Date): Promise<void> {
  const due = await dueSchedules(tx, now)
  if (!due.length) return
  const zone = await zoneOf(tx)
  const month = monthAfter(monthOf(dayAt(+now, zone)), -1)
  for (const one of due) {
    const owner = await actorOfMember(tx, one.membership_id)
    // A schedule pauses while its owner lacks the right, or its client is suspended or has disabled schedules.
    const isWanted = owner && can(owner, 'schedule reports') && mayReport(owner, one.report_type)
    if (isWanted) {
      const { isMonthly } = reports[one.report_type]
      const wanted = {
        ...{ reportType: one.report_type, month: isMonthly ? month : null },
        ...{ tagIds: one.tag_ids, format: one.format },
      }
      // Each recipient gets a report of their own, so that nobody is sent what they may not see.
      for (const membershipId of [one.membership_id, ...one.recipient_ids]) {
        const reader = await actorOfMember(tx, membershipId)
        if (!reader || !mayReport(reader, one.report_type)) continue
        await orderReport(tx, { ...wanted, membershipId, schedule: { id: one.id, at: one.next_at } }, now)
      }
    }
    await tx
      .updateTable('report_schedule')
      .set({ next_at: new Date(nextTime(one, +now, zone)), ...(isWanted && { last_at: now }) })
      .where('tenant_id', '=', tx.tenant)
      .where('id', '=', one.id)
      .execute()
  }
}

async function actorOfMember(tx: TenantTx, membershipId: string): Promise<Actor | undefined> {
  const person = await personOf(tx, membershipId)
  return person && (await actorsOf(tx, [person.id])).get(person.id)
}

async function personOf(tx: TenantTx, membershipId: string) {
  const row = await tx
    .selectFrom('membership')
    .select(['person_id as id', 'name', 'email'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', membershipId)
    .executeTakeFirst()
  return row?.id ? { id: row.id, name: row.name, email: row.email } : undefined
}

async function writeRun(context: Context, tenant: string, run: StoredRun, now: () => Date): Promise<void> {
  const { db, log } = context
  const give = (fault: string) =>
    inTenant(db, tenant, async (tx) => {
      await finishRun(tx, run, { fault }, now())
      await notifyOwner(tx, context, run, { fault, now: now() })
    })
  if (run.attempts > mostAttempts) return give(went)
  const folder = await mkdtemp(path.join(tmpdir(), 'caretaker-report-'))
  try {
    await writeInto(path.join(folder, 'report'), { context, tenant, run, now })
  } catch (error) {
    if (error instanceof Refusal) return await give(error.message)
    log.error({ err: error, report: run.id }, 'a report could not be written')
    await inTenant(db, tenant, (tx) => tryLater(tx, run, new Date(+now() + pause)))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const types = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv',
  zip: 'application/zip',
} as const satisfies Record<RunFormat, string>

interface Writing {
  context: Context
  tenant: string
  run: StoredRun
  now: () => Date
}

async function writeInto(place: string, { context, tenant, run, now }: Writing): Promise<void> {
  const { db } = context
  let rows = 0
  const report = (tx: TenantTx) => storeProgress(tx, run, { rows, until: new Date(+now() + claim) })
  // The claim is also renewed while the month is gathered and the file is stored, which may both take longer than a
  // claim lasts.
  const written = await whileRenewing(
    pace,
    () => inTenant(db, tenant, report),
    async () => {
      const { person, file, reader } = await writeFile(place, { context, tenant, run, now }, (count) => (rows = count))
      // The report may have been deleted meanwhile.
      if (!(await inTenant(db, tenant, report))) return undefined
      const content = new File([await openAsBlob(place)], file.name, { type: file.type })
      const made = types[run.format]
      const kind = { allowed: [], maxBytes: Infinity, made } as const
      const stage = (referrer: string) => stageFile(context, tenant, content, { referrer, ...kind })
      const isAttached = run.schedule_id !== null && content.size <= mostAttached
      // A copy of its own: the e-mail is sent even if the report is deleted meanwhile.
      return { person, file, reader, own: await stage('report_run'), copy: isAttached && (await stage('mail')) }
    },
  )
  if (!written) return
  const { person, file, reader, own, copy } = written
  await inTenant(db, tenant, async (tx) => {
    if (!(await report(tx))) return
    const kept = await keepFile(tx, person, own)
    await finishRun(tx, run, { file: { id: kept.id, name: file.name, size: kept.size, reader }, rows }, now())
    if (!run.schedule_id) return
    const attached = copy && (await keepFile(tx, person, copy))
    await notifyOwner(tx, context, run, {
      ...{ rows, now: now() },
      ...(attached && { attachment: { id: attached.id, name: file.name } }),
    })
  })
}

/** Writes the report for the user who ordered it, with that user's rights at each step. */
async function writeFile(place: string, { context, tenant, run, now }: Writing, onRows: (count: number) => void) {
  const begun = now()
  const asReader = <T>(work: (tx: TenantTx, person: { id: string; name: string }, actor: Actor) => Promise<T>) =>
    inTenant(context.db, tenant, async (tx) => {
      const person = await personOf(tx, run.membership_id)
      if (!person) throw new Refusal('forbidden')
      return work(tx, person, await actorOf(tx, person))
    })
  if (run.sheets || !isReportRun(run.report_type) || run.format === 'zip') {
    const order = run.sheets!
    const asOneSnapshot: AsReader = (work) =>
      inTenant(
        context.db,
        tenant,
        async (tx) => {
          const person = await personOf(tx, run.membership_id)
          if (!person) throw new Refusal('forbidden')
          const actor = await actorOf(tx, person)
          if (!mayGenerate(actor, run.report_type)) throw new Refusal('forbidden')
          return work(tx, person, actor)
        },
        'repeatable read',
      )
    const { person, reader } = await asReader(async (_tx, one, actor) => ({ person: one, reader: readerOf(actor) }))
    await writeSheets(place, asOneSnapshot, order, { files: context.files, onSheets: onRows })
    return { person, file: { name: `${order.to}-EmergencyLighting.zip`, type: types.zip }, reader }
  }
  const wanted = {
    ...{ reportType: run.report_type, month: monthIn(run.month), tagIds: run.tag_ids, format: run.format },
  }
  await asReader((tx, _, actor) => prepareReport(tx, actor, wanted, begun))
  return asReader(async (tx, person, actor) => {
    const { about, file, rows } = await openReport(tx, { actor, person, wanted, now: begun })
    const table = reportTable(about, wanted.format)
    const pieces = Readable.from(reportPieces(about, rows, onRows), { highWaterMark: 1 })
    await Promise.all([pipeline(pieces, table.rows), pipeline(table.bytes, createWriteStream(place))])
    return { person, file, reader: readerOf(actor) }
  })
}

/** The owner of a schedule; undefined if it was deleted meanwhile. */
async function ownerOf(tx: TenantTx, scheduleId: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('report_schedule')
    .select('membership_id')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', scheduleId)
    .executeTakeFirst()
  return row?.membership_id
}

/** Notifies the user of a scheduled report, or of its failure. */
async function notifyOwner(
  tx: TenantTx,
  { config }: Context,
  run: StoredRun,
  outcome: { rows?: number; attachment?: Mail['attachment']; fault?: string; now: Date },
): Promise<void> {
  const to = run.schedule_id && (await personOf(tx, run.membership_id))
  if (!to) return
  const owner = await ownerOf(tx, run.schedule_id!)
  const by = owner && owner !== run.membership_id ? (await personOf(tx, owner))?.name : undefined
  const client = await tx
    .selectFrom('tenant')
    .select(['display_name as name', 'time_zone as zone'])
    .where('id', '=', tx.tenant)
    .executeTakeFirstOrThrow()
  await postMail(
    tx,
    config,
    reportLetter({ config, tenant: tx.tenant, client: client.name, zone: client.zone, to, run, by, ...outcome }),
  )
}
