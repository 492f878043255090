import type { UpChannel } from '@caretaker/contract/mqtt/topics.ts'
import type { Allowances } from '../limits/allowance.ts'
import { refilled, take, whole } from '../limits/allowance.ts'

/** The period within which a device regains its full limits, in ms. */
export const hour = 3_600_000

/** What one device may send within an hour, at once or spread. */
export interface Limits {
  messages: number
  bytes: number
  /** Events and tests together: they are kept for years. */
  events: number
}

/** What remains of one device's limits. */
export type Budget = Allowances<keyof Limits>

/**
 * Deducts a message from the remaining limits of a device. If they are exceeded, deducts nothing and returns the name
 * of the limit.
 */
export function overLimit(
  limits: Limits,
  budget: Budget,
  { channel, bytes }: { channel: UpChannel; bytes: number },
  now: number,
): string | undefined {
  const wanted: [keyof Limits, number][] = [
    ['messages', 1],
    ['bytes', bytes],
  ]
  if (channel === 'events' || channel === 'tests') wanted.push(['events', 1])
  for (const [name, amount] of wanted)
    if (refilled((budget[name] ??= whole(limits[name], now)), limits[name], now, hour) < amount)
      return `more than ${limits[name]} ${name} an hour`
  for (const [name, amount] of wanted) take(budget[name]!, amount)
  return undefined
}

/** A connection may send this multiple of one device's limits, because gateways publish for many devices. */
const devicesOfConnection = 100
/** The period whose allowance may be used in one burst, in ms; above that, reading slows down and nothing is lost. */
const atOnceWithin = 60_000

/** The rate limit of one connection. */
export interface Pace {
  /** Counts a message that was read. */
  count(bytes: number): void
  /** How long reading must pause, in ms. */
  pause(now: number): number
}

export function openPace(limits: Limits): Pace {
  const share = (limit: number) => (limit * devicesOfConnection * atOnceWithin) / hour
  const most = { messages: share(limits.messages), bytes: share(limits.bytes) }
  const left = { messages: whole(most.messages, 0), bytes: whole(most.bytes, 0) }
  return {
    count: (bytes) => {
      left.messages.left -= 1
      left.bytes.left -= bytes
    },
    pause: (now) => {
      const missing = (name: 'messages' | 'bytes') =>
        (Math.max(0, -refilled(left[name], most[name], now, atOnceWithin)) * atOnceWithin) / most[name]
      return Math.max(missing('messages'), missing('bytes'))
    },
  }
}
