/** How much memory the messages take that were taken and are not done yet, and how long the oldest has been waiting. */
export interface Held {
  bytes(): number
  /** Takes a message of so much memory; what it gives is called once, when that is done. */
  take(bytes: number): () => void
  /** For how long the oldest has been waiting, in seconds; 0 when none is. */
  oldest(): number
  /** Whether more may be read; where not, `readOn` is called once there is room again. */
  hasRoom(readOn: () => void): boolean
}

/** What a message takes besides its payload, and how often the payload: as it came, and parsed. Both were measured. */
const ofMessage = 1024
const ofPayloadByte = 4

export const memoryOf = (payload: Buffer): number => ofMessage + ofPayloadByte * payload.length

/** Holds `most` bytes and what comes with the read that reaches them; reading goes on when half of it is done. */
export function holdAtMost(most: number): Held {
  let held = 0
  let waiting = new Set<() => void>()
  let full = false
  /** Messages in the order in which they came, whichever is done first. */
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
