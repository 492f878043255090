import type { FastifyInstance } from 'fastify'
import { openapi } from '@caretaker/contract/openapi.ts'
import { routes } from '@caretaker/contract/routes.ts'
import { version } from '../version.ts'

/** The contract for people and programs: /api/openapi.json, and the same as a page at /api/docs. */
export function documentation(app: FastifyInstance): void {
  const document = openapi(routes, version)
  app.get('/api/openapi.json', async () => document)
  const html = page(document)
  app.get('/api/docs', async (_request, reply) => reply.type('text/html; charset=utf-8').send(html))
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

type Operation = {
  operationId: string
  summary: string
  description: string
  requestBody?: unknown
  responses: unknown
}

function page(document: Record<string, unknown>): string {
  const paths = Object.entries(document.paths as Record<string, Record<string, Operation>>)
  const calls = paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => callOf(method, path, operation)),
  )
  const names = paths.map(([path, methods]) => {
    const { operationId } = Object.values(methods)[0]!
    return `<li><a href="#${escaped(operationId)}">${escaped(path)}</a></li>`
  })
  const { schemas } = document.components as { schemas: Record<string, unknown> }
  const shapes = Object.entries(schemas).map(
    ([name, schema]) =>
      `<details id="schema-${escaped(name)}"><summary>${escaped(name)}</summary>${block(schema)}</details>`,
  )
  return `<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Caretaker API</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Caretaker API</h1>
<p>${calls.length} calls. The same as a document for programs: <a href="/api/openapi.json">/api/openapi.json</a> (OpenAPI 3.1).
Version 1 calls are <code>POST /api/{Action}</code>; they answer <code>{isSuccessful, data, reason, message}</code>.
Send the access token as <code>Authorization: Bearer …</code>.</p>
<nav aria-label="Calls"><ul>${names.join('')}</ul></nav>
${calls.join('\n')}
<h2>Shapes</h2>
${shapes.join('\n')}
</main>
</body>
</html>`
}

function callOf(method: string, path: string, operation: Operation): string {
  return `<section id="${escaped(operation.operationId)}">
<h2><code>${method.toUpperCase()}</code> ${escaped(path)}</h2>
<p>${escaped(operation.summary)} ${escaped(operation.description)}</p>
${operation.requestBody ? `<details><summary>Sent</summary>${block(operation.requestBody)}</details>` : ''}
<details><summary>Answered</summary>${block(operation.responses)}</details>
</section>`
}

const block = (value: unknown) => `<pre tabindex="0">${escaped(JSON.stringify(value, null, 2))}</pre>`

const style = `
:root { color-scheme: light dark; --line: light-dark(#e4e7ec, #262c36); --soft: light-dark(#f1f3f6, #151920); --link: light-dark(#2f55c8, #8fb0ff) }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0; background: light-dark(#fff, #0e1116); color: light-dark(#14181f, #e8ebf0) }
main { max-width: 860px; margin: 0 auto; padding: 24px 16px 80px }
h1 { font-size: 26px } h2 { font-size: 17px; margin: 0 0 4px; overflow-wrap: anywhere }
section { border-top: 1px solid var(--line); padding: 16px 0 }
a { color: var(--link) } code { font-family: ui-monospace, monospace }
nav ul { columns: 2; padding-left: 18px } @media (max-width: 600px) { nav ul { columns: 1 } }
nav a { display: inline-block; padding: 2px 0; overflow-wrap: anywhere } summary { cursor: pointer; padding: 2px 0 } pre { background: var(--soft); padding: 12px; border-radius: 8px; overflow: auto; font-size: 12.5px }`
