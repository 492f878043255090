const disconnect = 14

/**
 * Tracks the packet lengths in a byte stream. Reading each packet in full, as the broker does anyway, would cost a
 * tenth of the ingest rate.
 */
export interface PacketLengths {
  /** False if a packet is above the size limit. */
  accept(bytes: Uint8Array): boolean
  /** Whether the client has sent DISCONNECT. */
  readonly goodbye: boolean
}

export function followLengths(longest: number): PacketLengths {
  let type = 0
  /** Bytes of the current packet still to come. */
  let left = 0
  let length = 0
  let shift = -1
  let goodbye = false
  return {
    accept: (bytes) => {
      for (let at = 0; at < bytes.length;) {
        if (left > 0) {
          const step = Math.min(left, bytes.length - at)
          left -= step
          at += step
        } else if (shift < 0) {
          type = bytes[at++]! >> 4
          length = shift = 0
        } else {
          const byte = bytes[at++]!
          length += (byte & 127) << shift
          shift += 7
          if (byte > 127 && shift < 28) continue
          if (length > longest) return false
          left = length
          shift = -1
          goodbye ||= type === disconnect
        }
      }
      return true
    },
    get goodbye() {
      return goodbye
    },
  }
}
