import type { UpChannel } from '@caretaker/contract/mqtt/topics.ts'
import type { Allowances } from '../limits/allowance.ts'
import { refilled, take, whole } from '../limits/allowance.ts'

/** Within which a device has its limits whole again, in ms. */
export const hour = 3_600_000

/** How much one device may say within an hour, all at once or spread over it. */
export interface Limits {
  messages: number
  bytes: number
  /** Events and tests together: they are kept for years. */
  events: number
}

/** What is left of the limits of one device. */
export type Budget = Allowances<keyof Limits>

/** Takes a message out of what its device may still say; where that is too little, nothing is taken, and the limit is named. */
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

/** A connection may bear so many times what one device may say: gateways speak for many. */
const devicesOfConnection = 100
/** Within this time, in ms, it may be used at once: more comes slower, and nothing is lost. */
const atOnceWithin = 60_000

/** How fast one connection is read. */
export interface Pace {
  /** Counts a message that was read. */
  count(bytes: number): void
  /** How long nothing more is to be read, in ms. */
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
