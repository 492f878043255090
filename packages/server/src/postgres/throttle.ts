import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { refuseTooMany } from '@caretaker/contract/refusal.ts'
import type { Db } from './pool.ts'

/** How often something may happen in a period that starts with the first time. */
export interface Bound {
  most: number
  seconds: number
  /** The text of a refusal, instead of the general one. */
  message?: string
}

/** The longest period of any limit, in seconds: older counts are irrelevant. */
export const longestStretch = 86_400

/** The key that is counted, with its kind first; only a digest is stored, because some keys are e-mail addresses. */
export type Counted = readonly string[]

const keyOf = (counted: Counted) => createHash('sha256').update(counted.join('\n')).digest('base64url')

/** Adds one and returns the count in the current period. Concurrent callers in any process get different numbers. */
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

/** Adds one and returns whether the count is within the limit. */
export async function within(db: Db, counted: Counted, bound: Bound, now?: Date): Promise<boolean> {
  return (await count(db, counted, bound.seconds, now)) <= bound.most
}

/** The state of a limit: how much it allows, how much is left, and after how many seconds it is fully restored. */
export interface Standing {
  limit: number
  left: number
  seconds: number
}

/** Adds one, and rejects the call with 429 once the limit is exceeded. */
export async function expectWithin(
  db: Db,
  counted: Counted,
  { most, seconds, message }: Bound,
  now = new Date(),
): Promise<Standing> {
  const { count, since } = await countOne(db, counted, seconds, now)
  const remaining = Math.max(1, Math.ceil((+since + seconds * 1000 - +now) / 1000))
  if (count > most) throw refuseTooMany({ limit: most, retryAfter: remaining }, message)
  return { limit: most, left: most - count, seconds: remaining }
}

/** Takes back counts of attempts that turned out to be legitimate. */
export async function uncount(db: Db, counted: readonly Counted[]): Promise<void> {
  await sql`update throttle set count = greatest(count - 1, 0) where key = any(${counted.map(keyOf)})`.execute(db)
}

/** Resets a count. */
export async function resetCount(db: Db, counted: Counted): Promise<void> {
  await db.deleteFrom('throttle').where('key', '=', keyOf(counted)).execute()
}

/** Deletes expired counts; returns how many rows. */
export async function forgetThrottles(db: Db, now = new Date()): Promise<number> {
  const oldest = new Date(now.getTime() - longestStretch * 1000)
  const { numDeletedRows } = await db.deleteFrom('throttle').where('since', '<', oldest).executeTakeFirst()
  return Number(numDeletedRows)
}
