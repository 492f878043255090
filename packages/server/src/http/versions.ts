import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal, refuse } from '@caretaker/contract/refusal.ts'
import type { AnyRoute } from '@caretaker/contract/route.ts'
import { isReading } from '@caretaker/contract/route.ts'

/** Adds the version of the item in a response as its ETag, for `If-Match`, which compares only strong ones (RFC 9110, 13.1.1). */
export function addETag(route: AnyRoute, reply: FastifyReply, result: unknown): void {
  if (!route.hasVersion || route.reply === undefined) return
  const { version, data } = result as { version?: unknown; data?: { version?: unknown } | null }
  const known = version ?? data?.version
  if (typeof known === 'number') void reply.header('etag', `"${known}"`)
}

/** One ETag of a list. Proxies that compress responses make strong ones weak. */
const tag = /^\s*(?:W\/)?"([^"]*)"\s*$/
/** Maximum ETags that are compared. */
const mostTags = 10

/**
 * The versions in `If-Match`: one must be the current one; undefined if the header is absent. An ETag in another form
 * matches no version. Rejects the header at calls that change data and have no version, so that no caller relies on it.
 */
export function expectedVersions(route: AnyRoute, { headers }: FastifyRequest): number[] | undefined {
  const header = headers['if-match']?.trim()
  if (header === undefined || isReading(route)) return undefined
  if (!route.hasVersion) throw refuse('invalid', 'This call does not accept If-Match.')
  if (header === '*') return undefined
  const tags = header.split(',').map((text) => tag.exec(text)?.[1])
  if (tags.includes(undefined) || tags.length > mostTags) throw refuse('outdated')
  return [...new Set(tags)].filter((text) => /^\d{1,10}$/.test(text!)).map(Number)
}

/**
 * Makes a change that is based on one of these versions: tries each in turn until one is current. A change based on
 * another version is rejected before it changes anything.
 */
export async function withAnyVersion<T>(
  body: unknown,
  versions: readonly number[],
  change: (body: unknown) => Promise<T>,
): Promise<T> {
  let rejected: unknown = refuse('outdated')
  for (const version of versions)
    try {
      return await change(withVersion(body, version))
    } catch (error) {
      rejected = asPrecondition(error)
      if (!(rejected instanceof Refusal && rejected.code === 'outdated')) throw rejected
    }
  throw rejected
}

/** The body with the expected version, which its command compares; the version of the body itself must be the same. */
function withVersion(body: unknown, version: number): unknown {
  const { building, ...rest } = body as { version?: number; building?: unknown }
  if (typeof building === 'object' && building !== null) return { ...rest, building: withVersion(building, version) }
  if (rest.version !== undefined && rest.version !== version) throw refuse('outdated')
  return { ...(body as object), version }
}

/** A version conflict is a 412 for a caller that sent `If-Match`. */
function asPrecondition(error: unknown): unknown {
  return error instanceof Refusal && error.isOutdated ? refuse('outdated', error.message) : error
}
