import type { UpChannel } from '@caretaker/contract/mqtt/topics.ts'

export interface Message {
  topic: string
  channel: UpChannel
  payload: string
  /** Connections that were lost while it was on its way. */
  lost: number
}

export interface Outbox {
  push(message: Omit<Message, 'lost'>): void
  /** The next message to send, which is then on its way; undefined when there is none or enough are on their way. */
  next(): Message | undefined
  /** It was acknowledged. */
  done(message: Message): void
  /** The connection is lost: what was on its way will be sent again. */
  rewind(): void
  readonly waiting: number
  readonly flying: number
}

/** A message that lost this many connections is probably why; the broker closes them on what it forbids. */
const patience = 5

/**
 * What a device has yet to say. While it is offline at most `limit` messages wait: the oldest telemetry goes first, since the
 * newer readings tell more, and answers and events are said once only.
 */
export function createOutbox(limit: number, window: number): Outbox {
  let waiting: Message[] = []
  const flying = new Set<Message>()

  function trim(): void {
    while (waiting.length > limit) {
      const oldest = waiting.findIndex((message) => message.channel === 'telemetry')
      waiting.splice(Math.max(0, oldest), 1)
    }
  }

  return {
    push(message) {
      waiting.push({ ...message, lost: 0 })
      trim()
    },
    next() {
      if (flying.size >= window) return undefined
      const message = waiting.shift()
      if (message) flying.add(message)
      return message
    },
    done(message) {
      flying.delete(message)
    },
    rewind() {
      const again = [...flying].map((message) => ({ ...message, lost: message.lost + 1 }))
      flying.clear()
      waiting = [...again.filter((message) => message.lost < patience), ...waiting]
      trim()
    },
    get waiting() {
      return waiting.length
    },
    get flying() {
      return flying.size
    },
  }
}
