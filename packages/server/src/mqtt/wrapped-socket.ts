import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

interface Wrapping {
  /** Converts received bytes, possibly to nothing. An error ends the connection. */
  incoming(bytes: Buffer): Buffer
  /** Converts bytes to send; unchanged by default. */
  outgoing?(bytes: Buffer): Buffer
  /** Called before data is taken from the socket. */
  mayRead(): boolean
}

export interface WrappedSocket {
  stream: Duplex
  /** Must be called when `mayRead` may return another value. */
  readOn(): void
}

/**
 * A stream in front of a socket that converts the data. It reads from the socket only on demand and while `mayRead`
 * allows it; otherwise the TCP window fills and the other side waits.
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
