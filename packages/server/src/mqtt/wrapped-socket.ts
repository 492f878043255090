import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

interface Wrapping {
  /** What the reader gets of bytes that came, perhaps nothing. An error ends the connection. */
  incoming(bytes: Buffer): Buffer
  /** What is sent of bytes that were written; as they are without it. */
  outgoing?(bytes: Buffer): Buffer
  /** Asked before anything is taken from the socket. */
  mayRead(): boolean
}

export interface WrappedSocket {
  stream: Duplex
  /** To be called when `mayRead` may have changed its mind. */
  readOn(): void
}

/**
 * A stream in front of a socket that changes what passes. It takes from the socket only what is read from it and what
 * `mayRead` allows: otherwise the window of TCP fills, and the other side waits.
 */
export function wrapSocket(
  socket: Socket,
  { incoming, outgoing = (bytes) => bytes, mayRead }: Wrapping,
): WrappedSocket {
  let wanted = false
  const stream = new Duplex({
    readableHighWaterMark: 1,
    read: () => {
      wanted = true
      take()
    },
    writev: (chunks, done) => {
      try {
        const bytes = outgoing(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)))
        if (bytes.length) socket.write(bytes, done)
        else done()
      } catch (error) {
        done(error as Error)
      }
    },
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy()
      done(error)
    },
  })
  const take = () => {
    while (wanted && mayRead()) {
      const bytes = socket.read() as Buffer | null
      if (!bytes) return
      try {
        const taken = incoming(bytes)
        if (!taken.length) continue
        wanted = false
        stream.push(taken)
      } catch (error) {
        stream.destroy(error as Error)
        return
      }
    }
  }
  socket.on('readable', take)
  socket.on('end', () => stream.push(null))
  socket.on('error', (error) => stream.destroy(error))
  socket.on('close', () => stream.destroy())
  return { stream, readOn: take }
}
