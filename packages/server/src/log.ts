import type { DestinationStream, Logger } from 'pino'
import pino from 'pino'
import { isLost, isWaitOver } from './postgres/lost.ts'

/** How often an ongoing database outage is logged, in ms. */
const every = 60_000
/**
 * How long connections must last until the outage is over, in ms: one that breaks immediately belongs to the same
 * outage.
 */
const stableAfter = 2000

export interface ProcessLog {
  log: Logger
  /** A connection to the database was opened. */
  reconnected(): void
}

/**
 * The log of a process. While the database is unreachable every part keeps failing: lines whose `err` shows this are
 * counted, and one line reports them when the outage begins, each minute, and when it is over.
 */
export function openLog(level: string, destination?: DestinationStream): ProcessLog {
  let outage: { since: number; failures: number; reminder: NodeJS.Timeout } | undefined
  let ending: NodeJS.Timeout | undefined
  const seconds = () => Math.round((Date.now() - outage!.since) / 1000)
  const failed = (error: unknown) => {
    clearTimeout(ending)
    ending = undefined
    if (outage) {
      outage.failures++
      return
    }
    const { code, message } = error as { code?: string; message?: string }
    const reminder = setInterval(() => {
      log.error({ seconds: seconds(), failures: outage!.failures }, 'the database is still unreachable')
    }, every).unref()
    outage = { since: Date.now(), failures: 1, reminder }
    log.error(
      { code, reason: message },
      'the database is unreachable: calls are rejected, and messages and jobs wait until it is back',
    )
  }
  const end = () => {
    const { failures, reminder } = outage!
    clearInterval(reminder)
    log.warn({ seconds: seconds(), failures }, 'the database is reachable again')
    outage = undefined
    ending = undefined
  }
  const log = pino(
    {
      level,
      base: null,
      redact: ['req.headers', 'headers', 'email', 'name', '*.email'],
      hooks: {
        logMethod(given, write, number) {
          const error = errorIn(given[0])
          const isOfOutage = isLost(error) || (outage !== undefined && isWaitOver(error))
          if (number < pino.levels.values.warn! || !isOfOutage) return write.apply(this, given)
          failed(error)
        },
      },
    },
    destination,
  )
  return {
    log,
    reconnected: () => {
      if (outage) ending ??= setTimeout(end, stableAfter).unref()
    },
  }
}

function errorIn(details: unknown): unknown {
  return details instanceof Error ? details : (details as { err?: unknown } | null | undefined)?.err
}
