import { longestKey, shortestKey } from '@caretaker/rules/api-keys/idempotency.ts'
import { isVendorAction } from '@caretaker/rules/rights/can.ts'
import type { WebhookEvent } from '@caretaker/rules/webhooks/webhooks.ts'
import { eventTexts, trialEvent, webhookEvents } from '@caretaker/rules/webhooks/webhooks.ts'
import type { Json } from './json-schemas.ts'
import { binary, components, json, reachable } from './json-schemas.ts'
import type { ErrorBody, RefusalCode } from './refusal.ts'
import { refusals } from './refusal.ts'
import { refusalsOf } from './route-refusals.ts'
import type { AnyRoute } from './route.ts'
import { isReading, isVersion1, takesIdempotencyKeys, takesKeys } from './route.ts'
import { withoutKeys } from './without-keys.ts'
import { webhookMessage } from './webhooks.ts'
import { routes, subjectOfRoute, subjects } from './routes.ts'
import type { SampleTexts } from './sample.ts'
import { sampleOf } from './sample.ts'

/** Facts about the installation that the document contains. */
export interface Installation {
  version: string
  /** The address that users open, without a trailing slash. */
  origin: string
  /** The OpenID Connect provider that users sign in with. */
  issuer: string
}

/** A request body, and the demo's response to it. */
export interface RecordedExample {
  request?: unknown
  response: unknown
}

/**
 * The contract as an OpenAPI 3.1 document, without internal calls. Named schemas (`.meta({ id })`) become components.
 * Operations without a recorded example get one that is generated from their schema.
 */
export function openapi(
  { version, origin, issuer }: Installation,
  recorded: Readonly<Record<string, RecordedExample>> = {},
): Json {
  const documented = Object.entries(routes).filter(([, route]) => !route.internal)
  const schemas = components()
  const paths: Record<string, Json> = {}
  for (const [name, route] of documented)
    (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(name, route, schemas, recorded[name])
  const used = new Set(documented.map(([, route]) => subjectOfRoute(route)))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Caretaker',
      version,
      description:
        'The calls of the portal that other software can use. Calls of the form `POST /api/{Action}` are version 1: their responses have the envelope `{isSuccessful, data, reason, message}`; all other responses have none. An unknown path returns 404; a known path with an unsupported method returns 405 and the header `Allow`. With `Accept: application/problem+json`, errors have the format of RFC 9457.',
      contact: { name: 'The operator of this installation', url: origin },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // A loopback address is useless to a program on another machine, so the document refers to its own origin.
    servers: [isLoopback(origin) ? { url: '/', description: 'This server' } : { url: origin }],
    tags: subjects.filter(({ name }) => used.has(name)).map(({ name, about }) => ({ name, description: about })),
    security: [{ accessToken: [] }],
    paths,
    webhooks: Object.fromEntries(webhookNames.map((event) => [event, { post: message(event) }])),
    components: {
      securitySchemes: {
        accessToken: {
          type: 'openIdConnect',
          openIdConnectUrl: `${issuer}/.well-known/openid-configuration`,
          description: 'An access token of the identity provider that users sign in with, as a bearer token.',
        },
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key of the client, created under Settings, API keys.',
        },
        residentApp: { type: 'http', scheme: 'bearer', description: "The key of the client's resident app." },
      },
      parameters: requestHeaders,
      headers: responseHeaders,
      responses: Object.fromEntries(responses().filter(([name]) => isReferred(name, paths))),
      schemas: reachable(schemas, paths, ['Error', 'Version1Error']),
    },
  }
}

function isLoopback(origin: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(origin).hostname)
}

function operation(name: string, route: AnyRoute, schemas: Json, recorded?: RecordedExample): Json {
  return {
    operationId: name,
    tags: [subjectOfRoute(route)],
    summary: route.summary,
    ...(route.deprecated && { deprecated: true }),
    description: permissionText(name, route),
    security: security(route),
    parameters: [...parameters('path', route.params), ...parameters('query', route.query), ...headerParameters(route)],
    ...requestBody('application/json', route.body, schemas, recorded?.request),
    ...requestBody('multipart/form-data', route.form, schemas),
    responses: {
      [route.status]: answer(route, schemas, recorded),
      ...Object.fromEntries(refusalResponses(route)),
      500: { $ref: `#/components/responses/${responseName('unexpected', isVersion1(route))}` },
    },
  }
}

const webhookNames: readonly WebhookEvent[] = [...webhookEvents, trialEvent]

const eventText = (event: WebhookEvent) =>
  event === trialEvent ? "A user pressed 'Send trial'." : `${eventTexts[event]}.`

/** The OpenAPI description of a message that Caretaker sends to an endpoint of the client. */
function message(event: WebhookEvent): Json {
  const sent = webhookMessage(event)
  const header = (name: string, description: string): Json => ({
    ...{ name, in: 'header', required: true, description, schema: { type: 'string' } },
  })
  return {
    operationId: `tell${event[0]!.toUpperCase()}${event.slice(1).replaceAll(/\.(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary: eventText(event),
    description:
      'Sent to the endpoints that subscribe to the event, signed with their secret, and retried until the endpoint returns 2xx.',
    security: [],
    parameters: [
      header('webhook-id', 'The same for every attempt to send the message.'),
      header('webhook-timestamp', 'The time of this attempt, in seconds since 1970.'),
      header('webhook-signature', '`v1,` followed by the HMAC-SHA256 of `id.timestamp.body` in Base64.'),
    ],
    requestBody: { required: true, content: { 'application/json': { schema: json(sent, 'output') } } },
    responses: {
      '2XX': { description: 'The message was accepted.' },
      default: { description: 'The message was not accepted and is sent again.' },
    },
  }
}

function security(route: AnyRoute): Json[] {
  if (route.may === 'anyone') return []
  if (route.may === 'resident app') return [{ residentApp: [] }]
  return [{ accessToken: [] }, ...(takesKeys(route) ? [{ apiKey: [] }] : [])]
}

function permissionText(name: string, route: AnyRoute): string {
  const envelope = isVersion1(route)
    ? ' Version 1: the response has the envelope {isSuccessful, data, reason, message}.'
    : ''
  const why = withoutKeys[name]
  const noKey = why ? ` API keys are not accepted: ${why}` : takesKeys(route) ? '' : ' API keys are not accepted.'
  const { deprecated } = route
  const end = deprecated ? ` Deprecated: use ${deprecated.instead} before ${deprecated.removedOn}.` : ''
  return `Needs ${tokenText(route)}.${noKey}${envelope}${end}`
}

function tokenText(route: AnyRoute): string {
  if (route.may === 'anyone') return 'no token'
  if (route.may === 'signed in') return 'a token'
  if (route.may === 'resident app') return "a key of the client's resident app, as bearer token"
  const who = isVendorAction(route.may) ? "the vendor's staff" : 'a member of the client'
  const orKey = rightsOfKeys.has(route.may) ? ', or an API key with that right' : ''
  return `a token of ${who} who may '${route.may}'${orKey}`
}

/** Actions that an API key may do only if its creator has allowed it. */
const rightsOfKeys: ReadonlySet<string> = new Set(['administer users', 'manage api keys', 'manage webhooks'])

/** The condition for each error response. */
const when: Record<RefusalCode, string> = {
  invalid: 'The request is invalid: `validationErrors` lists the fields.',
  unauthorized: 'There is no valid token or key.',
  forbidden: 'The caller is not allowed to do this, or the client is suspended.',
  'not found': 'It does not exist, or the caller may not see it.',
  'wrong method': 'The method is not supported: the header Allow lists the supported methods.',
  conflict:
    'The request conflicts with the current state: the name is already used, someone else has made a change, or a call with the same Idempotency-Key is in progress.',
  outdated: 'The header If-Match does not name the current version: someone else has made a change.',
  'other request': 'The Idempotency-Key was used for another request.',
  gone: 'It has been deleted.',
  'too large': 'The body is larger than the call allows.',
  unsupported: 'The content type is not supported.',
  'too many': 'Too many calls: try again after the time in the header Retry-After.',
  unavailable: 'The service, or a service that it depends on, is unavailable: try again in a moment.',
  refused:
    'A business rule rejects the request, or the Idempotency-Key was used for another request; `message` gives the reason.',
}

/** The name of a component: `not found` of version 1 is `Version1NotFound`. */
function responseName(code: RefusalCode | 'unexpected', version1: boolean): string {
  const words = code.split(' ').map((word) => word[0]!.toUpperCase() + word.slice(1))
  return `${version1 ? 'Version1' : ''}${words.join('')}`
}

/** Every error response, once for each envelope. */
function responses(): [string, Json][] {
  return [false, true].flatMap((version1) => {
    const envelope = version1 ? { isSuccessful: false, data: null, reason: null } : {}
    const schema = { $ref: `#/components/schemas/${version1 ? 'Version1Error' : 'Error'}` }
    const one = (code: RefusalCode | 'unexpected', description: string, error: Partial<ErrorBody>): [string, Json] => {
      const example = { ...envelope, message: '', domainErrors: [], validationErrors: [], ...error }
      const content = { 'application/json': { schema, example } }
      return [responseName(code, version1), { description, ...headersOf(code), content }]
    }
    const refused = (Object.keys(refusals) as RefusalCode[])
      // In version 1, a business rule's rejection is an envelope with status 200.
      .filter((code) => !(version1 && code === 'refused'))
      .map((code) => one(code, when[code], { message: refusals[code].text, ...wrongField(code) }))
    const errorId = '5f2b2c1e-6f5c-4f0e-9a53-0c7d6f3c1b11'
    const unexpected = 'An unexpected error; the server log has an entry with this `errorId`.'
    return [...refused, one('unexpected', unexpected, { message: 'Server error.', errorId })]
  })
}

const headers = {
  'WWW-Authenticate': 'The scheme, with `error="invalid_token"` if a token or key was sent.',
  'Retry-After': 'The number of seconds after which to try again; for a conflict, only if the call is in progress.',
  'X-RateLimit-Limit': 'The limit that will be reached first: that of the API key or that of the address.',
  'X-RateLimit-Remaining': 'The number of calls left.',
  'X-RateLimit-Reset': 'The number of seconds until the full limit is available again.',
}
const headerNames: Partial<Record<RefusalCode | 'unexpected', readonly (keyof typeof headers)[]>> = {
  unauthorized: ['WWW-Authenticate'],
  'too many': ['Retry-After', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
  conflict: ['Retry-After'],
  unavailable: ['Retry-After'],
}

function headersOf(code: RefusalCode | 'unexpected'): Json {
  const names = headerNames[code]
  if (!names) return {}
  const described = names.map((name) => {
    const type = name === 'WWW-Authenticate' ? 'string' : 'integer'
    return [name, { description: headers[name], schema: { type } }]
  })
  return { headers: Object.fromEntries(described) }
}

function wrongField(code: RefusalCode): Partial<ErrorBody> {
  return code === 'invalid' ? { validationErrors: [{ field: 'tenant', message: 'must be a client id' }] } : {}
}

function refusalResponses(route: AnyRoute): [string, Json][] {
  const version1 = isVersion1(route)
  return refusalsOf(route)
    .filter((code) => !(version1 && code === 'refused'))
    .map((code) => [`${refusals[code].status}`, { $ref: `#/components/responses/${responseName(code, version1)}` }])
}

const quoted = { type: 'string', maxLength: 100 }
const requestHeaders = {
  IdempotencyKey: {
    ...{ name: 'Idempotency-Key', in: 'header', required: false },
    description:
      'Makes the call repeatable for 24 hours: the same call with the same key returns the stored response and changes nothing again. Use a new UUID for each call. A response with a new secret, or of more than 4 kB, is not stored: the repetition returns 409. A caller can send 100,000 calls with a key per day; further ones get 429.',
    schema: { type: 'string', minLength: shortestKey, maxLength: longestKey },
  },
  IfMatch: {
    ...{ name: 'If-Match', in: 'header', required: false },
    description:
      'The ETag of the version that the change is based on. If someone else has changed the item since, the call returns 412.',
    schema: quoted,
  },
}
const responseHeaders = {
  IdempotencyReplayed: {
    description: 'The call was made before with the same Idempotency-Key: this is its stored response.',
    schema: { type: 'string', enum: ['true'] },
  },
  ETag: { description: 'The version of the item, for the header If-Match of a change.', schema: quoted },
}

function headerParameters(route: AnyRoute): Json[] {
  const names = [
    ...(takesIdempotencyKeys(route) ? ['IdempotencyKey'] : []),
    ...(route.hasVersion && !isReading(route) ? ['IfMatch'] : []),
  ]
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
}

function answerHeaders(route: AnyRoute): Json {
  const sent = {
    ...(takesIdempotencyKeys(route) && {
      'Idempotency-Replayed': { $ref: '#/components/headers/IdempotencyReplayed' },
    }),
    ...(route.hasVersion && route.reply !== undefined && { ETag: { $ref: '#/components/headers/ETag' } }),
  }
  return Object.keys(sent).length ? { headers: sent } : {}
}

function answer(route: AnyRoute, schemas: Json, recorded?: RecordedExample): Json {
  const file = route.file && { [route.file]: { schema: binary } }
  const sent = answerHeaders(route)
  if (!route.reply) return file ? { description: 'A file', ...sent, content: file } : { description: 'Done', ...sent }
  const type = route.stream ? 'text/event-stream' : 'application/json'
  const reply = json(route.reply, 'output')
  const mayRefuse = isVersion1(route) && refusalsOf(route).includes('refused')
  const schema = mayRefuse ? { anyOf: [reply, { $ref: '#/components/schemas/Version1Error' }] } : reply
  const description = mayRefuse ? 'Done; if `isSuccessful` is false, a business rule rejected the request' : 'Done'
  const example = recorded?.response ?? exampleReply(json(route.reply, 'input'), schemas)
  return { description, ...sent, content: { [type]: { schema, example }, ...file } }
}

/** A success that matches the schema of the response. */
function exampleReply(reply: Json, schemas: Json): unknown {
  const example = sampleOf(reply, schemas, exampleTexts)
  const isEnvelope = Object.keys((reply.properties ?? {}) as Json).includes('isSuccessful')
  return isEnvelope ? { ...(example as Json), reason: null, message: null } : example
}

const exampleId = '0d8a6c1e-3f5b-4c2d-9e7a-5b1f2c3d4e5f'
const ids =
  'id deviceId propertyId buildingId floorId alertId caseId recordId tagId runId memberId userId personId mailId'
/** Texts of the examples by field, where a schema requires nothing but text. */
export const exampleTexts: SampleTexts = {
  ...Object.fromEntries(ids.split(' ').map((name) => [name, exampleId])),
  ...{ tenant: 'northgate', tenantId: 'northgate', tagTenant: 'northgate' },
  ...{ serial: 'EM1004127K', deviceSerial: 'EM1004127K', deviceName: 'Stairwell light 3', name: 'Oak House' },
  ...{ building: 'Oak House', buildingName: 'Oak House', floor: '1', room: 'Corridor', label: 'Oak House' },
  ...{ propertyReference: 'OAK-014', reference: 'OAK-014', postcode: 'LS1 4DY', postCode: 'LS1 4DY', town: 'Leeds' },
  ...{ address: '14 Oak Road, Leeds', address1: '14 Oak Road', userName: 'Priya Shah', createdBy: 'Priya Shah' },
  ...{ enteredBy: 'Priya Shah', changedBy: 'Priya Shah', product: 'EM', kind: 'fault', reason: 'Battery T180' },
  ...{ message: 'Done.', url: 'https://hooks.example.org/caretaker', groupName: 'Oak House, ground floor' },
  ...{
    firmware: '1.4.0',
    firmwareVersion: '1.4.0',
    viewId: 'emered-failed',
    tagName: 'Communal',
    email: 'priya@example.org',
  },
}

function isReferred(response: string, from: Json): boolean {
  return JSON.stringify(from).includes(`"#/components/responses/${response}"`)
}

function requestBody(type: string, schema: unknown, schemas: Json, recorded?: unknown): Json {
  if (!schema) return {}
  const sent = json(schema, 'input')
  const example = recorded ?? sampleOf(sent, schemas, exampleTexts)
  return { requestBody: { required: true, content: { [type]: { schema: sent, example } } } }
}

interface Shape {
  properties?: Json
  required?: string[]
}

function parameters(place: 'path' | 'query', schema: unknown): Json[] {
  if (!schema) return []
  const { oneOf, ...whole } = json(schema, 'input') as Shape & { oneOf?: Shape[] }
  // For calls with several query shapes, all their parameters. A parameter that some shape does not require is
  // optional.
  const shapes = oneOf ?? [whole]
  const names = new Set(shapes.flatMap(({ properties = {} }) => Object.keys(properties)))
  return [...names].map((name) => {
    const of = shapes.flatMap(({ properties }) => properties?.[name] ?? [])
    return {
      name,
      in: place,
      required: place === 'path' || shapes.every(({ required }) => required?.includes(name)),
      schema: of.length === 1 ? of[0] : { anyOf: of },
    }
  })
}
