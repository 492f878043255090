import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { refuse, refuseInProgress } from '@caretaker/contract/refusal.ts'
import { keptFor, largestResponse } from '@caretaker/rules/api-keys/idempotency.ts'
import { makeDueSeldom } from '../postgres/due.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { open, seal } from './seal.ts'

/** A call that a person or API key may repeat with the same key. */
export interface KeyedCall {
  personId: string
  key: string
  requestHash: Buffer
  /** Why the response is not stored; undefined if it is. */
  unstored?: 'secret' | 'too many' | undefined
}

export interface StoredResponse {
  status: number
  body: string
  /** The header Location; undefined if there is none. */
  location?: string | undefined
}

/** How long a call waits for a simultaneous one with the same key, in ms. */
const patience = 50
/** How long a call in several steps can run, in ms. After that, its process has ended. */
const runsAtMost = 180_000

const inProgress = 'A call with this Idempotency-Key is in progress. Try again in a moment.'
const withoutResult =
  'A call with this Idempotency-Key ended without a result. Check which changes it made, and use a new key.'
const madeBefore = 'The call with this Idempotency-Key was successful. '
const withSecret = `${madeBefore}Its response contained a secret, which is returned only once. If you did not receive it, replace or revoke the secret.`
const notKept = `${madeBefore}Its response was too large to be kept, or the client has made too many such calls within a day.`

const makeForgettingDue = makeDueSeldom('forget idempotency keys', { after: keptFor, knownFor: 3_600_000 })

const keyHash = (key: string) => createHash('sha256').update(key).digest()

/**
 * Stores the key of a call before its work. Returns the stored response if the call was made before; rejects another call with the
 * same key, one that is in progress, and one that ended without a result.
 */
export async function takeKey(
  tx: TenantTx,
  { personId, key, requestHash, unstored }: KeyedCall,
  now: Date,
): Promise<StoredResponse | undefined> {
  const expired = new Date(+now - keptFor)
  const row = { tenant_id: tx.tenant, person_id: personId, key_hash: keyHash(key) }
  const taken = await soon(tx, () =>
    tx
      .insertInto('idempotency_key')
      .values({ ...row, request_hash: requestHash, started_at: now, status: null, response: null })
      .onConflict((conflict) =>
        conflict
          .columns(['tenant_id', 'person_id', 'key_hash'])
          .doUpdateSet({ request_hash: requestHash, started_at: now, status: null, response: null })
          .where('idempotency_key.started_at', '<=', expired),
      )
      .returning('started_at')
      .executeTakeFirst(),
  )
  if (taken) {
    await makeForgettingDue(tx)
    return undefined
  }
  const known = await ofKey(tx, personId, key).executeTakeFirst()
  if (!known) throw refuseInProgress(inProgress)
  if (!known.request_hash.equals(requestHash)) throw refuse('other request')
  if (known.status === null)
    throw +now - +known.started_at < runsAtMost ? refuseInProgress(inProgress) : refuse('conflict', withoutResult)
  if (!known.response) throw refuse('conflict', unstored === 'secret' ? withSecret : notKept)
  const [body, location] = JSON.parse(open(known.response, key, personId)) as [string, string | undefined]
  return { status: known.status, body, location }
}

/** Stores the response of a call whose key was taken. */
export async function storeResponse(
  tx: TenantTx,
  { personId, key, unstored }: KeyedCall,
  { status, body, location }: StoredResponse,
): Promise<void> {
  const isStored = !unstored && Buffer.byteLength(body) <= largestResponse
  const response = isStored ? seal(JSON.stringify([body, ...(location ? [location] : [])]), key, personId) : null
  await tx
    .updateTable('idempotency_key')
    .set({ status, response })
    .where('tenant_id', '=', tx.tenant)
    .where('person_id', '=', personId)
    .where('key_hash', '=', keyHash(key))
    .execute()
}

/** Releases the key of a call that was rejected and changed nothing. */
export async function releaseKey(tx: TenantTx, { personId, key }: KeyedCall): Promise<void> {
  await tx
    .deleteFrom('idempotency_key')
    .where('tenant_id', '=', tx.tenant)
    .where('person_id', '=', personId)
    .where('key_hash', '=', keyHash(key))
    .execute()
}

const ofKey = (tx: TenantTx, personId: string, key: string) =>
  tx
    .selectFrom('idempotency_key')
    .select(['request_hash', 'started_at', 'status', 'response'])
    .where('tenant_id', '=', tx.tenant)
    .where('person_id', '=', personId)
    .where('key_hash', '=', keyHash(key))

/** Runs a statement that may wait for another transaction with the same key, but not longer than `patience`. */
async function soon<T>(tx: TenantTx, statement: () => Promise<T>): Promise<T> {
  await sql.raw(`set local lock_timeout = ${patience}`).execute(tx)
  try {
    const result = await statement()
    await sql.raw('set local lock_timeout to default').execute(tx)
    return result
  } catch (error) {
    if ((error as { code?: string }).code === lockNotAvailable) throw refuseInProgress(inProgress)
    throw error
  }
}
const lockNotAvailable = '55P03'
