import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { refuseTooMany } from '@caretaker/contract/refusal.ts'
import type { Context } from '../context.ts'
import type { Allowances } from '../limits/allowance.ts'
import { refilled, take, whole } from '../limits/allowance.ts'
import { oncePerMinute } from '../limits/once-per-minute.ts'
import { openSharing } from '../limits/sharing.ts'
import type { Bulletin } from '../postgres/bulletin.ts'
import { openBulletin } from '../postgres/bulletin.ts'
import type { Standing } from '../postgres/throttle.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Shows a further limit of the caller in the response headers, if less of it is left than of the others. */
    showLimit(standing: Standing): void
  }
}

const minute = 60_000
/** The maximum number of remembered callers; the least recent one is forgotten and regains its full allowance. */
const callersAtMost = 20_000
const channel = 'calls_taken'

/** Limits the calls per caller and minute across all processes, whether at once or spread. */
export function callLimit(app: FastifyInstance, { config, owner, log }: Pick<Context, 'config' | 'owner' | 'log'>) {
  const limit = config.rateLimit
  const report = oncePerMinute((caller) => log.warn({ caller, limit }, 'a caller has exceeded the limit of calls'))
  const callers = new Map<string, Allowances<'calls'>>()
  const find = (caller: string) => {
    const allowances = callers.get(caller) ?? {}
    callers.delete(caller)
    callers.set(caller, allowances)
    if (callers.size > callersAtMost) callers.delete(callers.keys().next().value!)
    return allowances
  }
  const sharing = openSharing({ channel, limits: { calls: limit }, over: minute, find })

  let bulletin: Bulletin | undefined
  app.addHook('onReady', async () => {
    bulletin = await openBulletin({
      pool: owner,
      name: 'caretaker-limits',
      channels: [channel],
      onNotification: sharing.hear,
      onOpen: sharing.connect,
      onLost: () => sharing.connect(undefined),
    })
  })
  app.addHook('onClose', () => bulletin?.stop())

  app.decorateRequest('showLimit', () => {})
  app.addHook('onRequest', async (request, reply) => {
    request.showLimit = (standing) => showLimit(reply, standing)
  })

  class Store implements FastifyRateLimitStore {
    incr(caller: string, callback: Parameters<FastifyRateLimitStore['incr']>[1]) {
      const now = Date.now()
      const allowances = find(caller)
      const calls = (allowances.calls ??= whole(limit, now))
      const untilLeft = (wanted: number) => ((wanted - calls.left) * minute) / limit
      // A rejected call does not count.
      if (refilled(calls, limit, now, minute) < 1) return callback(null, { current: limit + 1, ttl: untilLeft(1) })
      take(calls, 1)
      sharing.took(caller, allowances)
      callback(null, { current: limit - Math.floor(calls.left), ttl: untilLeft(limit) })
    }
    child() {
      return this
    }
  }
  return {
    max: limit,
    timeWindow: minute,
    store: Store as FastifyRateLimitStoreCtor,
    // A disconnected caller has no address: their remaining requests count as those of one caller.
    keyGenerator: ({ ip }: { ip: string | undefined }) => normalizeIP(ip ?? ''),
    onExceeded: (_request: unknown, caller: string) => report(caller),
    errorResponseBuilder: (_request: unknown, { ttl }: { ttl: number }) =>
      refuseTooMany({ limit, retryAfter: Math.ceil(ttl / 1000) }),
  }
}

const [limitHeader, leftHeader, resetHeader] = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

export function showLimit(reply: FastifyReply, { limit, left, seconds }: Standing): void {
  if (left > Number(reply.getHeader(leftHeader) ?? Infinity)) return
  void reply.headers({ [limitHeader]: limit, [leftHeader]: left, [resetHeader]: seconds })
}
