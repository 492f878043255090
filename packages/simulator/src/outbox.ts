import type { UpChannel } from '@caretaker/contract/mqtt/topics.ts'

export interface Message {
  topic: string
  channel: UpChannel
  payload: string
  /** The number of connections that were lost while it was in flight. */
  lost: number
}

export interface Outbox {
  push(message: Omit<Message, 'lost'>): void
  /** The next message to send, which is then in flight; undefined when there is none or the window is full. */
  next(): Message | undefined
  /** Removes an acknowledged message. */
  done(message: Message): void
  /** Returns the messages in flight to the queue after a lost connection. */
  rewind(): void
  readonly waiting: number
  readonly flying: number
}

/**
 * A message that was in flight on this many lost connections probably caused the losses, because the broker closes
 * connections that send forbidden messages.
 */
const patience = 5

/**
 * The unsent messages of a device. While it is offline, at most `limit` messages wait: the oldest telemetry is dropped first,
 * because newer readings matter more, and replies and events are sent only once.
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
