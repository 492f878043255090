import assert from 'node:assert/strict'
import { test } from 'vitest'
import { z } from 'zod'
import { deviceFields, listings } from '@caretaker/rules/devices/list.ts'
import { trialEvent, webhookEvents } from '@caretaker/rules/webhooks/webhooks.ts'
import { openapi } from './openapi.ts'
import { refusalsOf } from './route-refusals.ts'
import { deprecationHeaders, isReading, isVersion1, route, takesKeys } from './route.ts'
import { withoutKeys } from './without-keys.ts'
import { routes } from './routes.ts'
import { inTenant } from './scalars.ts'

interface Operation {
  operationId: string
  tags: string[]
  security: object[]
  responses: Record<string, { $ref?: string }>
}
interface Document {
  servers: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: Record<'schemas' | 'responses' | 'securitySchemes' | 'parameters' | 'headers', object>
}
const installation = {
  version: '0.0.0',
  origin: 'https://caretaker.example.org',
  issuer: 'https://id.example.org',
}
const document = openapi(installation) as unknown as Document
const operationOf = (of: { path: string; method: string }) => document.paths[of.path]?.[of.method.toLowerCase()]

test('the document lists every call that is not internal under a subject, and every reference resolves', () => {
  const tags = new Set(document.tags.map(({ name }) => name))
  for (const [name, one] of Object.entries(routes)) {
    const operation = operationOf(one)
    assert.equal(operation?.operationId, one.internal ? undefined : name)
    if (operation) assert.ok(operation.tags.length === 1 && tags.has(operation.tags[0]!), name)
  }
  const internal = Object.values(routes).filter((one) => one.internal)
  assert.ok(internal.length > 10 && internal.length < 90)
  const references = JSON.stringify(document).match(/"\$ref":"[^"]+"/g) ?? []
  assert.ok(references.length > 1000)
  for (const reference of references) {
    const [, kind, name] = /#\/components\/(schemas|responses|parameters|headers)\/(.+)"/.exec(reference) ?? []
    assert.ok(name && name in document.components[kind as 'schemas'], reference)
  }
})

test('the document names the server: the public address, or its own origin', () => {
  const serversAt = (origin: string) => openapi({ ...installation, origin }).servers
  assert.deepEqual(document.servers, [{ url: 'https://caretaker.example.org' }])
  for (const origin of ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080'])
    assert.deepEqual(serversAt(origin), [{ url: '/', description: 'This server' }])
})

test('a call lists its error responses by status, in the envelope of its version', () => {
  const statuses = (name: string) => {
    const { responses } = operationOf(routes[name]!)!
    return Object.entries(responses).map(([status, { $ref }]) => `${status} ${$ref?.split('/').at(-1) ?? 'answer'}`)
  }
  assert.deepEqual(statuses('getProductNames'), [
    '200 answer',
    '401 Unauthorized',
    '403 Forbidden',
    '429 TooMany',
    '500 Unexpected',
    '503 Unavailable',
  ])
  assert.deepEqual(statuses('createAccessRightsTag'), [
    '201 answer',
    '400 Invalid',
    '401 Unauthorized',
    '403 Forbidden',
    '404 NotFound',
    '409 Conflict',
    '413 TooLarge',
    '415 Unsupported',
    '422 Refused',
    '429 TooMany',
    '500 Unexpected',
    '503 Unavailable',
  ])
  assert.deepEqual(
    statuses('fetchViewData').filter((status) => status !== '200 answer'),
    ['400 Invalid', '401 Unauthorized', '403 Forbidden', '404 NotFound', '413 TooLarge', '415 Unsupported']
      .concat(['429 TooMany', '500 Unexpected', '503 Unavailable'])
      .map((status) => status.replace(' ', ' Version1')),
  )
  assert.ok(statuses('deleteAccessRightsTag').includes('410 Gone'))
})

test('the error responses of a call follow from who may call it, what it accepts and whether it changes data', () => {
  const of = (given: object) =>
    refusalsOf(route({ method: 'GET', path: '/api/x', may: 'anyone', summary: '', ...given })).join(', ')
  assert.equal(of({}), 'too many, unavailable')
  assert.equal(of({ may: 'signed in' }), 'unauthorized, forbidden, too many, unavailable')
  assert.equal(
    of({ may: 'enter tenant', params: inTenant }),
    'invalid, unauthorized, forbidden, not found, too many, unavailable',
  )
  assert.equal(of({ may: 'resident app' }), 'unauthorized, forbidden, too many, unavailable')
  assert.equal(of({ may: 'administer tenants' }), 'unauthorized, forbidden, too many, unavailable')
  assert.equal(
    of({ method: 'POST', path: '/api/AddThing', body: z.object({}) }),
    'invalid, not found, conflict, too large, unsupported, too many, unavailable, refused',
  )
  assert.equal(of({ refuses: ['gone'] }), 'gone, too many, unavailable')
})

test('a reading call is recognised by its method or by its verb', () => {
  const reading = (method: 'GET' | 'POST' | 'PUT', path: string) => isReading({ method, path })
  assert.ok(reading('GET', '/api/tenants/{tenant}/users') && reading('POST', '/api/getDeviceMetrics'))
  assert.ok(!reading('POST', '/api/tenants/{tenant}/users') && !reading('PUT', '/api/GetThing'))
})

test('a client call accepts an access token or an API key; a vendor or personal call accepts only an access token', () => {
  const schemes = (name: string) => operationOf(routes[name]!)!.security.flatMap((one) => Object.keys(one))
  assert.deepEqual(schemes('fetchViewData'), ['accessToken', 'apiKey'])
  for (const own of ['getSession', 'listUsers', 'updateUserRole'])
    assert.deepEqual(schemes(own), ['accessToken', 'apiKey'], own)
  assert.deepEqual(schemes('streamChanges'), ['accessToken', 'apiKey'])
  assert.deepEqual(schemes('addTenant'), ['accessToken'])
  assert.deepEqual(schemes('requestResidence'), ['residentApp'])
  assert.deepEqual(schemes('getClientSettings'), [])
  const known = Object.keys(document.components.securitySchemes)
  for (const name of ['fetchViewData', 'requestResidence'])
    assert.ok(schemes(name).every((scheme) => known.includes(scheme)))
})

test('every documented call accepts an API key, except those listed with a reason', () => {
  const without = Object.entries(routes).filter(([, one]) => !one.internal && !takesKeys(one))
  assert.deepEqual(without.map(([name]) => name).toSorted(), Object.keys(withoutKeys).toSorted())
  for (const [name, why] of Object.entries(withoutKeys))
    assert.ok(JSON.stringify(operationOf(routes[name]!)).includes(why), name)
})

test('no two calls share method and path, ignoring case', () => {
  const keys = Object.values(routes).map(
    (one) => `${one.method} ${one.path.replaceAll(/\{\w+\}/g, '{}').toLowerCase()}`,
  )
  assert.equal(new Set(keys).size, keys.length)
})

test('version 1 calls are POST /api/{Action} with the tenant in the body [core-7.1-1]', () => {
  const version1 = Object.entries(routes).filter(([, one]) => isVersion1(one))
  assert.ok(version1.length > 10)
  for (const [name, one] of version1) {
    assert.match(one.path, /^\/api\/[A-Za-z0-9]+$/, name)
    interface Sent {
      shape?: object
      def?: { shape?: object; in?: { shape?: object } }
    }
    const sent = (one.body ?? one.form) as Sent | undefined
    const shape = sent?.shape ?? sent?.def?.shape ?? sent?.def?.in?.shape ?? {}
    // Alert rules name the tenant as `tagTenant` (devices specification, sections 3 and 7), and tenant records as `id`.
    if (['addTenant', 'editTenant'].includes(name)) continue
    assert.ok('tenant' in shape || 'tagTenant' in shape, `${name} takes a tenant`)
  }
})

test('the document describes the message of each webhook and its signature headers', () => {
  const { webhooks } = document as unknown as { webhooks: Record<string, { post: Record<string, unknown> }> }
  assert.deepEqual(Object.keys(webhooks), [...webhookEvents, trialEvent])
  for (const [event, { post }] of Object.entries(webhooks)) {
    assert.match(String(post.summary), /^[A-Z].*\.$/, event)
    const headers = (post.parameters as { name: string }[]).map(({ name }) => name)
    assert.deepEqual(headers, ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
    assert.ok(JSON.stringify(post.requestBody).includes(`"const":"${event}"`), event)
  }
})

type Schema = Record<string, unknown>
/** A schema and all schemas in it, each with its path. */
function* partsOf(schema: unknown, path = ''): Generator<[string, Schema]> {
  if (typeof schema !== 'object' || schema === null) return
  yield [path, schema as Schema]
  for (const [name, part] of Object.entries(schema)) yield* partsOf(part, path ? `${path}.${name}` : name)
}

test('every number in a request has documented bounds, except filter values', () => {
  const unbounded: string[] = []
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const { parameters, requestBody } = operation as unknown as Record<string, unknown>
      for (const [place, part] of partsOf({ parameters, requestBody })) {
        if (!['integer', 'number'].includes(String(part.type)) || /filters\.items\.properties\.value/.test(place))
          continue
        const least = part.minimum ?? part.exclusiveMinimum
        const most = part.maximum ?? part.exclusiveMaximum
        const isBound = (bound: unknown) => typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER
        if (!part.enum && !(isBound(least) && isBound(most))) unbounded.push(`${method} ${path} ${place}`)
      }
    }
  assert.deepEqual(unbounded, [])
  for (const [place, part] of partsOf(document))
    assert.notEqual(Math.abs(Number(part.maximum ?? 0)), Number.MAX_SAFE_INTEGER, place)
})

test('the document lists the page sizes of a list, and the fields of exports and filter choices', () => {
  const bodyOf = (route: { path: string }) => {
    const { requestBody } = document.paths[route.path]!.post as unknown as {
      requestBody: { content: { 'application/json': { schema: { properties: Record<string, Schema> } } } }
    }
    return requestBody.content['application/json'].schema.properties
  }
  const { pageSize } = bodyOf(routes.fetchViewData!)
  assert.deepEqual([pageSize!.enum, pageSize!.minimum, pageSize!.maximum], [[25, 50, 100], 25, 100])
  assert.match(String(pageSize!.description), /EmergencyLights: 100\. .*VStats: 25, 50, 100/)
  assert.equal(bodyOf(routes.fetchProperties!).pageSize!.default, 25)
  const { columns } = bodyOf(routes.exportListing!)
  const exportable = Object.entries(deviceFields).filter(([id, { exportable }]) => {
    return exportable && Object.values(listings).some(({ fields }) => id in fields)
  })
  assert.deepEqual(
    (columns!.items as Schema).enum,
    exportable.map(([id]) => id),
  )
  assert.ok(exportable.length < Object.keys(deviceFields).length)
  assert.match(String(columns!.description), /EmergencyLights accepts [^.]*\bserial\b/)
})

test('every success with a JSON body has an example that matches its schema', () => {
  let count = 0
  for (const [name, one] of Object.entries(routes)) {
    if (one.internal || !one.reply) continue
    const { content } = operationOf(one)!.responses[one.status] as { content: Record<string, { example?: unknown }> }
    const [media] = Object.values(content)
    const read = (one.reply as z.ZodType).safeParse(media!.example)
    assert.ok(read.success, `${name}: ${read.error && z.prettifyError(read.error)}`)
    count++
  }
  assert.ok(count > 150, String(count))
})

test('no schema has an id of its own, which would change the base of its references', () => {
  for (const [place, part] of partsOf(document)) assert.ok(!('$id' in part) && !('$schema' in part), place)
})

test('a deprecated call announces its removal by the headers of RFC 9745 and RFC 8594', () => {
  assert.deepEqual(deprecationHeaders({ since: '2026-12-01', removedOn: '2027-06-01', instead: 'Get thing' }), {
    deprecation: '@1796083200',
    sunset: 'Tue, 01 Jun 2027 00:00:00 GMT',
  })
})

test('calls of members that change data accept an Idempotency-Key, and items with a version accept If-Match', () => {
  const parametersOf = (name: string) => JSON.stringify(operationOf(routes[name]!))
  for (const name of ['createAccessRightsTag', 'tenantCreateTag', 'deleteAccessRightsTag', 'runT0Test'])
    assert.match(parametersOf(name), /parameters\/IdempotencyKey/, name)
  for (const name of ['fetchViewData', 'getProperty', 'addTenant', 'requestResidence', 'exportListing'])
    assert.doesNotMatch(parametersOf(name), /IdempotencyKey/, name)
  const changing = ['putPropertyDetails', 'updateBuilding', 'updateEmeredGroup', 'moveProperty']
  const edits = [
    'updateDeviceBuildingLocation',
    'updateEmeredOperation',
    'setDeviceAccessRightsTag',
    'putBatteryLimits',
  ]
  for (const name of [...changing, ...edits]) {
    assert.match(parametersOf(name), /parameters\/IfMatch/, name)
    assert.ok('412' in operationOf(routes[name]!)!.responses, name)
  }
  // A response without a body names no version.
  assert.doesNotMatch(parametersOf('setDeviceAccessRightsTag'), /headers\/ETag/)
  for (const name of ['getProperty', 'getBuilding', 'getEmeredGroup', 'getEmered', 'getResidentAppSettings']) {
    assert.match(parametersOf(name), /headers\/ETag/, name)
    assert.doesNotMatch(parametersOf(name), /IfMatch/, name)
  }
})
