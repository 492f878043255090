import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'

export interface Batch<T> {
  /** Queues an item for the next batch. */
  add(item: T): void
  /** The number of items that are queued or being written. */
  size(): number
  /** Writes all queued items. Resolves with true when done, or with false after `patience` ms. */
  drain(patience: number): Promise<boolean>
}

export interface BatchOptions<T> {
  /** Writes items in one transaction. Resolves with the items that were rejected because their device is unknown. */
  write(items: T[]): Promise<T[]>
  /** Called when items have been committed. */
  stored(items: T[]): void
  /** Called for an item that is not stored: its device is unknown or, if an error is given, it can never be written. */
  refused(item: T, error?: unknown): void
  /** The weight of an item in a batch. */
  weight?(item: T): number
  /** The weight of a full batch. */
  full?: number
  /** How long the first item of a batch waits for more, in ms. */
  wait?: number
  log: FastifyBaseLogger
}

const longestPause = 2000

/**
 * Collects items and writes them in batches, one at a time and in order. If the database is unreachable, a batch is
 * retried until it succeeds, and no item completes before. If the data causes the failure, the batch is halved until
 * only the faulty item is left.
 */
export function openBatch<T>(options: BatchOptions<T>): Batch<T> {
  const { write, stored, refused, weight = () => 1, full = 5000, wait = 20, log } = options
  let waiting: T[] = []
  let heavy = 0
  let taken = 0
  let timer: NodeJS.Timeout | undefined
  let running = false
  let hurry = false
  let givenUp = false
  let idle = Promise.withResolvers<boolean>()

  const store = async (items: T[]): Promise<void> => {
    for (let attempt = 0; !givenUp; attempt++) {
      try {
        const rejected = new Set(await write(items))
        stored(rejected.size ? items.filter((item) => !rejected.has(item)) : items)
        for (const item of rejected) refused(item)
        return
      } catch (error) {
        if (blamesData(error)) return halve(items, error)
        const pause = Math.min(longestPause, 50 * 2 ** attempt)
        log.warn({ err: error, items: items.length }, `not stored yet, again in ${pause} ms`)
        await sleep(pause)
      }
    }
  }

  const halve = async (items: T[], error: unknown): Promise<void> => {
    if (items.length === 1) return refused(items[0]!, error)
    const middle = items.length >> 1
    await store(items.slice(0, middle))
    await store(items.slice(middle))
  }

  const take = (): T[] => {
    let weightTaken = 0
    let count = 0
    while (count < waiting.length && weightTaken < full) weightTaken += weight(waiting[count++]!)
    heavy -= weightTaken
    taken = count
    const items = waiting.slice(0, count)
    waiting = waiting.slice(count)
    return items
  }

  const run = async () => {
    clearTimeout(timer)
    timer = undefined
    running = true
    do await store(take())
    while (!givenUp && waiting.length && (hurry || heavy >= full))
    taken = 0
    running = false
    if (waiting.length && !givenUp) timer = setTimeout(() => void run(), wait)
    else idle.resolve(!givenUp)
  }

  return {
    add: (item) => {
      waiting.push(item)
      heavy += weight(item)
      if (running) return
      if (heavy >= full) void run()
      else timer ??= setTimeout(() => void run(), wait)
    },
    size: () => waiting.length + taken,
    drain: async (patience) => {
      if (!running && !waiting.length) return true
      idle = Promise.withResolvers()
      hurry = true
      if (!running) void run()
      const late = setTimeout(() => {
        givenUp = true
        idle.resolve(false)
      }, patience)
      const drained = await idle.promise
      clearTimeout(late)
      hurry = false
      return drained
    },
  }
}

/**
 * Whether the data itself cannot be stored. Any other failure (database unreachable, full or restarting, lost lock,
 * missing table or partition) must not lose a message, so it is retried.
 */
export function blamesData(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError) return true
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (code === '23514' && message.includes('no partition')) return false
  return /^(22|23|54)...$/.test(code)
}
