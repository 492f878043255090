import { createHash, randomBytes } from 'node:crypto'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Db } from '../postgres/pool.ts'
import { expectWithin } from '../postgres/throttle.ts'

/** Precision of a key's last use, in ms: one write covers all calls within this time. */
export const lastUseTo = 300_000

/** Wrong keys from one address. */
const wrongKeys = { most: 20, seconds: 3_600 }

/** A new key that cannot be guessed: the prefix and 43 random characters. */
export const newKey = (prefix: string) => `${prefix}${randomBytes(32).toString('base64url')}`

/** All that is stored of a key. A fast hash is enough, because a random key cannot be found by trying. */
export const hashOf = (key: string) => createHash('sha256').update(key).digest()

let counting: Promise<unknown> = Promise.resolve()

/**
 * Refuses an unknown key with 401, or with 429 after too many attempts from one address. Attempts are counted one at a time: in
 * parallel they would all wait for the same row and occupy every connection of `db`.
 */
export async function refuseWrongKey(db: Db, kind: string, address: string): Promise<never> {
  const counted = counting.then(() => expectWithin(db, [kind, address], wrongKeys))
  counting = counted.catch(() => {})
  await counted
  throw refuse('unauthorized')
}
