import type pg from 'pg'
import type { FaultReport, FaultsOrder, FaultsResult, FaultsWanted } from './alerts-load.ts'
import type { WatchOrder } from './alerts-worker.ts'
import type { Child } from './children.ts'
import { startChild, waitUntil } from './children.ts'

/** How long a process may take to start, in ms. */
const readyWithin = 120_000
/** How long acknowledgements may take after the last message is due, in ms. */
const answersWithin = 120_000
/** How long the worker may take to check all devices, in ms. */
const looksWithin = 600_000

export interface Speakers {
  /** Sends messages; returns the ms until each was acknowledged. */
  send(wanted: FaultsWanted, onReport?: (report: FaultReport) => void): Promise<number[]>
  stop(): Promise<void>
}

export async function startSpeakers(order: FaultsOrder): Promise<Speakers> {
  const load = startChild<'ready' | FaultReport | FaultsResult>('alerts-load.ts')
  load.send(order)
  await load.next(readyWithin)
  return {
    send: async (wanted, onReport) => {
      load.send(wanted)
      const end = performance.now() + (wanted.messages / wanted.perSecond) * 1000 + answersWithin
      for (;;) {
        const report = await load.next(end - performance.now())
        if (report === 'ready') continue
        if ('latency' in report) return report.latency
        onReport?.(report)
      }
    },
    stop: () => load.kill(),
  }
}

/** Starts a worker that evaluates alerts; resolves when it is running. */
export async function startWorker(order: WatchOrder): Promise<Child<'ready'>> {
  const worker = startChild<'ready'>('alerts-worker.ts', JSON.stringify(order))
  await worker.next(readyWithin)
  return worker
}

/** Waits until the worker has processed all changes up to a time; initially, until it has checked all devices. */
export const caughtUp = (owner: pg.Pool, tenant: string, by: Date): Promise<void> =>
  waitUntil(
    'the worker has looked at all changes',
    async () => {
      const { rowCount } = await owner.query(
        'select from alert_progress where tenant_id = $1 and position is not null and done_until >= $2',
        [tenant, by],
      )
      return rowCount! > 0
    },
    looksWithin,
  )
