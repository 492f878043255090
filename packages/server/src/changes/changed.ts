import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { ChangeSubject } from '@caretaker/rules/changes/changes.ts'
import { makeDue, makeDueSeldom } from '../postgres/due.ts'
import { uuids } from '../postgres/each.ts'
import { prepared } from '../postgres/prepared.ts'
import type { TenantTx } from '../postgres/tenant.ts'

/** The Postgres channel that names each tenant with committed changes. */
export const somethingChanged = 'something_changed'

/** If a change has more ids than this, it applies to all items of its kind: reading all of them is cheaper then. */
const mostIds = 5000

/** How long the feed remembers changes, in ms: a client that was away for longer reloads everything. */
export const memory = 3_600_000
/** How long its rows are kept, in ms. */
export const keptFor = 2 * memory

const makeForgettingDue = makeDueSeldom('forget changes', { after: keptFor, knownFor: memory })
/** The tenant for which a transaction has already checked. */
const asked = new WeakMap<TenantTx, string>()

async function rememberToForget(tx: TenantTx): Promise<void> {
  if (asked.get(tx) === tx.tenant) return
  asked.set(tx, tx.tenant)
  await makeForgettingDue(tx)
}

/**
 * Records a visible change in the transaction that makes it; code that writes a subject without events must call it.
 * One call for many items, from any number of messages. Without ids, all items of the subject may have changed; with
 * an empty list, none. An audience (ids of users or persons) limits who is notified.
 */
export async function changed(
  tx: TenantTx,
  subject: ChangeSubject,
  ids: Iterable<string> | null,
  audience: readonly string[] | null = null,
): Promise<void> {
  const isWritten = await writeChanges(tx, [
    { subject, ids: ids && !audience ? takeUnrecorded(tx, subject, ids) : ids, audience },
  ])
  // The status and tags of a property are those of its current devices; a new property has neither yet.
  if (isWritten && (subject === 'device' || subject === 'property')) await makeDue(tx, 'settle homes')
}

interface FeedChange {
  subject: ChangeSubject
  ids: Iterable<string> | null
  audience?: readonly string[] | null
}

/** Writes feed rows and announces them in one statement; returns whether there were any. */
export async function writeChanges(tx: TenantTx, changes: readonly FeedChange[]): Promise<boolean> {
  const rows = changes.flatMap(({ subject, ids, audience = null }) => valuesOf(tx, subject, ids, audience) ?? [])
  if (!rows.length) return false
  await rememberToForget(tx)
  await sql`
    with inserted as (${insertOf(rows)} returning tenant_id)
    select pg_notify(${somethingChanged}, tenant_id) from (select distinct tenant_id from inserted) as one ${prepared}`.execute(
    tx,
  )
  return true
}

/** Ids already recorded in a transaction: they become visible with its commit, so once is enough. */
const recorded = new WeakMap<TenantTx, Map<string, Set<string>>>()

/** The ids not yet recorded in the transaction; marks them as recorded. */
function takeUnrecorded(tx: TenantTx, subject: ChangeSubject, ids: Iterable<string>): string[] {
  const ofAll = recorded.get(tx) ?? new Map<string, Set<string>>()
  recorded.set(tx, ofAll)
  const of = `${tx.tenant} ${subject}`
  const before = ofAll.get(of) ?? new Set()
  ofAll.set(of, before)
  const added = [...new Set(ids)].filter((id) => !before.has(id))
  for (const id of added) before.add(id)
  return added
}

/**
 * Like `changed`, but without announcing, for frequent changes: transactions that announce are committed one after
 * the other. The caller announces after the commit (`announce.ts`).
 */
export async function changedQuietly(tx: TenantTx, subject: ChangeSubject, ids: Iterable<string>): Promise<void> {
  await writeQuietly(tx, valuesOf(tx, subject, ids))
}

/** A period in ms, both ends inclusive. */
export type Span = readonly [from: number, to: number]

/**
 * Like `changedQuietly` for new readings of devices, with the period in which each device measured them, possibly long
 * ago.
 */
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

/** Undefined if nothing changed. */
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
