import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import type { FaultSaid, FaultsOrder, FaultsTold, FaultsWanted } from './alerts-load.ts'
import type { WatchOrder } from './alerts-worker.ts'

const begin = (file: string, ...args: string[]) => fork(fileURLToPath(new URL(file, import.meta.url)), args)

export interface Speakers {
  /** Has them say so much; gives the ms until each message was acknowledged. */
  say(wanted: FaultsWanted, onSaid?: (said: FaultSaid) => void): Promise<number[]>
  stop(): void
}

export async function startSpeakers(order: FaultsOrder): Promise<Speakers> {
  const load = begin('./alerts-load.ts')
  load.send(order)
  await once(load, 'message')
  return {
    say: async (wanted, onSaid) => {
      const { promise, resolve, reject } = Promise.withResolvers<number[]>()
      const onMessage = (message: FaultSaid | FaultsTold) =>
        'latency' in message ? resolve(message.latency) : onSaid?.(message)
      const onExit = () => reject(new Error('what speaks for the devices has ended'))
      load.on('message', onMessage).on('exit', onExit)
      load.send(wanted)
      try {
        return await promise
      } finally {
        load.off('message', onMessage).off('exit', onExit)
      }
    },
    stop: () => load.kill(),
  }
}

/** A worker that watches alerts, at work when this resolves. */
export async function startWorker(order: WatchOrder): Promise<ChildProcess> {
  const worker = begin('./alerts-worker.ts', JSON.stringify(order))
  await once(worker, 'message')
  return worker
}

export async function kill(worker: ChildProcess): Promise<void> {
  worker.kill('SIGKILL')
  await once(worker, 'exit')
}

/** Until everything that had changed by then is looked at, at first all devices. */
export async function caughtUp(owner: pg.Pool, tenant: string, by: Date): Promise<void> {
  for (;;) {
    const { rows } = await owner.query(
      'select from alert_progress where tenant_id = $1 and position is not null and done_until >= $2',
      [tenant, by],
    )
    if (rows.length) return
    await sleep(100)
  }
}
