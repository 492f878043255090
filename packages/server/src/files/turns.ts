import { refuse } from '@caretaker/contract/refusal.ts'

interface Places {
  mostAtOnce: number
  mostWaiting: number
  /** The refusal when all places, including those in the queue, are taken. */
  busy: string
}

/** A queue in this process for memory-intensive work. */
export function createTurns({ mostAtOnce, mostWaiting, busy }: Places): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running >= mostAtOnce) {
      if (waiting.length >= mostWaiting) throw refuse('unavailable', busy)
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      // The next one takes over this place.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
