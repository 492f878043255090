import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { BadMessageReason } from '@caretaker/rules/devices/messages.ts'

/** How many messages of a device, or parts of them, were rejected for a reason, and when. */
export interface Refusals {
  tenant: string
  deviceId: string
  reason: BadMessageReason
  count: number
  /** In ms since the epoch. */
  first: number
  last: number
  /** The invalid field of the last one, if any. */
  field?: string | undefined
}

/** Counts rejected messages; the counts are written together once a second. */
export interface Tally {
  add(of: Omit<Refusals, 'first' | 'last'>, at: number): void
  /** The number of counts queued or being written. */
  size(): number
  /** Writes the counts; those that cannot be written are kept. */
  drain(): Promise<void>
}

interface Options {
  write(refusals: Refusals[]): Promise<void>
  log: FastifyBaseLogger
  every?: number
}

/** At most one count per device and reason is queued, so that memory needs no limit. */
export function openTally({ write, log, every = 1000 }: Options): Tally {
  let waiting = new Map<string, Refusals>()
  let taken: Map<string, Refusals> | undefined
  let timer: NodeJS.Timeout | undefined

  const merge = ({ tenant, deviceId, reason, count, first, last, field }: Refusals) => {
    const key = `${tenant} ${deviceId} ${reason}`
    const known = waiting.get(key) ?? { tenant, deviceId, reason, count: 0, first, last, field }
    waiting.set(key, {
      ...known,
      count: known.count + count,
      first: Math.min(known.first, first),
      last: Math.max(known.last, last),
      field: last >= known.last ? field : known.field,
    })
  }
  const later = () => {
    timer ??= setTimeout(() => void flush(), every)
  }
  const flush = async () => {
    clearTimeout(timer)
    timer = undefined
    if (taken || !waiting.size) return
    taken = waiting
    waiting = new Map()
    try {
      await write([...taken.values()])
    } catch (error) {
      log.warn({ err: error }, 'counts of bad messages are not stored yet')
      for (const refusals of taken.values()) merge(refusals)
    }
    taken = undefined
    if (waiting.size) later()
  }

  return {
    add: (of, at) => {
      merge({ ...of, first: at, last: at })
      later()
    },
    size: () => waiting.size + (taken?.size ?? 0),
    drain: async () => {
      if (taken) await sleep(10)
      else await flush()
    },
  }
}
