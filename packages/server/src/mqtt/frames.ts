import type { Duplex } from 'node:stream'

/** Enough for the largest payload taken and for telling that one was larger; a longer packet ends the connection. */
export const longestPacket = 512 * 1024
const disconnect = 14

/** Follows the packets of a byte stream by their headers. */
export interface Frames {
  /** False when a packet is longer than any that is taken. */
  accept(bytes: Uint8Array): boolean
  /** Whether the client has said that it goes. */
  readonly goodbye: boolean
}

export function followFrames(longest = longestPacket): Frames {
  let type = 0
  /** Bytes of the present packet yet to come. */
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

/** Stands between a connection and the broker that reads it. */
export interface Gate {
  /** Nothing more is read until it is opened again: the client's own window fills, and it waits. */
  close(): void
  open(): void
  readonly goodbye: boolean
}

/**
 * Gives a stream a gate. The broker has no bound of its own for what one client may have in the works, nor for the size of a
 * packet; it reads by `read()` whenever the stream is readable, so this is where both can be kept.
 */
export function putGate(stream: Duplex, onTooLong: () => void): Gate {
  const frames = followFrames()
  const read = stream.read.bind(stream)
  let closed = false
  stream.read = (size?: number) => {
    // A read of nothing is the stream's own way to go on filling its buffer, which is bounded.
    if (size === 0) return read(0)
    if (closed) return null
    const bytes = read(size) as Buffer | null
    if (!bytes || frames.accept(bytes)) return bytes
    onTooLong()
    stream.destroy()
    return null
  }
  return {
    close: () => (closed = true),
    open: () => {
      closed = false
      if (stream.readableLength) stream.emit('readable')
    },
    get goodbye() {
      return frames.goodbye
    },
  }
}
