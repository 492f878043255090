import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { finished } from 'node:stream/promises'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, test } from 'vitest'
import { getResidents, requestResidence } from '@caretaker/contract/residents.ts'
import { routes } from '@caretaker/contract/routes.ts'
import { getSession } from '@caretaker/contract/session.ts'
import { beginApp, confirmApp } from '../idp/factors.ts'
import { brokerCalls } from '../mqtt/broker-calls.ts'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import { freePort } from '../testing/ports.ts'
import type { Provider } from '../testing/sign-in.ts'
import { browser, makeAccount, openSignIn, signInAs, startProvider } from '../testing/sign-in.ts'
import type { HealthServer } from './health-server.ts'
import { startHealthServer } from './health-server.ts'

const atOnce = 60
/**
 * Maximum delay in ms of other users' calls at p95 during a flood of invalid calls, if such a call takes `usual` at
 * p95.
 */
const mostDelay = 100
const usual = 15
const tries = 3

let database: TestDatabase
let provider: Provider
let healthServer: HealthServer
let token: string
/** Sign-ins that have begun, with their pages and the cookies of their browsers: before the password, and after it. */
const begun = new Map<string, { page: string; cookie: string }>()
beforeAll(async () => {
  database = await testDatabase()
  provider = await startProvider(database, {
    ...{ CARETAKER_BROKER_SECRET: 'a secret of the broker', HEALTH_PORT: String(await freePort()) },
  })
  healthServer = await startHealthServer(provider.context, brokerCalls)
  const credentials = { email: 'manager@north.test', password: 'a long enough password' }
  await makeAccount(database, credentials.email, credentials.password)
  const { tokens } = await signInAs(provider.origin, credentials)
  token = tokens.access_token
  await beginSignIn('{sign-in}')
  const account = { id: await makeAccount(database, owner.email, owner.password), ...owner, name: 'Owner' }
  const adding = { account, place: 'session of a test' } as const
  const { key: secret } = await beginApp(database.idp, adding)
  const code = new TOTP({ secret: Secret.fromBase32(secret), digits: 6 }).generate()
  assert.ok(await confirmApp(database.idp, adding, { code, isFirst: false }))
  await beginSignIn('{second step}', owner)
  await database.owner.query(`insert into tenant (id, display_name) values ('north', 'North')`)
  await database.owner.query(`insert into tenant_feature (tenant_id, feature) values ('north', 'ManageResidentAccess')`)
  await call(asMember(getSession.path))
  await database.owner.query(`
    insert into membership (tenant_id, id, person_id, email, name, role)
    select 'north', gen_random_uuid(), id, email, name, 'Manager' from person`)
})
afterAll(async () => {
  connections.destroy()
  await healthServer.stop()
  await provider.app.close()
  await database.drop()
})

const owner = { email: 'owner@north.test', password: 'another long password' }

async function beginSignIn(name: string, credentials?: Record<string, string>): Promise<void> {
  const tab = browser(provider.origin)
  const page = await openSignIn(tab, provider.origin)
  if (credentials) assert.equal((await tab.go(page, credentials)).status, 303)
  begun.set(name, { page, cookie: tab.cookieFor(page) })
}

interface Call {
  method: string
  /** With `{sign-in}` or `{second step}` for the page of a sign-in that has begun, whose cookies are sent too. */
  url: string
  headers: Record<string, string>
  body?: string
}

/** Without `fetch`, which would unpack responses of several megabytes in the process that also serves them. */
const connections = new http.Agent({ keepAlive: true })

async function call(wanted: Call): Promise<number> {
  const { method, url, headers, body } = wanted
  const [name = '', path = ''] = /^(\{[^}]+\})?(.*)$/.exec(url)!.slice(1)
  const signIn = begun.get(name)
  const origin = url.startsWith('/broker/') ? `http://127.0.0.1:${healthServer.port}` : provider.origin
  const sent = http.request(`${origin}${signIn?.page ?? ''}${path}`, {
    ...{ method, agent: connections },
    headers: {
      ...{ 'accept-encoding': 'gzip', ...headers, ...(signIn && { cookie: signIn.cookie }) },
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
    },
  })
  sent.end(body)
  try {
    const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
    await finished(response.resume())
    return response.statusCode!
  } catch (error) {
    // The server had closed the kept connection.
    if (sent.reusedSocket) return call(wanted)
    throw error
  }
}
const asMember = (url: string): Call => ({ method: 'GET', url, headers: { authorization: `Bearer ${token}` } })

const key = 'A'.repeat(43)
/** For each public call of the contract, a body that reaches its validation. */
const bodies: Record<string, object> = {
  [requestResidence.path]: {
    ...{ email: 'ann@residents.test', name: 'Ann', propertyReference: 'NG-1', postcode: 'LS6 1AB' },
  },
}
const ofContract = Object.values(routes)
  .filter(({ may }) => may === 'anyone' || may === 'resident app')
  .map(({ method, path, may }): Call => ({
    method,
    url: path.replace('{tenant}', 'north').replaceAll(/\{\w+\}/g, 'unknown'),
    headers: {
      ...(may === 'resident app' && { authorization: `Bearer resident_${key}` }),
      ...(method !== 'GET' && { 'content-type': 'application/json' }),
    },
    ...(method !== 'GET' && { body: JSON.stringify(bodies[path] ?? {}) }),
  }))
const asForm = { 'content-type': 'application/x-www-form-urlencoded' }
const asJson = { 'content-type': 'application/json' }
const form = (url: string, body = ''): Call => ({ method: 'POST', url, headers: asForm, body })
const json = (url: string, body: object): Call => ({
  ...{ method: 'POST', url, headers: asJson, body: JSON.stringify(body) },
})
const get = (url: string): Call => ({ method: 'GET', url, headers: {} })

const withoutValidToken: Call[] = [
  { method: 'GET', url: getSession.path, headers: { authorization: `Bearer caretaker_north_${key}` } },
  { method: 'GET', url: getSession.path, headers: { authorization: 'Bearer e30.e30.e30' } },
  { method: 'GET', url: getSession.path, headers: {} },
]

const id = '0198c1a0-0000-7000-8000-000000000000'
const passkey = form('', new URLSearchParams({ response: JSON.stringify({ id: key, type: 'public-key' }) }).toString())
const device = { username: id, password: 'wrong', clientid: id }
const use = { username: id, clientid: id, topic: `devices/${id}/telemetry` }

/** Wrong calls of routes outside the contract, which the router prints like this. */
const byRoute: Record<string, Call | Call[]> = {
  'GET /login/:uid': [get('/login/unknown'), get('{sign-in}')],
  'POST /login/:uid': [
    form('/login/unknown', 'email=manager@north.test&password=wrong'),
    form('{sign-in}', 'email=manager@north.test&password=wrong'),
  ],
  'POST /login/:uid/restart': form('/login/unknown/restart'),
  'POST /login/:uid/email': form('{sign-in}/email', 'email=nobody@north.test'),
  'POST /login/:uid/code': [form('{sign-in}/code', 'code=123456'), form('{second step}/code', 'code=123456')],
  'GET /login/:uid/passkey': get('{sign-in}/passkey'),
  'POST /login/:uid/passkey': [
    { ...passkey, url: '{sign-in}/passkey' },
    { ...passkey, url: '{second step}/passkey' },
  ],
  'POST /login/:uid/new-passkey': { ...passkey, url: '{sign-in}/new-passkey' },
  'POST /login/:uid/app': form('{sign-in}/app', 'code=123456'),
  'POST /login/:uid/continue': form('{sign-in}/continue'),
  'POST /login/:uid/sso': form('{sign-in}/sso', `connection=${id}`),
  'GET /login/:uid/sso/:connection': get(`{sign-in}/sso/${id}?state=unknown&code=unknown`),
  'GET /login/sso/callback/:connection': get(`/login/sso/callback/${id}?state=unknown&code=unknown`),
  'GET /login/sso/signed-out': get(`/login/sso/signed-out?client=north&connection=${id}`),
  'POST /login/sso/back-channel/:connection': form(`/login/sso/back-channel/${id}`, 'logout_token=e30.e30.e30'),
  'POST /account/password': form('/account/password', 'email=nobody@north.test&connection=embedded'),
  'POST /account/password/:token': form(
    '/account/password/unknown',
    'password=correct-horse-battery&repeat=correct-horse-battery',
  ),
  'GET /oidc/*': [
    get('/oidc/auth?client_id=unknown'),
    get('/oidc/me'),
    get('/oidc/jwks'),
    get('/oidc/.well-known/openid-configuration'),
    get('/oidc/session/end?id_token_hint=e30.e30.e30'),
    get('/oidc/auth/unknown'),
  ],
  'POST /oidc/*': [
    form('/oidc/token', 'grant_type=authorization_code&code=unknown&client_id=caretaker-web'),
    form('/oidc/token', `grant_type=refresh_token&refresh_token=${key}&client_id=caretaker-web`),
    form('/oidc/token/revocation', `token=${key}&client_id=caretaker-web`),
    form('/oidc/session/end/confirm', 'xsrf=unknown'),
  ],
  'POST /broker/mosquitto/user': json('/broker/mosquitto/user', device),
  'POST /broker/mosquitto/superuser': json('/broker/mosquitto/superuser', device),
  'POST /broker/mosquitto/acl': json('/broker/mosquitto/acl', { ...use, acc: 2 }),
  'POST /broker/emqx/authentication': json('/broker/emqx/authentication', device),
  'POST /broker/emqx/authorization': json('/broker/emqx/authorization', { ...use, action: 'publish' }),
  'POST /broker/vernemq': json('/broker/vernemq', { ...use, client_id: id }),
}

/** The routes of the server in lower case, such as `POST /login/:uid`. */
function routesOfServer(): string[] {
  const parents: string[] = []
  const found: string[] = []
  for (const line of provider.app.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent, part = '', methods] = /^([│ ]*)[├└]── (\S*)(?: \((.*)\))?$/.exec(line) ?? []
    if (indent === undefined) continue
    const depth = indent.length / 4
    parents[depth] = (parents[depth - 1] ?? '') + part
    for (const method of methods?.split(', ') ?? []) found.push(`${method} ${parents[depth]}`)
  }
  const own = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
  // The router prints all addresses with a wildcard as one.
  const wildcards = Object.keys(byRoute).filter((route) => route.endsWith('*'))
  return [...wildcards, ...found].filter((route) => own.includes(route.split(' ')[0]!))
}

/** The wrong calls of a route: the listed ones, otherwise without a token and with an unknown id, for SCIM with an unknown key. */
function callsOf(route: string): Call[] {
  const listed = byRoute[route]
  if (listed) return [listed].flat()
  const [method = '', path = ''] = route.split(' ')
  const url = path.replaceAll(/:\w+/g, id).replace(/^\*$/, '/assets/unknown')
  if (!url.startsWith('/scim/')) return [{ method, url, headers: {} }]
  const headers = { authorization: `Bearer scim_north_${key}`, 'content-type': 'application/scim+json' }
  return [{ method, url, headers, ...(method !== 'GET' && { body: '{}' }) }]
}

const p95 = (times: number[]) => times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1]!
const usualCall = () => asMember(getResidents.path.replace('{tenant}', 'north'))

/** Durations in ms of a member's sequential calls until `over`. */
async function latencies(over: () => boolean, least = 20): Promise<number[]> {
  const [times, one] = [[] as number[], usualCall()]
  while (!over() || times.length < least) {
    const begun = performance.now()
    assert.equal(await call(one), 200)
    times.push(performance.now() - begun)
  }
  return times
}

async function flood(wrong: Call): Promise<void> {
  for (const status of await Promise.all(Array.from({ length: atOnce }, () => call(wrong))))
    assert.ok(status < 500, `${wrong.method} ${wrong.url}: ${status}`)
}

/** The maximum delay at the current speed of the machine. */
const mostAt = (quiet: number) => mostDelay * Math.max(1, quiet / usual)

/**
 * How much slower a member's calls are at p95 during the invalid calls, and how much is acceptable at the machine's
 * current speed.
 */
async function delayBy(wrong: Call, before?: number): Promise<{ delay: number; most: number }> {
  const quiet = before ?? p95(await latencies(() => true))
  let isOver = false
  const flooded = flood(wrong).finally(() => (isOver = true))
  const busy = p95(await latencies(() => isOver))
  await flooded
  return { delay: busy - quiet, most: mostAt(quiet) }
}

const nameOf = ({ method, url, headers: { authorization } }: Call) =>
  `${method} ${url}${authorization ? ` ${authorization.slice(0, 20)}…` : ''}`

/**
 * Passes if one of several attempts passes: another process may disturb one, but calls that hold connections delay all
 * of them.
 */
async function expectNoDelay(wrong: Call, before?: number): Promise<void> {
  const delays: number[] = []
  for (let n = 0; n < tries; n++) {
    const { delay, most } = await delayBy(wrong, before)
    if (delay < most) return
    delays.push(Math.round(delay))
  }
  assert.fail(`${nameOf(wrong)}: p95 later by ${delays.join(', ')} ms`)
}

/** Routes that everyone may call, in addition to those of `byRoute`. */
const open = [
  'GET /livez',
  'GET /readyz',
  'GET /metrics',
  'GET *',
  'GET /api/settings',
  'GET /api/asyncapi.json',
  'GET /api/docs',
  'GET /api/docs/page.css',
  'GET /api/docs/page.js',
  'GET /api/openapi.json',
  'GET /api/alerts/unsubscribe/:tenant/:token',
  'POST /api/alerts/unsubscribe/:tenant/:token',
  'GET /account/passkeys.js',
  'GET /account/password',
  'GET /account/password/:token',
]

const ofRoutes = Object.values(byRoute).flat()
const isStep = ({ url }: Call) => /^\{[^}]+\}\//.test(url)
const isOfBroker = ({ url }: Call) => url.startsWith('/broker/')
const ofProvider = ofRoutes.filter((wrong) => !isStep(wrong) && !isOfBroker(wrong))
for (const wrong of [...ofContract, ...withoutValidToken, ...ofProvider])
  test(`${atOnce} wrong calls at once hardly delay others: ${nameOf(wrong)}`, () => expectNoDelay(wrong))

const ofScim = ['Users', 'Groups'].flatMap((kind) => [
  ...['GET', 'POST'].map((method) => `${method} /scim/v2/${kind}`),
  ...['GET', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} /scim/v2/${kind}/:id`),
])
/** The router ignores the case of addresses. */
const inLowerCase = (route: string) => route.replace(/ .*/, (path) => path.toLowerCase())
const ofDiscovery = ['ServiceProviderConfig', 'ResourceTypes', 'ResourceTypes/:id', 'Schemas', 'Schemas/:id'].map(
  (path) => `GET /scim/v2/${path}`,
)
/** Routes that refuse or answer early, in one test for each kind, which measures usual calls once. */
const kinds: Record<string, readonly Call[]> = {
  'steps of a sign-in': ofRoutes.filter(isStep),
  'calls of brokers': ofRoutes.filter(isOfBroker),
  'SCIM with an unknown key': [...ofScim, ...ofDiscovery].flatMap(callsOf),
  'pages and documents for everyone': open.flatMap(callsOf),
}
for (const [kind, calls] of Object.entries(kinds))
  test(`${atOnce} wrong calls of each at once hardly delay others: ${kind}`, { timeout: 120_000 }, async () => {
    // The documents of the API are built by their first request.
    for (const wrong of calls) await call(wrong)
    const quiet = p95(await latencies(() => true))
    for (const wrong of calls) await expectNoDelay(wrong, quiet)
  })

test('the flooded routes are those of the router', () => {
  const ofBroker = Object.keys(byRoute).filter((route) => route.includes('/broker/'))
  const found = routesOfServer()
  assert.deepEqual(
    Object.keys(byRoute).filter((route) => !found.includes(route)),
    ofBroker,
  )
  assert.deepEqual(
    found.filter((route) => route.includes(' /scim/v2/') && !route.endsWith('/*')).toSorted(),
    [...ofScim, ...ofDiscovery].map(inLowerCase).toSorted(),
  )
  assert.ok(found.length >= Object.keys(routes).length, 'also the calls of the contract, here without a token')
})

/** 429 where the calls above have used up the allowance for wrong keys. */
const refusals = [401, 429]

test('every other route refuses a call without a valid token', async () => {
  const others = routesOfServer().filter((route) => !(route in byRoute))
  const answered: string[] = []
  for (const route of others)
    for (const wrong of callsOf(route)) if (!refusals.includes(await call(wrong))) answered.push(route)
  assert.deepEqual(answered.toSorted(), open.toSorted())
})
