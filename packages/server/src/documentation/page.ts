import type { ErrorBody } from '@caretaker/contract/refusal.ts'
import { sampleOf } from '@caretaker/contract/sample.ts'
import { typeface } from '../idp/typeface.ts'
import { beginWithCurl, beginWithTypeScript, generateClient } from './begin.ts'
import { block, escaped, prose } from './html.ts'
import type { Schema } from './schema.ts'
import { schemaTable, typeText } from './schema.ts'

type Media = Record<string, { schema: Schema; example?: unknown }>
interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  schema: Schema
}
export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security: Record<string, unknown>[]
  parameters: (Parameter | { $ref: string })[]
  requestBody?: { content: Media }
  responses: Record<string, { $ref?: string; description?: string; content?: Media }>
}

/** The parts of the OpenAPI document that the page shows. */
export interface ApiDocument {
  info: { version: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, Schema>
    parameters: Record<string, Parameter>
    securitySchemes: Record<string, { description: string }>
    responses: Record<string, { description: string; content: Record<string, { example: ErrorBody }> }>
  }
}
interface Call extends Omit<Operation, 'parameters'> {
  parameters: Parameter[]
  method: string
  path: string
}

/**
 * The API as a page: first steps, and every call by subject. It is readable without its script, which adds the
 * search.
 */
export function docsPage(document: ApiDocument, origin: string): string {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Call => ({
      ...operation,
      parameters: operation.parameters.map((one) =>
        '$ref' in one ? document.components.parameters[one.$ref.split('/').at(-1)!]! : one,
      ),
      path,
      method: method.toUpperCase(),
    })),
  )
  const subjects = document.tags.map(({ name, description }) => ({
    name,
    description,
    id: `subject-${name.toLowerCase().replaceAll(' ', '-')}`,
    calls: calls.filter(({ tags }) => tags[0] === name),
  }))
  const menu = subjects.map(
    ({ name, id, calls: own }) =>
      `<li data-subject><details><summary>${escaped(name)}</summary><ul><li><a href="#${id}">All of ${escaped(name)}</a></li>${own.map(menuEntry).join('')}</ul></details></li>`,
  )
  const sections = subjects.map(
    ({ name, description, id, calls: own }) =>
      `<section class="subject" id="${id}" data-subject><h2>${escaped(name)}</h2><p>${prose(description)}</p>${own.map((call) => callOf(call, document, origin)).join('\n')}</section>`,
  )
  const shapes = Object.entries(document.components.schemas).map(
    ([name, schema]) =>
      `<details class="shape" id="shape-${escaped(name)}"><summary>${escaped(name)}</summary>${schemaTable(schema, `Fields of ${name}`)}</details>`,
  )
  return `<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Caretaker API</title>
<link rel="icon" href="/mark.svg" type="image/svg+xml">
<style>${typeface()}</style>
<link rel="stylesheet" href="/api/docs/page.css">
<script src="/api/docs/page.js" defer></script>
</head>
<body>
<a class="skip" href="#begin">Skip to first steps</a>
<header>
<h1>Caretaker API <small>${escaped(document.info.version)}</small></h1>
<form role="search"><label for="search" class="hidden">Search calls</label>
<input id="search" type="search" placeholder="Search ${calls.length} calls" autocomplete="off" spellcheck="false"></form>
<p id="found" role="status">${calls.length} calls</p>
<a class="document" href="/api/openapi.json">openapi.json</a>
<a class="document" href="/api/asyncapi.json">asyncapi.json</a>
</header>
<div class="columns">
<nav aria-label="Calls"><details class="menu"><summary>Contents</summary><ul>
<li><a href="#begin">First steps</a></li><li><a href="#answers">Responses and errors</a></li>
${menu.join('\n')}
<li><a href="#shapes">Shapes</a></li></ul></details></nav>
<main>
${beginning(document, origin)}
${refusalsSection(document)}
<p id="nothing" hidden>No matching calls. Try part of a name or address, such as ‘telemetry’ or ‘GetEmered’.</p>
${sections.join('\n')}
<section id="shapes" data-prose><h2>Shapes</h2><p>Shapes used by several calls.</p>${shapes.join('\n')}</section>
</main>
</div>
</body>
</html>`
}

/** A call's name as a title: fetchViewData becomes 'Fetch view data'. */
function titleOf({ operationId }: Pick<Operation, 'operationId'>): string {
  const words = operationId.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return words[0]!.toUpperCase() + words.slice(1)
}

/** The text by which a call is found. */
const findable = (call: Call) =>
  escaped(
    `${call.operationId} ${titleOf(call)} ${call.method} ${call.path} ${call.summary} ${call.tags[0]}`.toLowerCase(),
  )

const menuEntry = (call: Call) =>
  `<li data-find="${findable(call)}"><a href="#${call.operationId}">${escaped(titleOf(call))}</a></li>`

function beginning({ info }: ApiDocument, origin: string): string {
  return `<section id="begin" data-prose><h2>First steps</h2>
<p>${prose(info.description)}</p>
<ol><li>Create an API key under Settings, API keys. It is shown once, has the rights that you choose, and can be revoked there.</li>
<li>Send it with every call as <code>Authorization: Bearer …</code>. An access token of a signed-in user also works.</li>
<li>Include your client ID in each call: it is the first part of the portal’s addresses, for example <code>northgate</code>.</li></ol>
<h3>In the shell</h3>${block('curl', beginWithCurl(origin), 'begin-curl')}
<h3>In TypeScript</h3>${block('TypeScript', beginWithTypeScript(origin), 'begin-typescript')}
<h3>With a generated client</h3>
<p>Any OpenAPI 3.1 generator can create a client from <a href="/api/openapi.json">/api/openapi.json</a>, with types for all calls, for example:</p>
${block('Generate a client', generateClient(origin))}
<h3>Rules for all calls</h3>
<ul><li>Times are ISO 8601 with an offset; responses use UTC. IDs are UUIDs. Addresses are not case-sensitive.</li>
<li>Items that the key may not see are left out of lists and counts; calls with their ID return 404.</li>
<li>A device command is stored and then sent: the response is <code>queued</code>, and <a href="#getDeviceCommands">Get device commands</a> returns its result.</li>
<li>Instead of polling, use <a href="#streamChanges">Stream changes</a> or a webhook: add one under Settings, Webhooks, to receive signed events.</li>
<li>To repeat a call safely, send the same <code>Idempotency-Key</code> with it: for 24 hours the response is the stored one, and nothing changes again.</li>
<li>To avoid overwriting the changes of others, send the <code>ETag</code> that you read as <code>If-Match</code>.</li>
<li>Calls without a note about API keys do not accept one: they concern the signed-in user or other callers. Calls about users need a key with the right to administer users.</li></ul></section>`
}

function refusalsSection({ components }: ApiDocument): string {
  const named = Object.entries(components.responses).map(([name, one]) => [name.replace('Version1', ''), one] as const)
  // Most errors are in both versions: they are listed once.
  const rows = [...new Map(named.toReversed())].toReversed().map(([name, { description, content }]) => {
    const { message } = content['application/json']!.example
    return `<tr id="refusal-${name}"><th scope="row">${spaced(name)}</th><td>${prose(description)}</td><td>${escaped(message)}</td></tr>`
  })
  const example = {
    message: 'Request failed.',
    domainErrors: [],
    validationErrors: [{ field: 'tenant', message: 'must be a client id' }],
  }
  const version1 = { isSuccessful: false, data: null, reason: null, ...example }
  return `<section id="answers" data-prose><h2>Responses and errors</h2>
<p>An error is JSON with a <code>message</code> for people; <code>validationErrors</code> names each invalid field by its path.
Version 1 calls return both in their envelope. If a rule forbids the call, they return status 200 with <code>isSuccessful</code> false; all other calls return 422.
After 429 and 503, retry after the time in <code>Retry-After</code>. <code>X-RateLimit-Remaining</code> shows what is left of the limit that you reach first.</p>
<div class="wide"><table><caption>Errors</caption><thead><tr><th scope="col">Error</th><th scope="col">When</th><th scope="col">Default message</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>
${block('An error', JSON.stringify(example, null, 2))}
${block('A version 1 error', JSON.stringify(version1, null, 2))}</section>`
}

/** A component's name in words: TooMany becomes 'Too many'. */
const spaced = (name: string) =>
  name.replaceAll(/(.)([A-Z])/g, (_, before: string, letter: string) => `${before} ${letter.toLowerCase()}`)

function callOf(call: Call, document: ApiDocument, origin: string): string {
  const { operationId, method, path, summary, parameters, requestBody, responses } = call
  const body = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema }]) =>
      `<h4>Body <small>${escaped(type)}</small></h4>${shapeOf(schema, `Body of ${titleOf(call)}`)}`,
  )
  const answers = Object.entries(responses)
    .filter(([, { $ref }]) => !$ref)
    .map(([status, { description, content = {} }]) => answerOf(call, status, description!, content))
  const refusals = Object.entries(responses).flatMap(([status, { $ref }]) => {
    const name = $ref?.split('/').at(-1)!.replace('Version1', '')
    return name ? [`<li><a href="#refusal-${name}">${status} ${spaced(name)}</a></li>`] : []
  })
  return `<details class="call" id="${operationId}" data-find="${findable(call)}">
<summary><h3>${escaped(titleOf(call))}</h3><span class="address"><b class="method ${method.toLowerCase()}">${method}</b> <code>${addressText(path)}</code></span><span class="about">${prose(summary)}</span></summary>
<p>${prose(summary)}</p><p class="who">${prose(call.description)} ${accessText(call)} <a href="#${operationId}">Link to ${escaped(titleOf(call))}</a></p>
${parameters.length ? `<h4>Parameters</h4>${parameterTable(parameters, `Parameters of ${titleOf(call)}`)}` : ''}
${body.join('')}
${answers.join('')}
<h4>Refusals</h4><ul class="refusals">${refusals.join('')}</ul>
${block(`curl: ${titleOf(call)}`, curlOf(call, document, origin))}
</details>`
}

/** An address may break after its slashes. */
const addressText = (path: string) => escaped(path).replaceAll('/', '/<wbr>')

function accessText({ security }: Call): string {
  const schemes = security.flatMap((one) => Object.keys(one))
  return schemes.includes('apiKey') ? 'API keys are also accepted.' : ''
}

function parameterTable(parameters: readonly Parameter[], caption: string): string {
  const rows = parameters.map(
    ({ name, in: place, required, schema }) =>
      `<tr><th scope="row"><code>${escaped(name)}</code></th><td>${typeText(schema)}, in the ${{ path: 'address', query: 'query', header: 'headers' }[place]}</td><td>${required ? 'required' : ''}</td></tr>`,
  )
  return `<table><caption>${escaped(caption)}</caption><thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Required</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
}

/** Shows each shape of a body that may have several. */
function shapeOf(schema: Schema, caption: string): string {
  const shapes = schema.oneOf ?? schema.anyOf
  if (!shapes) return schemaTable(schema, caption)
  return shapes
    .map(
      (one, at) =>
        `<p class="type">Shape ${at + 1} of ${shapes.length}</p>${schemaTable(one, `${caption}, shape ${at + 1}`)}`,
    )
    .join('')
}

function answerOf(call: Call, status: string, description: string, content: Media): string {
  const parts = Object.entries(content).map(([type, { schema }]) => {
    // For a version 1 response only the data: its envelope is described once.
    const envelope = schema.properties?.isSuccessful
      ? schema
      : schema.anyOf?.find((one) => one.properties?.isSuccessful)
    const data = envelope?.properties?.data
    const own = data && { type: 'object', properties: { data }, required: ['data'] }
    return `<h4>Answer <small>${status}${status === '204' ? '' : `, ${escaped(type)}`}</small></h4>${schemaTable(own ?? schema, `Answer of ${titleOf(call)}`)}`
  })
  return (
    parts.join('') || `<h4>Answer <small>${status}</small></h4><p class="type">${escaped(description)}; no body.</p>`
  )
}

/** The call as a curl command with the required parameters. */
function curlOf({ method, path, parameters, requestBody }: Call, { components }: ApiDocument, origin: string): string {
  const sample = (schema: Schema) =>
    String(sampleOf(schema as Record<string, unknown>, components.schemas as Record<string, unknown>))
  const named = new Map(parameters.map(({ name, schema }) => [name, sample(schema)]))
  const query = parameters
    .filter((one) => one.in === 'query' && one.required)
    .map(({ name }) => `${name}=${encodeURIComponent(named.get(name)!)}`)
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(named.get(name) ?? name))
  const lines = [
    `curl -sS${method === 'GET' || (method === 'POST' && requestBody) ? '' : ` -X ${method}`} '${origin}${address}${query.length ? `?${query.join('&')}` : ''}'`,
  ]
  lines.push('-H "Authorization: Bearer $KEY"')
  for (const [type, { schema, example }] of Object.entries(requestBody?.content ?? {})) {
    if (type === 'application/json') lines.push(`--json '${JSON.stringify(example).replaceAll("'", String.raw`'\''`)}'`)
    else
      for (const [name, value] of Object.entries(example as object))
        lines.push(`-F '${name}=${isFile(schema, name) ? '@file' : value}'`)
  }
  return lines.join(' \\\n  ')
}

function isFile(schema: Schema, name: string): boolean {
  const shapes = [schema, ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]
  return shapes.some(({ properties }) => properties?.[name]?.format === 'binary')
}
