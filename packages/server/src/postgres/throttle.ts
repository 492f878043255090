import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { refuseTooMany } from '@caretaker/contract/refusal.ts'
import type { Db } from './pool.ts'

/** How often something may be done in a stretch of time that begins with the first time. */
export interface Bound {
  most: number
  seconds: number
}

/** Seconds of the longest stretch that any bound has: what is older counts for nothing. */
export const longestStretch = 86_400

/** What is counted, in words that name the kind first; only a digest of them is stored, for some are e-mails. */
export type Counted = readonly string[]

const keyOf = (counted: Counted) => createHash('sha256').update(counted.join('\n')).digest('base64url')

/**
 * Counts one more before it is done, and gives how many that makes in the present stretch: of those who do something at the
 * same moment, in whichever process, no two get the same number.
 */
export async function count(db: Db, counted: Counted, seconds: number, now = new Date()): Promise<number> {
  return (await countOne(db, counted, seconds, now)).count
}

async function countOne(db: Db, counted: Counted, seconds: number, now: Date): Promise<{ count: number; since: Date }> {
  const begun = new Date(now.getTime() - seconds * 1000)
  const { rows } = await sql<{ count: number; since: Date }>`
    insert into throttle (key, count, since) values (${keyOf(counted)}, 1, ${now})
    on conflict (key) do update set
      count = case when throttle.since > ${begun} then throttle.count + 1 else 1 end,
      since = case when throttle.since > ${begun} then throttle.since else excluded.since end
    returning count, since`.execute(db)
  return rows[0]!
}

/** Counts one more, and tells whether it is within the bound. */
export async function within(db: Db, counted: Counted, bound: Bound, now?: Date): Promise<boolean> {
  return (await count(db, counted, bound.seconds, now)) <= bound.most
}

/** How a limit stands: how much it allows, how much of that is left, and in how many seconds it is whole again. */
export interface Standing {
  limit: number
  left: number
  seconds: number
}

/** Counts one more, and refuses it with 429 beyond the bound. */
export async function expectWithin(
  db: Db,
  counted: Counted,
  { most, seconds }: Bound,
  now = new Date(),
): Promise<Standing> {
  const { count, since } = await countOne(db, counted, seconds, now)
  const remaining = Math.max(1, Math.ceil((+since + seconds * 1000 - +now) / 1000))
  if (count > most) throw refuseTooMany({ limit: most, retryAfter: remaining })
  return { limit: most, left: most - count, seconds: remaining }
}

/** What was counted turned out to be in order: it counts no more. */
export async function giveBack(db: Db, counted: readonly Counted[]): Promise<void> {
  await sql`update throttle set count = greatest(count - 1, 0) where key = any(${counted.map(keyOf)})`.execute(db)
}

/** Nothing of it counts any more. */
export async function forgive(db: Db, counted: Counted): Promise<void> {
  await db.deleteFrom('throttle').where('key', '=', keyOf(counted)).execute()
}

/** Deletes what counts for nothing any more; returns how many rows. */
export async function forgetThrottles(db: Db, now = new Date()): Promise<number> {
  const oldest = new Date(now.getTime() - longestStretch * 1000)
  const { numDeletedRows } = await db.deleteFrom('throttle').where('since', '<', oldest).executeTakeFirst()
  return Number(numDeletedRows)
}
