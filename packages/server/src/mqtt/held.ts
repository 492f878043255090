/** How much memory the messages take that were taken and are not done yet. */
export interface Held {
  bytes(): number
  take(bytes: number): void
  release(bytes: number): void
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
  return {
    bytes: () => held,
    take: (bytes) => {
      held += bytes
      if (held >= most) full = true
    },
    release: (bytes) => {
      held -= bytes
      if (!full || held > most / 2) return
      full = false
      const woken = waiting
      waiting = new Set()
      for (const readOn of woken) readOn()
    },
    hasRoom: (readOn) => {
      if (full) waiting.add(readOn)
      return !full
    },
  }
}
