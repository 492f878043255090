import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import fc from 'fast-check'
import type { $ZodType } from 'zod/v4/core'
import { safeParse } from 'zod/v4/core'
import type { AnyRoute } from '@caretaker/contract/route.ts'
import { routes } from '@caretaker/contract/routes.ts'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import { anyText } from '../testing/any-text.ts'
import { addDevice } from '../testing/furnish/devices.ts'

let app: TestApp
let token: string
let device: string
beforeAll(async () => {
  app = await testApp()
  await app.addTenant('north')
  await app.addMember('north', 'dev@north.test', 'Developer')
  device = await addDevice(app, 'north', { product: 'EM' })
  token = await app.token('dev@north.test')
  nasty = makeNasty()
})
afterAll(() => app.close())

/** The field names in a part of a route, as far as its schema shows them. */
function fieldsOf(schema: unknown): string[] {
  const { shape, def } = (schema ?? {}) as { shape?: object; def?: { shape?: object; in?: unknown } }
  return Object.keys(shape ?? def?.shape ?? {}).concat(def?.in ? fieldsOf(def.in) : [])
}

let nasty: fc.Arbitrary<unknown>
const makeNasty = () =>
  fc.oneof(
    fc.anything({ maxDepth: 2, withNullPrototype: false }),
    fc.constantFrom<unknown>(
      'north',
      'NORTH',
      'nowhere',
      device,
      device.toUpperCase(),
      '',
      ' ',
      '\u0000',
      'a\u0000b',
      '\ud800',
      'nоrth',
    ),
    fc.constantFrom<unknown>(
      "' or 1=1; --",
      '../../etc/passwd',
      '__proto__',
      'constructor',
      '%00',
      '{{7*7}}',
      '<script>',
      '1e999',
    ),
    fc.constantFrom<unknown>(
      -1,
      0,
      1e308,
      2 ** 53,
      '2026-11-20T00:00:00Z',
      '0000-00-00T00:00:00Z',
      '+275760-09-13T00:00:00.001Z',
      '0000-01-01T00:00:00Z',
      '9999-12-31T23:59:59-23:59',
      Date.UTC(9999, 11, 31, 23, 59, 59, 999),
      8.64e15,
    ),
    anyText(300),
    fc.constantFrom<unknown>('EmergencyLights', 'EM', ['EM'], ['flowTemperature'], 'Manager'),
  )

/** Values that cannot be written as JSON are left out, as by a real caller. */
const asJson = (value: unknown): string => {
  try {
    return (
      JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner)) ?? 'null'
    )
  } catch {
    return 'null'
  }
}

/**
 * Whether the route's schemas reject a call, as they do for nine of ten; they must not throw. All rejected calls end at
 * the same place in the server, so one of four is sent.
 */
const isRefusedByShapes = (route: AnyRoute, params: object, body: unknown) =>
  [
    [route.params, params],
    [route.query, {}],
    [route.body, body],
  ].some(([shape, value]) => shape && !safeParse(shape as $ZodType, value).success)
const refusedForOneSent = 4

/** More runs for more fields; a call with only a tenant responds the same every time. */
const runsFor = (fields: readonly string[]) =>
  Math.min(250, 30 + 45 * fields.filter((field) => field !== 'tenant').length)

for (const [name, route] of Object.entries(routes))
  test(`${name}: any input gets a response other than 500`, async () => {
    const fields = fieldsOf(route.body ?? route.form ?? route.query)
    const params = fieldsOf(route.params)
    const call = fc.record({
      sent: fc.dictionary(fc.constantFrom('tenant', ...fields), nasty, { maxKeys: 12 }),
      // Mostly a valid tenant, so that the handler is reached.
      tenant: fc.option(fc.constant('north'), { freq: 4 }),
      params: fc.tuple(...params.map(() => nasty.map((value) => asJson(value)))),
    })
    let refused = 0
    await fc.assert(
      fc.asyncProperty(call, async ({ sent, tenant, params: texts }) => {
        const values = new Map(params.map((param, at) => [param, param === 'tenant' && tenant ? tenant : texts[at]!]))
        const inAddress = (param: string) => values.get(param)!.toWellFormed() || ' '
        const url = route.path.replaceAll(/\{(\w+)\}/g, (_, param: string) => encodeURIComponent(inAddress(param)))
        const body = asJson(tenant ? { ...sent, tenant } : sent)
        const given = Object.fromEntries(params.map((param) => [param, inAddress(param)]))
        if (isRefusedByShapes(route, given, JSON.parse(body)) && refused++ % refusedForOneSent) return
        const multipart = `--x\r\ncontent-disposition: form-data; name="tenant"\r\n\r\n${tenant ?? 'x'}\r\n--x\r\ncontent-disposition: form-data; name="deviceId"\r\n\r\n${body}\r\n--x--\r\n`
        const response = await app.app.inject({
          method: route.method,
          url,
          headers: {
            authorization: `Bearer ${token}`,
            ...(route.method !== 'GET' && {
              'content-type': route.form ? 'multipart/form-data; boundary=x' : 'application/json',
            }),
          },
          ...(route.method !== 'GET' && { payload: route.form ? multipart : body }),
          payloadAsStream: route.stream === true,
        })
        if (route.stream) response.stream().destroy()
        assert.ok(
          response.statusCode < 500,
          `${response.statusCode} ${url} ${body} ${route.stream ? '' : response.body}`,
        )
      }),
      { numRuns: runsFor([...fields, ...params]) },
    )
  })
