import { sql } from 'kysely'
import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '../postgres/pool.ts'
import { somethingChanged } from './changed.ts'

/** Announces changes written by `changedQuietly`, after they were committed. */
export interface Announcer {
  /** These tenants have committed changes to announce. */
  announce(tenants: Iterable<string>): void
  /** Resolves when nothing is left to announce, or announcing has failed. */
  whenIdle(): Promise<void>
}

/**
 * The minimum interval between a tenant's announcements, in ms: each one costs writers a little, and readers wait
 * half of it on average.
 */
const everyMs = 100

/**
 * Announces the first change immediately and those of the next interval together. If an announcement is lost with the
 * process, readers see the change with the next one, or when they poll after some seconds.
 */
export function openAnnouncer(db: Db, log: FastifyBaseLogger, every = everyMs): Announcer {
  let waiting = new Set<string>()
  let running: Promise<void> | undefined

  const announceNow = async (tenants: string[]) => {
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
        await announceNow(tenants)
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
    whenIdle: async () => {
      while (running) await running
    },
  }
}
