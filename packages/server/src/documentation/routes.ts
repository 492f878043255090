import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { asyncapi } from '@caretaker/contract/asyncapi.ts'
import type { RecordedExample } from '@caretaker/contract/openapi.ts'
import { openapi } from '@caretaker/contract/openapi.ts'
import { version } from '../version.ts'
import type { ApiDocument } from './page.ts'
import { docsPage } from './page.ts'

const own = (file: string) => readFileSync(path.join(import.meta.dirname, file), 'utf8')

/** Serves the API contract as /api/openapi.json, /api/asyncapi.json and as a page at /api/docs. */
export function documentation(app: FastifyInstance): void {
  const { origin, oidc, mqtt } = app.services.context.config
  const mqttUrl = mqtt.publicUrl ?? `${mqtt.tls ? 'mqtts' : 'mqtt'}://${new URL(origin).hostname}:${mqtt.port}`
  // Built on the first request: most servers never get one.
  const recorded = () => JSON.parse(own('examples.json')) as Record<string, RecordedExample>
  const document = once(() => openapi({ version, origin, issuer: oidc.issuer }, recorded()))
  const json = once(() => JSON.stringify(document()))
  const messages = once(() => JSON.stringify(asyncapi({ version, origin, mqttUrl })))
  const page = once(() => docsPage(document() as unknown as ApiDocument, origin))
  // Style and script are separate files: the content policy allows no inline script.
  const files = [
    { url: '/api/openapi.json', type: 'application/json; charset=utf-8', content: json },
    { url: '/api/asyncapi.json', type: 'application/json; charset=utf-8', content: messages },
    { url: '/api/docs', type: 'text/html; charset=utf-8', content: page },
    { url: '/api/docs/page.css', type: 'text/css; charset=utf-8', content: once(() => own('page.css')) },
    { url: '/api/docs/page.js', type: 'text/javascript; charset=utf-8', content: once(() => own('page.js')) },
  ]
  for (const { url, type, content } of files) {
    // Compressed once: anyone can request these, and compressing them for each of many callers delays all others.
    const packed = once(() => gzipSync(content()))
    app.get(url, async (request, reply) => {
      void reply.type(type).header('cache-control', 'no-cache').header('vary', 'accept-encoding')
      if (!/\bgzip\b/.test(String(request.headers['accept-encoding']))) return reply.send(content())
      return reply.header('content-encoding', 'gzip').send(packed())
    })
  }
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
