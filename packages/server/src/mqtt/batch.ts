import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'

export interface Batch<T> {
  /** Takes an item; it is written with what else comes within a moment. */
  add(item: T): void
  /** How many items wait or are being written. */
  size(): number
  /** Writes what is there. Resolves when all is settled, or with false when that takes longer than `patience` ms. */
  drain(patience: number): Promise<boolean>
}

export interface BatchOptions<T> {
  /** Writes items in one transaction, all or none; resolves with those among them that there is no place for. */
  write(items: T[]): Promise<T[]>
  /** The items are stored for good. */
  settled(items: T[]): void
  /** This one item is not stored: there is no place for it, or, with an error, it cannot be written whatever is done. */
  refused(item: T, error?: unknown): void
  /** What an item counts against the size of a batch. */
  weight?(item: T): number
  /** Weight of a full batch. */
  full?: number
  /** How long the first item of a batch waits for others, in ms. */
  wait?: number
  log: FastifyBaseLogger
}

const longestPause = 2000

/**
 * Collects items and writes them in batches, one at a time and in order. A batch that fails because the database is away is
 * written again until it succeeds: nothing is settled before. A batch that fails because of its data is halved until
 * the item that is to blame stands alone.
 */
export function openBatch<T>(options: BatchOptions<T>): Batch<T> {
  const { write, settled, refused, weight = () => 1, full = 5000, wait = 20, log } = options
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
        const homeless = new Set(await write(items))
        settled(homeless.size ? items.filter((item) => !homeless.has(item)) : items)
        for (const item of homeless) refused(item)
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
 * Whether the data itself cannot be stored. Anything that is not surely so (the database away, full, restarting, a lock
 * lost, a table or a partition missing) must not cost a message: it is tried again.
 */
export function blamesData(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError) return true
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (code === '23514' && message.includes('no partition')) return false
  return /^(22|23|54)...$/.test(code)
}
