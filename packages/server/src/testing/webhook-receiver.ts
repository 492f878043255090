import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  path: string
  headers: Record<string, string>
  body: string
}

export interface Receiver {
  url: string
  port: number
  received: Received[]
  /** Sets the handler for messages to a path; the default response is 204. */
  on(path: string, answer: (request: IncomingMessage, response: ServerResponse) => void): void
  /** The messages to a path, as soon as there are this many. */
  until(path: string, many: number): Promise<Received[]>
  close(): Promise<void>
}

/** A local server that receives webhook messages like a customer's software. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const answers = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>()
  let wake = () => {}
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = request.url ?? '/'
      const body = Buffer.concat(chunks).toString()
      received.push({ path, headers: request.headers as Record<string, string>, body })
      const answer = answers.get(path)
      if (answer) answer(request, response)
      else response.writeHead(204).end()
      wake()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    on: (path, answer) => void answers.set(path, answer),
    until: async (path, many) => {
      for (;;) {
        const those = received.filter((one) => one.path === path)
        if (those.length >= many) return those
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
