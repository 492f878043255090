import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { changed } from '@caretaker/server/changes/changed.ts'
import { openFeed, positionOf } from '@caretaker/server/changes/feed.ts'
import type { Context } from '@caretaker/server/context.ts'
import { inTenant } from '@caretaker/server/postgres/tenant.ts'

/** Seconds between two probes. */
const pause = 5
/** A change that does not appear in the feed within this many seconds counts as lost. */
const patience = 60

export interface FeedProbe {
  /**
   * Seconds between the commit of a change and its appearance in the feed; for a change not shown yet, the time so far.
   */
  lag(): number
  stop(): Promise<void>
}

/** Writes a change every few seconds, and reads the feed as open pages do until the change appears. */
export function probeFeed(db: Context['db'], tenant: string): FeedProbe {
  const feed = openFeed()
  let [last, begun, isStopped] = [0, undefined as number | undefined, false]
  const secondsSince = (moment: number) => (performance.now() - moment) / 1000
  const probe = async () => {
    while (!isStopped) {
      const id = randomUUID()
      const seen = positionOf(await inTenant(db, tenant, (tx) => feed.now(tx)))
      begun = performance.now()
      await inTenant(db, tenant, (tx) => changed(tx, 'mail', [id]))
      for (let isFound = false; !isFound;) {
        const { rows, everything } = await inTenant(db, tenant, (tx) =>
          feed.since(tx, { position: seen }, { subjects: ['mail'] }),
        )
        isFound = everything || rows.some(({ ids }) => ids?.includes(id))
        if (secondsSince(begun) > patience) throw new Error(`a change was not in the feed within ${patience} s`)
      }
      last = secondsSince(begun)
      begun = undefined
      await sleep(pause * 1000)
    }
  }
  const probing = probe()
  // The failure is thrown in `stop`; until then it must not count as unhandled.
  probing.catch(() => {})
  return {
    lag: () => Math.max(last, begun === undefined ? 0 : secondsSince(begun)),
    stop: async () => {
      isStopped = true
      await probing
    },
  }
}
