import 'fastify'
import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Change, ChangeSubject } from '@caretaker/rules/changes/changes.ts'
import { uuids } from '../postgres/each.ts'
import { prepared } from '../postgres/prepared.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { memory } from './changed.ts'

declare module 'fastify' {
  interface FastifyInstance {
    feed: Feed
  }
}

/** Maximum rows per read; a client that missed more reloads everything. */
const most = 2000

/** A state of the database: what is visible in it. */
export interface Moment {
  /** A Postgres snapshot: the first running transaction, the first one not started, and all running ones. */
  snapshot: string
  /** By the database clock, in microseconds since the epoch. */
  at: number
}

/** The start of the wanted changes: an issued position, or a time in microseconds. */
export type Seen = { position: string } | { date: number }

/** A change; for new readings of the device named in the scope, with the period in which they were measured, in ms. */
export interface FoundChange extends Change {
  first: number | null
  last: number | null
}

/** The changes found in the feed. */
export interface Found {
  /** Too many changes, or too long ago: everything may have changed. */
  everything: boolean
  /** Newest first. */
  rows: FoundChange[]
  /** The position from which to continue after these changes. */
  now: Moment
}

/** The wanted part of the feed: subjects with all items, and subjects limited to one device. */
export interface Scope {
  subjects: readonly ChangeSubject[]
  details?: { subjects: readonly ChangeSubject[]; of: readonly string[] }
  /** The device whose new readings include their period. */
  spanOf?: string
}

/** The position in a call: exact, and preferred to the date. */
export const seenIn = ({ position, date }: { position?: string | undefined; date: number }): Seen =>
  position === undefined ? { date } : { position }

export const positionOf = ({ snapshot, at }: Moment) => `${snapshot}-${Math.floor(at / 1000)}`
/** When a position was issued, in ms by the database clock. */
export const timeOf = (position: string) => Number(position.split('-')[1])
/** ISO 8601 in UTC with microseconds, so that an issued date is understood exactly when it is sent back. */
export const dateOf = ({ at }: Moment) =>
  new Date(Math.floor(at / 1000)).toISOString().replace('Z', `${String(at % 1000).padStart(3, '0')}Z`)

/**
 * The change feeds of all tenants. A reader has seen what its snapshot contains, and receives all other changes once
 * they are committed, exactly once, whenever their transactions started.
 */
export interface Feed {
  /** The position before anything that the transaction reads from here on. */
  now(tx: TenantTx): Promise<Moment>
  since(tx: TenantTx, seen: Seen, scope: Scope): Promise<Found>
}

interface Now {
  now_snapshot: string
  now_at: number
}
const momentNow = sql`pg_current_snapshot()::text as now_snapshot,
  (extract(epoch from clock_timestamp()) * 1000000)::bigint as now_at`

export function openFeed(): Feed {
  const marks = openMarks()
  const noted = ({ now_snapshot: snapshot, now_at: at }: Now): Moment => marks.note({ snapshot, at })

  const startOf = async (tx: TenantTx, seen: Seen): Promise<Moment> => {
    if ('date' in seen) return { snapshot: marks.before(seen.date) ?? (await knownOf(tx, seen.date)), at: seen.date }
    return { snapshot: seen.position.split('-')[0]!, at: timeOf(seen.position) * 1000 }
  }

  return {
    now: async (tx) => noted((await sql<Now>`select ${momentNow} ${prepared}`.execute(tx)).rows[0]!),
    since: async (tx, seen, { subjects, details, spanOf }) => {
      const start = await startOf(tx, seen)
      const of = sql`subject = any(${subjects}::text[])`
      const wanted = details?.of.length
        ? sql`(${of} or subject = any(${details.subjects}::text[])
            and (ids is null or ids && ${uuids(details.of)}::uuid[]))`
        : of
      const { rows } = await sql<Now & { [K in keyof FoundChange]: FoundChange[K] | null }>`
        select now.*, subject, ids, audience, first, last
        from (select ${momentNow}) as now left join (
          select subject, ids, audience, position, seq, ${spanIn(spanOf)} from change
          where tenant_id = ${tx.tenant} and position >= ${firstOf(start)}::xid8
            and not pg_visible_in_snapshot(position, ${start.snapshot}::pg_snapshot) and ${wanted}
          order by position desc, seq desc limit ${most + 1}
        ) as change on true order by position desc, seq desc ${prepared}`.execute(tx)
      const now = noted(rows[0]!)
      const found = rows.flatMap(({ subject, ids, audience, first, last }) =>
        subject ? { subject, ids, audience, first, last } : [],
      )
      // A restored database numbers its transactions from the start.
      const isOther = BigInt(endOf(start)) > BigInt(endOf(now))
      const everything = isOther || now.at - start.at > memory * 1000 || found.length > most
      return { everything, rows: everything ? [] : found, now }
    },
  }
}

/** Limited to one device: the row of a batch has the periods of thousands of devices. */
function spanIn(deviceId: string | undefined): RawBuilder<unknown> {
  if (deviceId === undefined) return sql`null::bigint as first, null::bigint as last`
  const place = sql`2 * array_position(ids, ${deviceId}::uuid)`
  return sql`spans[${place} - 1] as first, spans[${place}] as last`
}

const firstOf = ({ snapshot }: Moment) => snapshot.split(':')[0]!
const endOf = ({ snapshot }: Moment) => snapshot.split(':')[1]!

/**
 * The feed's own position for a time: everything before the oldest transaction that was running when the last
 * change was written.
 */
async function knownOf(tx: TenantTx, date: number): Promise<string> {
  const { rows } = await sql<{ oldest: string }>`
    select oldest::text from change where tenant_id = ${tx.tenant} and at <= ${new Date(Math.floor(date / 1000))}
    order by position desc, seq desc limit 1`.execute(tx)
  const oldest = rows[0]?.oldest ?? '1'
  return `${oldest}:${oldest}:`
}

const mostMarks = 20_000

/**
 * The snapshots that this process has seen, by database time. They make a date as exact as a position. A process
 * without them uses a slower method that reports more than has changed, never less.
 */
function openMarks() {
  let marks: Moment[] = []
  return {
    note: (seen: Moment): Moment => {
      const last = marks.at(-1)
      if (!last || (seen.snapshot !== last.snapshot && seen.at > last.at)) marks.push(seen)
      if (marks.length > mostMarks) marks = marks.filter((_, n) => n % 2 === 0 || n > mostMarks / 2)
      return seen
    },
    before: (at: number): string | undefined => {
      let [low, high] = [0, marks.length]
      while (low < high) {
        const middle = (low + high) >> 1
        if (marks[middle]!.at <= at) low = middle + 1
        else high = middle
      }
      return marks[low - 1]?.snapshot
    },
  }
}
