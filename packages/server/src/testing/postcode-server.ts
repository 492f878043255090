import { once } from 'node:events'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A postcode service with responses set by a test. */
export interface PostcodeServer {
  url: string
  /** The calls received. */
  asked: { path: string; headers: IncomingHttpHeaders }[]
  /** Sets the following responses: a status and JSON, a text, or a function of the response. */
  answers: (answer: [status: number, body: unknown] | ((response: ServerResponse) => void)) => void
  close: () => void
}

export async function postcodeServer(): Promise<PostcodeServer> {
  const asked: PostcodeServer['asked'] = []
  let respond: (response: ServerResponse) => void = (response) => void response.writeHead(500).end()
  const server = createServer((request, response) => {
    asked.push({ path: request.url ?? '', headers: request.headers })
    respond(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answers: (answer) => {
      respond =
        typeof answer === 'function'
          ? answer
          : (response) => {
              const [status, body] = answer
              response.writeHead(status, { 'content-type': 'application/json' })
              response.end(typeof body === 'string' ? body : JSON.stringify(body))
            }
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
