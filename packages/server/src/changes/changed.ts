import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { ChangeSubject } from '@caretaker/rules/changes/changes.ts'
import { makeDue, makeDueSeldom } from '../postgres/due.ts'
import { uuids } from '../postgres/each.ts'
import { prepared } from '../postgres/prepared.ts'
import type { TenantTx } from '../postgres/tenant.ts'

/** The channel on which a tenant is named in which something changed, as soon as that is committed. */
export const somethingChanged = 'something_changed'

/** Ids beyond which a change is one of all things of its kind: more would cost more than to look at all of them. */
const mostIds = 5000

/** How long the feed tells what has changed, in ms: who stayed away for longer asks for everything again. */
export const memory = 3_600_000
/** How long its rows are kept, in ms. */
export const keptFor = 2 * memory

const makeForgettingDue = makeDueSeldom('forget changes', { after: keptFor, knownFor: memory })
/** The tenant for which a transaction has asked already. */
const asked = new WeakMap<TenantTx, string>()

async function rememberToForget(tx: TenantTx): Promise<void> {
  if (asked.get(tx) === tx.tenant) return
  asked.set(tx, tx.tenant)
  await makeForgettingDue(tx)
}

/**
 * Says that something people look at has changed, in the transaction that changes it: who writes a subject that has no events yet calls
 * this. One call for many things, however many messages they come from. Without ids all things of the subject may have
 * changed; with none of them nothing has. An audience, ids of users or persons, is for what concerns only them.
 */
export async function changed(
  tx: TenantTx,
  subject: ChangeSubject,
  ids: Iterable<string> | null,
  audience: readonly string[] | null = null,
): Promise<void> {
  const isWritten = await writeChanges(tx, [
    { subject, ids: ids && !audience ? untold(tx, subject, ids) : ids, audience },
  ])
  // The status and the tags of a home are those of its devices, wherever they are by now; a new one has neither yet.
  if (isWritten && (subject === 'device' || subject === 'property')) await makeDue(tx, 'settle homes')
}

interface FeedChange {
  subject: ChangeSubject
  ids: Iterable<string> | null
  audience?: readonly string[] | null
}

/** Writes rows of the feed and announces them, in one statement; answers whether there were any. */
export async function writeChanges(tx: TenantTx, changes: readonly FeedChange[]): Promise<boolean> {
  const rows = changes.flatMap(({ subject, ids, audience = null }) => valuesOf(tx, subject, ids, audience) ?? [])
  if (!rows.length) return false
  await rememberToForget(tx)
  await sql`
    with told as (${insertOf(rows)} returning tenant_id)
    select pg_notify(${somethingChanged}, tenant_id) from (select distinct tenant_id from told) as one ${prepared}`.execute(
    tx,
  )
  return true
}

/** What was said in a transaction already: it is seen when that is committed, and once is enough. */
const said = new WeakMap<TenantTx, Map<string, Set<string>>>()

/** Those of them of which the transaction has not said it yet; it has by the time that this returns. */
function untold(tx: TenantTx, subject: ChangeSubject, ids: Iterable<string>): string[] {
  const ofAll = said.get(tx) ?? new Map<string, Set<string>>()
  said.set(tx, ofAll)
  const of = `${tx.tenant} ${subject}`
  const before = ofAll.get(of) ?? new Set()
  ofAll.set(of, before)
  const news = [...new Set(ids)].filter((id) => !before.has(id))
  for (const id of news) before.add(id)
  return news
}

/**
 * The same without announcing it, for what comes many times a second: transactions that announce something are committed
 * one after the other. Once it is committed the caller announces it (`announce.ts`).
 */
export async function changedQuietly(tx: TenantTx, subject: ChangeSubject, ids: Iterable<string>): Promise<void> {
  await writeQuietly(tx, valuesOf(tx, subject, ids))
}

/** From when to when, in ms, both included. */
export type Span = readonly [from: number, to: number]

/** The same of new readings of devices, with the time in which those of each were measured: it may be long ago. */
export async function readQuietly(tx: TenantTx, spans: ReadonlyMap<string, Span>): Promise<void> {
  await writeQuietly(tx, valuesOf(tx, 'device readings', spans.keys(), null, [...spans.values()].flat()))
}

async function writeQuietly(tx: TenantTx, values: RawBuilder<unknown> | undefined): Promise<void> {
  if (!values) return
  await rememberToForget(tx)
  await insertOf([values]).execute(tx)
}

const insertOf = (rows: readonly RawBuilder<unknown>[]) =>
  sql`insert into change (tenant_id, subject, ids, audience, spans) values ${sql.join(rows)}`

/** Undefined where nothing changed. */
function valuesOf(
  tx: TenantTx,
  subject: ChangeSubject,
  ids: Iterable<string> | null,
  audience: readonly string[] | null = null,
  spans: readonly number[] | null = null,
): RawBuilder<unknown> | undefined {
  const these = ids && [...new Set(ids)]
  if (these?.length === 0) return undefined
  const list = these && these.length <= mostIds ? uuids(these) : null
  const times = list && spans ? `{${spans.join()}}` : null
  return sql`(${tx.tenant}, ${subject}, ${list}::uuid[], ${audience}::uuid[], ${times}::bigint[])`
}
