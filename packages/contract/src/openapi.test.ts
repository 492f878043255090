import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openapi } from './openapi.ts'
import { isVersion1 } from './route.ts'
import { routes } from './routes.ts'

const document = openapi(routes, '0.0.0') as { paths: Record<string, unknown>; components: { schemas: object } }

test('every call is in the document, and every reference in it leads somewhere', () => {
  for (const [name, route] of Object.entries(routes)) {
    const operation = (document.paths[route.path] as Record<string, { operationId: string }>)[
      route.method.toLowerCase()
    ]
    assert.equal(operation?.operationId, name)
  }
  const references = JSON.stringify(document).match(/"\$ref":"[^"]+"/g) ?? []
  assert.ok(references.length > 10)
  for (const reference of references) {
    const name = /#\/components\/schemas\/(.+)"/.exec(reference)?.[1]
    assert.ok(name && name in document.components.schemas, reference)
  }
})

test('no two calls share method and path, whatever the letter case', () => {
  const keys = Object.values(routes).map(
    (route) => `${route.method} ${route.path.replaceAll(/\{\w+\}/g, '{}').toLowerCase()}`,
  )
  assert.equal(new Set(keys).size, keys.length)
})

test('version 1 calls are POST /api/{Action} with the tenant in the body [core-7.1-1]', () => {
  const version1 = Object.entries(routes).filter(([, route]) => isVersion1(route))
  assert.ok(version1.length > 10)
  for (const [name, route] of version1) {
    assert.match(route.path, /^\/api\/[A-Za-z0-9]+$/, name)
    interface Sent {
      shape?: object
      def?: { shape?: object; in?: { shape?: object } }
    }
    const sent = (route.body ?? route.form) as Sent | undefined
    const shape = sent?.shape ?? sent?.def?.shape ?? sent?.def?.in?.shape ?? {}
    // An alert definition names it as that of its tag (devices specification, sections 3 and 7), and a tenant itself as its id.
    if (['addTenant', 'editTenant'].includes(name)) continue
    assert.ok('tenant' in shape || 'tagTenant' in shape, `${name} takes a tenant`)
  }
})
