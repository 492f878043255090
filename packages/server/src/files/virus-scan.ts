import { once } from 'node:events'
import net from 'node:net'
import { text } from 'node:stream/consumers'

/** Milliseconds in which the scanner has to make progress. */
const patience = 30_000

/** The host and port of a ClamAV daemon. */
export interface VirusScanner {
  host: string
  port: number
}

/**
 * The virus that ClamAV (clamd, command INSTREAM) finds in a file's content; undefined if none. Throws if it gives no
 * verdict.
 */
export async function findVirus({ host, port }: VirusScanner, content: Blob): Promise<string | undefined> {
  const socket = net.connect({ host, port })
  socket.setTimeout(patience, () => socket.destroy(new Error('the virus scanner does not respond')))
  try {
    const answer = text(socket)
    answer.catch(() => {})
    await once(socket, 'connect')
    const send = async (part: Uint8Array) => socket.write(part) || once(socket, 'drain')
    await send(Buffer.from('zINSTREAM\0'))
    for await (const part of content.stream()) {
      await send(lengthOf(part.length))
      await send(part)
    }
    await send(lengthOf(0))
    const [, verdict = ''] = /^stream: (.*?)\0?$/s.exec(await answer) ?? []
    if (verdict === 'OK') return undefined
    const [, name] = /^(.+) FOUND$/.exec(verdict) ?? []
    if (name === undefined) throw new Error('the virus scanner gave no verdict')
    return name
  } finally {
    socket.destroy()
  }
}

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes)
  return length
}
