import { createHash, randomBytes } from 'node:crypto'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Db } from '../postgres/pool.ts'
import { expectWithin } from '../postgres/throttle.ts'

/** How exactly it is known when a key was last used, in ms: one write for all calls of that time. */
export const lastUseTo = 300_000

/** Wrong keys from one address. */
const wrongKeys = { most: 20, seconds: 3_600 }

/** A new key, which cannot be guessed: 43 characters behind what it begins with. */
export const newKey = (prefix: string) => `${prefix}${randomBytes(32).toString('base64url')}`

/** All of a key that is kept. It has more chance in it than could be tried, so that a quick hash will do. */
export const hashOf = (key: string) => createHash('sha256').update(key).digest()

let counting: Promise<unknown> = Promise.resolve()

/**
 * Refuses a key that does not exist: with 401, and with 429 a caller who has tried many. Attempts are counted one after the other:
 * those of one caller wait for one row, and would keep all connections of `db` meanwhile.
 */
export async function refuseWrongKey(db: Db, kind: string, address: string): Promise<never> {
  const counted = counting.then(() => expectWithin(db, [kind, address], wrongKeys))
  counting = counted.catch(() => {})
  await counted
  throw refuse('unauthorized')
}
