import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'

/** A span as received by a collector. */
export interface ReceivedSpan {
  traceId: string
  spanId: string
  parentId: string
  name: string
  /** 2: server, 3: client, 5: consumer */
  kind: number
  attributes: Record<string, unknown>
  /** 2: error */
  status: number
}

/** A field of a protobuf message: its number, and a number or bytes. */
type Field = [number, number | bigint | Buffer]

/** The fields of a message in order. */
function fields(message: Buffer): Field[] {
  const found: Field[] = []
  let at = 0
  const varint = () => {
    let [value, shift] = [0n, 0n]
    for (;;) {
      const byte = message[at++]!
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
      shift += 7n
    }
  }
  while (at < message.length) {
    const tag = Number(varint())
    const [number, type] = [tag >> 3, tag & 7]
    if (type === 0) found.push([number, varint()])
    else if (type === 1) found.push([number, message.readDoubleLE((at += 8) - 8)])
    else if (type === 5) found.push([number, message.readFloatLE((at += 4) - 4)])
    else {
      const length = Number(varint())
      found.push([number, message.subarray(at, (at += length))])
    }
  }
  return found
}
const inside = (message: Buffer, number: number) =>
  fields(message).flatMap(([of, value]) => (of === number && Buffer.isBuffer(value) ? [value] : []))
const text = (message: Buffer, number: number) => inside(message, number)[0]?.toString() ?? ''
const hex = (message: Buffer, number: number) => inside(message, number)[0]?.toString('hex') ?? ''
const integer = (message: Buffer, number: number) => Number(fields(message).find(([of]) => of === number)?.[1] ?? 0)

/** Decodes `KeyValue`s: texts, integers and floating-point numbers. */
function attributes(message: Buffer, number: number): Record<string, unknown> {
  return Object.fromEntries(
    inside(message, number).map((pair) => {
      const [kind, value] = fields(inside(pair, 2)[0]!)[0] ?? []
      return [text(pair, 1), kind === 1 ? String(value) : kind === 3 || kind === 4 ? Number(value) : undefined]
    }),
  )
}

/**
 * A collector that accepts OTLP over HTTP as protobuf and keeps what it receives (opentelemetry-proto, trace and
 * metrics v1).
 */
export async function startOtlpReceiver() {
  const spans: ReceivedSpan[] = []
  const metrics = new Map<string, { unit: string; points: Record<string, unknown>[] }>()
  const resources: Record<string, unknown>[] = []
  const headers: NodeJS.Dict<string | string[]>[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      headers.push(request.headers)
      const raw = Buffer.concat(chunks)
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw
      for (const ofResource of inside(body, 1)) {
        resources.push(attributes(inside(ofResource, 1)[0]!, 1))
        for (const scope of inside(ofResource, 2))
          if (request.url === '/v1/traces') spans.push(...inside(scope, 2).map(spanOf))
          else for (const metric of inside(scope, 2)) metrics.set(text(metric, 1), metricOf(metric))
      }
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    metrics,
    resources,
    headers,
    stop: () => new Promise((closed) => server.close(closed)),
  }
}

const spanOf = (span: Buffer): ReceivedSpan => ({
  traceId: hex(span, 1),
  spanId: hex(span, 2),
  parentId: hex(span, 4),
  name: text(span, 5),
  kind: integer(span, 6),
  attributes: attributes(span, 9),
  status: integer(inside(span, 15)[0] ?? Buffer.alloc(0), 3),
})

/** The labels of each point: field 7 for gauges and sums, field 9 for histograms. */
function metricOf(metric: Buffer) {
  const of = (data: number, labels: number) =>
    inside(metric, data).flatMap((all) => inside(all, 1).map((point) => attributes(point, labels)))
  return { unit: text(metric, 3), points: [...of(5, 7), ...of(7, 7), ...of(9, 9)] }
}
