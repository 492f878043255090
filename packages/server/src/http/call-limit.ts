import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import type { Allowances } from '../limits/allowance.ts'
import { refilled, take, whole } from '../limits/allowance.ts'
import { openSharing } from '../limits/sharing.ts'
import type { Bulletin } from '../postgres/bulletin.ts'
import { openBulletin } from '../postgres/bulletin.ts'

const minute = 60_000
/** Who called least lately is forgotten beyond so many, and has a whole allowance again. */
const callersAtMost = 20_000
const channel = 'calls_taken'

/** How many calls a caller may make in a minute, to whichever processes: all at once, or spread over it. */
export function callLimit(app: FastifyInstance, { config, owner }: Pick<Context, 'config' | 'owner'>) {
  const limit = config.rateLimit
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
      onNews: sharing.hear,
      onOpen: sharing.connect,
      onLost: () => sharing.connect(undefined),
    })
  })
  app.addHook('onClose', () => bulletin?.stop())

  class Store implements FastifyRateLimitStore {
    incr(caller: string, callback: Parameters<FastifyRateLimitStore['incr']>[1]) {
      const now = Date.now()
      const allowances = find(caller)
      const calls = (allowances.calls ??= whole(limit, now))
      const untilLeft = (wanted: number) => ((wanted - calls.left) * minute) / limit
      // What is refused takes nothing.
      if (refilled(calls, limit, now, minute) < 1) return callback(null, { current: limit + 1, ttl: untilLeft(1) })
      take(calls, 1)
      sharing.took(caller, allowances)
      callback(null, { current: limit - Math.floor(calls.left), ttl: untilLeft(limit) })
    }
    child() {
      return this
    }
  }
  return { max: limit, timeWindow: minute, store: Store as FastifyRateLimitStoreCtor }
}
