import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import net from 'node:net'

/** A scanner that finds 'EICAR' in what it receives by INSTREAM, or that answers something else. */
export async function startVirusScanner(other?: string) {
  const server = net.createServer((socket) => {
    let received = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('data', (part) => {
      received = Buffer.concat([received, part])
      const content = contentIn(received)
      if (content !== undefined)
        socket.end(other ?? `stream: ${content.includes('EICAR') ? 'Eicar-Signature FOUND' : 'OK'}\0`)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { host: '127.0.0.1', port, stop: () => void server.close() }
}

/** The whole content of a command; undefined until its end. */
function contentIn(received: Buffer): string | undefined {
  const command = 'zINSTREAM\0'
  assert.equal(received.subarray(0, command.length).toString(), command.slice(0, received.length))
  let [at, content] = [command.length, '']
  while (received.length >= at + 4) {
    const length = received.readUInt32BE(at)
    if (!length) return content
    content += received.subarray(at + 4, at + 4 + length).toString('latin1')
    at += 4 + length
  }
  return undefined
}
