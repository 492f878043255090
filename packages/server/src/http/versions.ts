import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal, refuse } from '@caretaker/contract/refusal.ts'
import type { AnyRoute } from '@caretaker/contract/route.ts'
import { isReading } from '@caretaker/contract/route.ts'

/** Adds the version of the item in a response as its ETag, for `If-Match`. Weak: other parts of the response can change without it. */
export function addETag(route: AnyRoute, reply: FastifyReply, result: unknown): void {
  if (!route.hasVersion) return
  const { version, data } = result as { version?: unknown; data?: { version?: unknown } | null }
  const known = version ?? data?.version
  if (typeof known === 'number') void reply.header('etag', `W/"${known}"`)
}

const shape = /^(?:W\/)?"(\d{1,10})"$/

/** The version that a change is based on, from `If-Match`; undefined without one. An ETag of another form matches no version. */
export function expectedVersion(route: AnyRoute, { headers }: FastifyRequest): number | undefined {
  const header = headers['if-match']?.trim()
  if (!route.hasVersion || isReading(route) || header === undefined || header === '*') return undefined
  const version = shape.exec(header)?.[1]
  if (version === undefined) throw refuse('outdated')
  return Number(version)
}

/** The body with the expected version, which its command compares; the version of the body itself must be the same. */
export function withVersion(body: unknown, version: number): unknown {
  const { building, ...rest } = body as { version?: number; building?: unknown }
  if (typeof building === 'object' && building !== null) return { ...rest, building: withVersion(building, version) }
  if (rest.version !== undefined && rest.version !== version) throw refuse('outdated')
  return { ...(body as object), version }
}

/** A conflict of versions is a 412 for a caller that sent `If-Match`. */
export function asPrecondition(error: unknown): unknown {
  return error instanceof Refusal && error.isOutdated ? refuse('outdated', error.message) : error
}
