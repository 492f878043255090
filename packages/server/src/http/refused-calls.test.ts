import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, test } from 'vitest'
import type { InjectOptions } from 'fastify'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import { skipBecause } from '../testing/skipping.ts'
import { webFolder } from './web-folder.ts'

let app: TestApp
const manager = 'manager@north.test'
beforeAll(async () => {
  app = await testApp()
  await app.addTenant('north')
  await app.addMember('north', manager, 'Manager')
})
afterAll(() => app.close())

const ask = (method: string, url: string, more: InjectOptions = {}, of = app) =>
  of.app.inject({ method: method as 'GET', url, ...more })
const plain = { domainErrors: [], validationErrors: [] }
const version1 = { isSuccessful: false, data: null, reason: null, ...plain }

test('a wrong method gets 405 with the allowed ones, in the envelope of its API version', async () => {
  for (const [method, url, allow, envelope] of [
    ['GET', '/api/GetTenantInfo', 'POST, OPTIONS', version1],
    ['DELETE', '/API/getTenantInfo/?x=1', 'POST, OPTIONS', version1],
    ['POST', '/api/session', 'GET, HEAD, OPTIONS', plain],
    ['PATCH', '/api/tenants/north/users', 'GET, HEAD, POST, OPTIONS', plain],
    ['TRACE', '/api/settings', 'GET, HEAD, OPTIONS', plain],
    ['POST', '/livez', 'GET, HEAD, OPTIONS', plain],
    ['POST', '/api/openapi.json', 'GET, HEAD, OPTIONS', plain],
  ] as const) {
    const { statusCode, headers, body } = await ask(method, url)
    assert.deepEqual([statusCode, headers.allow], [405, allow], `${method} ${url}`)
    assert.deepEqual(JSON.parse(body), { ...envelope, message: 'This address does not support that method.' })
  }
})

test('HEAD responds like GET without a body, and OPTIONS names the methods', async () => {
  const head = await ask('HEAD', '/api/settings')
  assert.deepEqual([head.statusCode, head.body], [200, ''])
  const ofPost = await ask('HEAD', '/api/GetTenantInfo')
  assert.deepEqual([ofPost.statusCode, ofPost.body, ofPost.headers.allow], [405, '', 'POST, OPTIONS'])
  const options = await ask('OPTIONS', '/api/GetTenantInfo')
  assert.deepEqual([options.statusCode, options.body, options.headers.allow], [204, '', 'POST, OPTIONS'])
  assert.equal(options.headers['access-control-allow-origin'], undefined)
  assert.equal((await ask('OPTIONS', '/api/Nonsense')).statusCode, 404)
})

test('an unknown path below /api gets 404 for every method, in the envelope of its API version', async () => {
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
    for (const url of ['/api', '/api/', '/api/Nonsense', '/api/tenants/north/nonsense']) {
      const { statusCode, headers, body } = await ask(method, url)
      assert.deepEqual([statusCode, headers.allow], [404, undefined], `${method} ${url}`)
      const envelope = method === 'POST' && url === '/api/Nonsense' ? version1 : plain
      if (method !== 'HEAD') assert.deepEqual(JSON.parse(body), { ...envelope, message: 'Not found.' })
    }
})

test('a caller that accepts problem details gets errors in the format of RFC 9457', async () => {
  const headers = {
    accept: 'application/json, application/problem+json',
    authorization: `Bearer ${await app.token(manager)}`,
  }
  const missing = await ask('GET', '/api/tenants/north/nonsense', { headers })
  assert.equal(missing.headers['content-type'], 'application/problem+json; charset=utf-8')
  assert.deepEqual(missing.json(), { type: 'about:blank', title: 'Not Found', status: 404, detail: 'Not found.' })
  const invalid = await ask('POST', '/api/TenantCreateTag', { headers, payload: { tenant: 'north', name: 7 } })
  const { errors, ...rest } = invalid.json<{ errors: { pointer: string }[] } & Record<string, unknown>>()
  assert.deepEqual(rest, { type: 'about:blank', title: 'Bad Request', status: 400, detail: 'Request failed.' })
  assert.deepEqual(
    errors.map(({ pointer }) => pointer),
    ['#/name'],
  )
  // A rule rejects the second tag: 422 instead of the envelope of version 1 with status 200.
  const tag = () => ask('POST', '/api/TenantCreateTag', { headers, payload: { tenant: 'north', name: 'Twice' } })
  assert.deepEqual([(await tag()).statusCode, (await tag()).statusCode], [200, 422])
})

test('a malformed address is rejected like any other, with the reason', async () => {
  const bad = await ask('GET', '/api/tenants/%E0%A4%A/users')
  assert.equal(bad.statusCode, 400)
  assert.match(bad.json().validationErrors[0].message, /not UTF-8/)
  const long = await ask('GET', `/api/tenants/${'x'.repeat(300)}/users`)
  assert.deepEqual([long.statusCode, long.json()], [404, { ...plain, message: 'Not found.' }])
})

test('a 401 states how to authenticate, and whether the credentials were invalid', async () => {
  const challenge = async (url: string, authorization?: string, method = 'GET') => {
    const { statusCode, headers } = await ask(method, url, { headers: authorization ? { authorization } : {} })
    assert.equal(statusCode, 401, url)
    return headers['www-authenticate']
  }
  const bare = 'Bearer realm="Caretaker"'
  const invalid = `${bare}, error="invalid_token"`
  assert.equal(await challenge('/api/session'), bare)
  assert.equal(await challenge('/api/GetTenantInfo', undefined, 'POST'), bare)
  for (const authorization of ['Bearer a.b.c', 'Basic eDp5', `Bearer ct_north_${'x'.repeat(43)}`])
    assert.equal(await challenge('/api/session', authorization), invalid, authorization)
  assert.equal((await ask('GET', '/api/settings')).headers['www-authenticate'], undefined)
})

test('a body that is not JSON is rejected with the reason', async () => {
  const headers = { authorization: `Bearer ${await app.token(manager)}`, 'content-type': 'application/json' }
  const fault = async (payload: string, url = '/api/GetTenantInfo') => {
    const { statusCode, body } = await ask('POST', url, { headers, payload })
    assert.equal(statusCode, 400, payload)
    const { validationErrors, ...rest } = JSON.parse(body)
    const envelope = { ...(url === '/api/GetTenantInfo' ? version1 : plain), message: 'Request failed.' }
    assert.deepEqual({ ...rest, validationErrors: [] }, envelope)
    assert.deepEqual([validationErrors.length, validationErrors[0].field], [1, ''])
    return validationErrors[0].message as string
  }
  assert.match(await fault('{"tenant":'), /^The body is not valid JSON: Unexpected end of JSON input\.$/)
  assert.match(await fault('{"tenant": north}'), /^The body is not valid JSON: .*n/)
  assert.match(await fault("{'a': 1}", '/api/tenants/north/users'), /^The body is not valid JSON: .*position 1/)
  assert.match(await fault(''), /^The body is empty/)
  assert.match(await fault('{"__proto__": {"a": 1}}'), /__proto__/)
})

test('a call beyond the limit of its address gets the limit and when to retry', async () => {
  const limited = await testApp({ CARETAKER_RATE_LIMIT: '2' })
  try {
    const headers = []
    for (let call = 0; call < 3; call++) headers.push((await ask('GET', '/api/settings', {}, limited)).headers)
    assert.deepEqual(
      headers.map((one) => [one['x-ratelimit-limit'], one['x-ratelimit-remaining'], one['retry-after']]),
      [
        ['2', '1', undefined],
        ['2', '0', undefined],
        ['2', '0', '30'],
      ],
    )
  } finally {
    await limited.close()
  }
})

test('a request whose caller has disconnected is no error', async () => {
  const left = await testApp()
  left.app.addHook('onRequest', async ({ raw }) => {
    Object.defineProperty(raw.socket, 'remoteAddress', { value: undefined })
  })
  try {
    for (const [method, url] of [
      ['GET', '/api/settings'],
      ['GET', '/api/Nonsense'],
      ['POST', '/api/GetTenantInfo'],
    ] as const)
      assert.notEqual((await ask(method, url, {}, left)).statusCode, 500, url)
    assert.deepEqual(left.logged, [])
  } finally {
    await left.close()
  }
})

test(
  "portal pages are 200; any other address is 404 with the portal's own page",
  skipBecause(!existsSync(`${webFolder}/index.html`) && 'the web pages are not built'),
  async () => {
    const warnings: string[] = []
    const note = ({ message }: Error) => void warnings.push(message)
    process.on('warning', note)
    for (const [url, status] of [
      ['/', 200],
      ['/north', 200],
      ['/north/EmergencyLights?page=2', 200],
      ['/Dashboard', 200],
      ['/callback?code=1', 200],
      ['/north/Nonsense', 404],
      ['/wp-login.php', 404],
      ['/.env', 404],
      ['/robots.txt', 404],
      ['/north/Dashboard/more', 404],
    ] as const) {
      const page = await ask('GET', url)
      assert.deepEqual([page.statusCode, page.headers['content-type']], [status, 'text/html; charset=utf-8'], url)
      assert.match(page.body, /<!doctype html>/i)
      const head = await ask('HEAD', url)
      assert.deepEqual([head.statusCode, head.body], [status, ''], url)
    }
    const posted = await ask('POST', '/north/Dashboard')
    assert.deepEqual([posted.statusCode, posted.headers.allow], [405, 'GET, HEAD, OPTIONS'])
    assert.equal((await ask('POST', '/wp-login.php')).statusCode, 404)
    assert.equal((await ask('GET', '/assets/gone.js')).statusCode, 404)
    process.off('warning', note)
    assert.deepEqual(warnings, [], 'for instance of too many listeners')
  },
)
