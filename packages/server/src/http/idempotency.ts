import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { $ZodType } from 'zod/v4/core'
import { Refusal, refuse } from '@caretaker/contract/refusal.ts'
import type { AnyRoute } from '@caretaker/contract/route.ts'
import { isReading, takesIdempotencyKeys } from '@caretaker/contract/route.ts'
import {
  idempotencyHeader,
  keysOfCaller,
  longestKey,
  parseIdempotencyKey,
  replayedHeader,
  responsesOfTenant,
  shortestKey,
} from '@caretaker/rules/api-keys/idempotency.ts'
import type { Context } from '../context.ts'
import type { Person } from '../identity/person.ts'
import type { KeyedCall, StoredResponse } from '../idempotency/store.ts'
import { releaseKey, storeResponse, takeKey } from '../idempotency/store.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { expectWithin, within } from '../postgres/throttle.ts'
import { encoded } from './encoding.ts'
import { Sending } from './sending.ts'
import { SpooledFile } from './spooled-file.ts'
import { addETag } from './versions.ts'

interface Call {
  context: Pick<Context, 'db'>
  request: FastifyRequest
  params: unknown
  query: unknown
  body: unknown
  form: unknown
  /** The body and the `If-Match` as they were sent, if the body's version was taken from the header. */
  sent?: unknown
}

/** A keyed call of a route, and the reply on which its handler may set a header. */
interface Keyed {
  route: AnyRoute
  reply: FastifyReply
  keyed: KeyedCall | undefined
}

/**
 * The Idempotency-Key of a call, with a hash of the call; undefined if it has none. Calls that only read ignore the
 * header.
 */
export async function keyedCall(
  route: AnyRoute,
  call: Call,
  { person, tenant }: { person: Person; tenant: string },
): Promise<KeyedCall | undefined> {
  const header = call.request.headers[idempotencyHeader]
  if (header === undefined || isReading(route)) return undefined
  const key = parseIdempotencyKey(String(header))
  if (key === undefined)
    throw refuse('invalid', `An Idempotency-Key must have ${shortestKey} to ${longestKey} visible ASCII characters.`)
  const { db } = call.context
  await expectWithin(db, ['idempotency keys', person.id], keysOfCaller)
  const isStored = route.returnsSecret || (await within(db, ['idempotency responses', tenant], responsesOfTenant))
  const unstored = route.returnsSecret ? 'secret' : isStored ? undefined : 'too many'
  return { personId: person.id, key, requestHash: await requestHash(route, call), unstored }
}

/** Rejects the header at calls that change data and cannot be repeated, so that no caller relies on it. */
export function expectNoKey(route: AnyRoute, request: FastifyRequest): void {
  if (request.headers[idempotencyHeader] === undefined || isReading(route) || takesIdempotencyKeys(route)) return
  throw refuse('invalid', 'This call does not accept an Idempotency-Key.')
}

/**
 * Makes a call once for its key. The key, the changes and the response are committed together: if the process stops before that,
 * nothing has happened, and the same call is made again. A rejected call does not use up its key.
 */
export async function onceInTx(
  { route, reply, keyed }: Keyed,
  tx: TenantTx,
  work: () => Promise<unknown>,
): Promise<unknown> {
  if (!keyed) return work()
  const stored = await takeKey(tx, keyed, new Date())
  if (stored) return replayed(route, stored)
  const response = responseOf(route, reply, await work())
  await storeResponse(tx, keyed, response)
  return sent(route, response)
}

/**
 * The same for a call in several transactions: the key is committed before the work, and the response after it. If the process stops
 * in between, the call is not made again, because some of its changes may be stored: its repetition returns 409. A call that fails
 * before its first change releases its key.
 */
export async function onceInSteps(
  { route, reply, keyed }: Keyed,
  inTx: <A>(work: (tx: TenantTx) => Promise<A>) => Promise<A>,
  work: () => Promise<unknown>,
  /** Whether a step may have stored changes. */
  hasChanged: () => boolean,
): Promise<unknown> {
  if (!keyed) return work()
  const stored = await inTx((tx) => takeKey(tx, keyed, new Date()))
  if (stored) return replayed(route, stored)
  let response: StoredResponse
  try {
    response = responseOf(route, reply, await work())
  } catch (error) {
    if (error instanceof Refusal || !hasChanged()) await inTx((tx) => releaseKey(tx, keyed)).catch(() => {})
    throw error
  }
  await inTx((tx) => storeResponse(tx, keyed, response))
  return sent(route, response)
}

function responseOf(route: AnyRoute, reply: FastifyReply, result: unknown): StoredResponse {
  if (result instanceof Sending) throw new Error(`${route.method} ${route.path} sends a file: it cannot be repeated`)
  const location = reply.getHeader('location')
  const body = route.reply ? JSON.stringify(encoded(route.reply as $ZodType, result)) : ''
  return { status: route.status, body, location: typeof location === 'string' ? location : undefined }
}

const sent = (route: AnyRoute, { status, body, location }: StoredResponse) =>
  new Sending(async (reply) => {
    void reply.status(status)
    if (location) void reply.header('location', location)
    if (body) {
      void reply.type('application/json; charset=utf-8')
      addETag(route, reply, JSON.parse(body))
    }
    return reply.send(body || undefined)
  })

const replayed = (route: AnyRoute, stored: StoredResponse) =>
  new Sending((reply) => sent(route, stored).send(reply.header(replayedHeader, 'true')))

/** Covers everything that the call sends, files included. */
async function requestHash(route: AnyRoute, { params, query, body, form, sent = body }: Call): Promise<Buffer> {
  const hash = createHash('sha256')
  hash.update(JSON.stringify([route.method, route.path, params, query, sent]))
  for (const [name, value] of Object.entries((form ?? {}) as Record<string, unknown>)) {
    if (!(value instanceof SpooledFile)) {
      hash.update(JSON.stringify([name, value]))
      continue
    }
    hash.update(JSON.stringify([name, value.name, value.type, value.size]))
    for await (const chunk of createReadStream(value.path)) hash.update(chunk as Buffer)
  }
  return hash.digest()
}
