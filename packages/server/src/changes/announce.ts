import { sql } from 'kysely'
import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '../postgres/pool.ts'
import { somethingChanged } from './changed.ts'

/** Announces what `changedQuietly` has written, after it was committed. */
export interface Announcer {
  /** Something of these tenants is committed and not announced yet. */
  announce(tenants: Iterable<string>): void
  /** Resolves when nothing is left to be announced, or it could not be. */
  settled(): Promise<void>
}

/** A tenant is announced at most so often, in ms: each time costs writers a little, and readers wait half of it on average. */
const everyMs = 100

/**
 * Announces at once what comes first, and what comes within the next moment together after it. An announcement that is lost
 * with the process costs readers the next one of the tenant, or their own look every few seconds.
 */
export function openAnnouncer(db: Db, log: FastifyBaseLogger, every = everyMs): Announcer {
  let waiting = new Set<string>()
  let running: Promise<void> | undefined

  const tell = async (tenants: string[]) => {
    // It holds the lock under which announcements are committed, so it does not wait for the disk.
    await sql`
      select set_config('synchronous_commit', 'off', true), pg_notify(${somethingChanged}, tenant)
      from unnest(${tenants}::text[]) as tenant`.execute(db)
  }
  const run = async () => {
    while (waiting.size) {
      const tenants = [...waiting]
      waiting = new Set()
      try {
        await tell(tenants)
      } catch (error) {
        log.warn({ err: error }, 'changes could not be announced')
      }
      await new Promise((resolve) => setTimeout(resolve, every))
    }
    running = undefined
  }

  return {
    announce: (tenants) => {
      for (const tenant of tenants) waiting.add(tenant)
      if (waiting.size) running ??= run()
    },
    settled: async () => {
      while (running) await running
    },
  }
}
