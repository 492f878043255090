import type { FastifyBaseLogger } from 'fastify'

/** How often an ongoing outage is logged, in ms. */
const repeatAfter = 60_000

/** Logs an outage of an external system: a line when it begins, one per minute, and one when it is over. */
export interface OutageLog {
  /** Call for each failed attempt. */
  failed(reason: string): void
  /** Call for each successful attempt. */
  worked(): void
}

export function openOutageLog(log: FastifyBaseLogger, what: string, now = () => performance.now()): OutageLog {
  let outage: { since: number; loggedAt: number } | undefined
  return {
    failed: (reason) => {
      const at = now()
      if (!outage) {
        outage = { since: at, loggedAt: at }
        log.error({ reason }, `${what} is unreachable: retrying until it responds`)
      } else if (at - outage.loggedAt >= repeatAfter) {
        outage.loggedAt = at
        log.error({ reason, seconds: Math.round((at - outage.since) / 1000) }, `${what} is still unreachable`)
      }
    },
    worked: () => {
      if (!outage) return
      // A warning, because the default log level does not show info messages.
      log.warn({ seconds: Math.round((now() - outage.since) / 1000) }, `${what} is reachable again`)
      outage = undefined
    },
  }
}
