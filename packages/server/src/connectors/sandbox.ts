import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { CodecLimit, CodecOutcome, CodecUplink } from './sandbox-limits.ts'
import { codecLimits, limitTexts } from './sandbox-limits.ts'

export interface Sandbox {
  /**
   * Decodes an uplink with a tenant's codec. Resolves even if the codec fails or reaches a limit: `errors` gives the reason.
   */
  decode(tenant: string, uplink: CodecUplink): Promise<CodecOutcome>
  close(): Promise<void>
}

interface Job {
  uplink: CodecUplink
  done: (outcome: CodecOutcome) => void
}
interface Thread {
  worker: Worker
  /** The tenant of its latest job: that tenant's next job starts faster. */
  tenant?: string
  job?: Job | undefined
  timer?: NodeJS.Timeout | undefined
  /** When the tenant's turn began, in ms. */
  turn: number
  isReady: boolean
}

const notStarted = 'The codec could not be started. Try again later'
const settings = {
  threads: Math.max(2, Math.min(4, availableParallelism())),
  /** Elapsed ms after which a thread without an answer is replaced: the engine cannot be interrupted everywhere. */
  hang: 1000,
  /** ms that a tenant keeps a thread while others wait */
  turn: 25,
  /** Maximum waiting messages of one tenant. */
  waiting: 500,
}

/** A tenant whose codec took more processor time than this, in ms, or was stopped is not trusted for a while, in ms. */
const [heavyFrom, distrustedFor] = [15, 60_000]
/** Tenants whose last outcome is remembered. */
const mostKnown = 10_000

/**
 * Runs tenants' codecs in threads. A tenant has one thread at a time, and tenants take turns: a codec that loops delays only
 * its own tenant's messages. One thread is kept for trusted tenants, whose codecs have run without a limit before, so
 * that many heavy codecs do not delay theirs. Threads start with the first codec.
 */
export function createSandbox(changed: Partial<typeof settings> = {}): Sandbox {
  const { threads: most, hang, turn, waiting } = { ...settings, ...changed }
  const threads = new Set<Thread>()
  const jobs = new Map<string, Job[]>()
  /** Tenants with jobs and without a thread, in the order of their turns. */
  const queue: string[] = []
  /** The time from which each tenant is trusted, by the clock of `performance`. */
  const trustedFrom = new Map<string, number>()
  let isClosed = false

  const isTrusted = (tenant: string) => (trustedFrom.get(tenant) ?? Infinity) <= performance.now()
  /** Whether a free thread may run this tenant's codec now. */
  const mayRun = (tenant: string) =>
    isTrusted(tenant) ||
    [...threads].filter((thread) => thread.job && !isTrusted(thread.tenant!)).length < Math.max(1, most - 1)
  function note(tenant: string, { limit, took }: CodecOutcome): void {
    const isStopped = limit === 'time' || limit === 'memory'
    const from = isStopped || took >= heavyFrom ? performance.now() + distrustedFor : 0
    const known = trustedFrom.get(tenant)
    if (known !== undefined && known >= from) return
    trustedFrom.delete(tenant)
    trustedFrom.set(tenant, from)
    if (trustedFrom.size > mostKnown) trustedFrom.delete(trustedFrom.keys().next().value!)
  }

  function startThread(): Thread {
    const worker = new Worker(new URL('sandbox-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
      env: {},
    })
    worker.unref()
    const thread: Thread = { worker, turn: 0, isReady: false }
    const end = () => {
      const outcome = thread.isReady ? stopped('memory') : { ...stopped('memory'), errors: [notStarted] }
      if (threads.delete(thread)) finish(thread, outcome)
    }
    worker.on('message', (message: 'ready' | CodecOutcome) => {
      if (message !== 'ready') return finish(thread, message)
      // The start of the thread does not count as the codec's time.
      thread.isReady = true
      if (thread.job) startTimer(thread)
    })
    worker.on('error', end)
    worker.on('exit', end)
    threads.add(thread)
    return thread
  }

  function startTimer(thread: Thread): void {
    thread.timer = setTimeout(() => {
      threads.delete(thread)
      void thread.worker.terminate()
      finish(thread, stopped('time'))
    }, hang)
  }

  function start(thread: Thread, tenant: string): void {
    const [job] = jobs.get(tenant)!.splice(0, 1)
    if (thread.tenant !== tenant) thread.turn = performance.now()
    thread.tenant = tenant
    thread.job = job
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    thread.worker.postMessage({ tenant, uplink: job!.uplink })
    if (thread.isReady) startTimer(thread)
  }

  /** Resolves the job with its outcome, and gives the thread to the tenant whose turn it is. */
  function finish(thread: Thread, outcome: CodecOutcome): void {
    clearTimeout(thread.timer)
    const { job, tenant } = thread
    thread.job = undefined
    if (job && tenant !== undefined) {
      note(tenant, outcome)
      if (!jobs.get(tenant)!.length) jobs.delete(tenant)
      else if (threads.has(thread) && mayRun(tenant) && (!queue.length || performance.now() - thread.turn < turn))
        start(thread, tenant)
      else queue.push(tenant)
      job.done(outcome)
    }
    work()
  }

  /** Gives free threads to the waiting tenants, if possible the same thread as before. */
  function work(): void {
    while (!isClosed) {
      const place = queue.findIndex(mayRun)
      if (place < 0) return
      const tenant = queue[place]!
      const free = [...threads].filter((thread) => !thread.job)
      const thread =
        free.find((one) => one.tenant === tenant) ?? free[0] ?? (threads.size < most ? startThread() : undefined)
      if (!thread) return
      queue.splice(place, 1)
      thread.turn = performance.now()
      start(thread, tenant)
    }
  }

  return {
    decode(tenant, uplink) {
      if (Buffer.byteLength(uplink.source) > codecLimits.source) return Promise.resolve(stopped('source'))
      const own = jobs.get(tenant)
      if (isClosed || (own && own.length >= waiting)) return Promise.resolve(stopped('queue'))
      return new Promise((done) => {
        const job = { uplink, done }
        if (own) own.push(job)
        else {
          jobs.set(tenant, [job])
          queue.push(tenant)
          work()
        }
      })
    },
    async close() {
      isClosed = true
      for (const list of jobs.values()) for (const { done } of list.splice(0)) done(stopped('queue'))
      const all = [...threads]
      threads.clear()
      for (const { job, timer } of all) {
        clearTimeout(timer)
        job?.done(stopped('queue'))
      }
      await Promise.all(all.map(({ worker }) => worker.terminate()))
    },
  }
}

const stopped = (limit: CodecLimit): CodecOutcome => ({ warnings: [], errors: [limitTexts[limit]], limit, took: 0 })
