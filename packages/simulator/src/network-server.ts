import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import type { FleetConnection } from '@caretaker/contract/mqtt/fleet.ts'

/** A downlink that the network server queued. */
export interface Downlink {
  fPort: number
  bytes: Buffer
}

const largestBody = 10_000

/** The body of the call `DeviceService.Enqueue` of ChirpStack v4. */
const Enqueued = z.object({
  queueItem: z.object({
    confirmed: z.boolean().default(false),
    fPort: z.number().int().min(1).max(223),
    data: z.base64(),
  }),
})

/**
 * Serves ChirpStack v4's REST API call that queues downlinks, for the sensors of connections with a token. It listens
 * on the loopback address.
 */
export async function startNetworkServer(
  connections: readonly FleetConnection[],
  queue: (deviceKey: string, downlink: Downlink) => void,
): Promise<{ port: number; stop(): void }> {
  const sensors = new Map(
    connections.flatMap(({ apiToken, sensors }) =>
      apiToken === undefined
        ? []
        : sensors.map(({ deviceKey }) => [deviceKey.toLowerCase(), { deviceKey, apiToken }] as const),
    ),
  )
  const tokens = new Set([...sensors.values()].map(({ apiToken }) => `Bearer ${apiToken}`))
  let queued = 0

  const answer = async (request: IncomingMessage): Promise<[status: number, body: object]> => {
    const given = String(request.headers['grpc-metadata-authorization'])
    if (!tokens.has(given)) return [401, { code: 16, message: 'authentication failed: invalid token', details: [] }]
    const [, devEui] = /^\/api\/devices\/([0-9a-f]{16})\/queue$/.exec(request.url ?? '') ?? []
    const sensor = devEui === undefined ? undefined : sensors.get(devEui)
    if (!sensor || `Bearer ${sensor.apiToken}` !== given || request.method !== 'POST')
      return [404, { code: 5, message: 'Object does not exist', details: [] }]
    const parsed = Enqueued.safeParse(jsonOf(await bodyOf(request)))
    if (!parsed.success) return [400, { code: 3, message: parsed.error.issues[0]!.message, details: [] }]
    const { fPort, data } = parsed.data.queueItem
    queue(sensor.deviceKey, { fPort, bytes: Buffer.from(data, 'base64') })
    return [200, { id: `00000000-0000-4000-8000-${String(++queued).padStart(12, '0')}` }]
  }
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const [status, body] = await answer(request)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length
    if (size > largestBody) throw new Error('The body is too large.')
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
