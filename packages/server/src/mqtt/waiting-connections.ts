import type { Socket } from 'node:net'
import { isIPv6 } from 'node:net'

/** Limits the connections that have not signed in, in total and per address. */
export interface WaitingConnections {
  /** Takes a place until `leave` is called; undefined if none is free. */
  enter(address: string): { leave(): void } | undefined
}

/** The maximum number of waiting connections in total. */
const mostWaiting = 2000

export function limitWaiting(perAddress: number, most = mostWaiting): WaitingConnections {
  const waiting = new Map<string, number>()
  let all = 0
  return {
    enter: (address) => {
      const network = networkOf(address)
      const here = waiting.get(network) ?? 0
      if (here >= perAddress || all >= most) return undefined
      waiting.set(network, here + 1)
      all++
      let inside = false
      return {
        leave: () => {
          if (inside) return
          inside = true
          all--
          const left = waiting.get(network)! - 1
          if (left) waiting.set(network, left)
          else waiting.delete(network)
        },
      }
    },
  }
}

/** The owner of an IPv6 address has the 2^64 addresses of its network. */
function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)
  if (mapped) return mapped[1]!
  if (!isIPv6(address)) return address
  const [before = '', after] = address.split('%')[0]!.split('::')
  const groups = before.split(':').filter(Boolean)
  const missing = after === undefined ? 0 : 8 - groups.length - after.split(':').filter(Boolean).length
  return [...groups, ...Array.from({ length: missing }, () => '0'), ...(after ?? '').split(':')].slice(0, 4).join(':')
}

/** Maximum bytes of the first packet: enough for names, a key and a last will. */
const longestConnect = 8192
const connect = 1

/**
 * Calls `whole` once a complete CONNECT has arrived, and leaves it in the socket. Before that only a few bytes are
 * kept per connection; any other packet ends it.
 */
export function awaitConnect(socket: Socket, whole: () => void): void {
  let bytes = Buffer.alloc(0)
  const look = () => {
    for (let chunk = socket.read() as Buffer | null; chunk; chunk = socket.read() as Buffer | null)
      bytes = Buffer.concat([bytes, chunk])
    const length = lengthOf(bytes)
    if (length === 'unknown' || bytes.length < length) return
    socket.off('readable', look)
    if (length === 0) return void socket.destroy()
    socket.unshift(bytes)
    whole()
  }
  socket.on('readable', look)
}

/** The length of a CONNECT including its header; 0 if it is not a CONNECT or too long. */
function lengthOf(bytes: Buffer): number | 'unknown' {
  if (bytes.length && bytes[0]! >> 4 !== connect) return 0
  let length = 0
  // A length of three bytes is above the limit.
  for (const at of [1, 2]) {
    const byte = bytes[at]
    if (byte === undefined) return 'unknown'
    length += (byte & 127) << (7 * (at - 1))
    if (byte < 128) return length > longestConnect ? 0 : at + 1 + length
  }
  return 0
}
