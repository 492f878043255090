/** Tracks the memory of unprocessed messages and the age of the oldest. */
export interface Held {
  bytes(): number
  /** Registers a message of this size; the returned function must be called once it is processed. */
  take(bytes: number): () => void
  /** The age of the oldest unprocessed message in seconds; 0 if there is none. */
  oldest(): number
  /** Whether more may be read; if not, `readOn` is called once when there is room again. */
  hasRoom(readOn: () => void): boolean
}

/** Memory per message in bytes in addition to the payload, and copies of the payload (raw and parsed). Both were measured. */
const ofMessage = 1024
const ofPayloadByte = 4

export const memoryOf = (payload: Buffer): number => ofMessage + ofPayloadByte * payload.length

/** Pauses reading when `most` bytes are held (the last read may exceed it) and resumes when half is processed. */
export function holdAtMost(most: number): Held {
  let held = 0
  let waiting = new Set<() => void>()
  let full = false
  /** In order of arrival, although they are processed in any order. */
  const messages = new Set<{ since: number }>()
  const release = (bytes: number) => {
    held -= bytes
    if (!full || held > most / 2) return
    full = false
    const woken = waiting
    waiting = new Set()
    for (const readOn of woken) readOn()
  }
  return {
    bytes: () => held,
    take: (bytes) => {
      held += bytes
      if (held >= most) full = true
      const message = { since: performance.now() }
      messages.add(message)
      return () => {
        messages.delete(message)
        release(bytes)
      }
    },
    oldest: () => {
      const [first] = messages
      return first ? (performance.now() - first.since) / 1000 : 0
    },
    hasRoom: (readOn) => {
      if (full) waiting.add(readOn)
      return !full
    },
  }
}
