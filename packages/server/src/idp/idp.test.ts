import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, test } from 'vitest'
import type { FastifyInstance } from 'fastify'
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair } from 'jose'
import * as oidc from 'openid-client'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import { authorizeUrl, browser, discover, makeAccount, signInAs, startProvider } from '../testing/sign-in.ts'
import { passwordToken } from '../identity/password-link.ts'
import { ensureAccount } from './accounts.ts'
import { hashPassword } from './password.ts'

let database: TestDatabase
let app: FastifyInstance
let origin: string
let audience: string
const email = 'priya@north.test'
const password = 'a long password'

/** Starts the real app on the port it had before: a restart must be invisible to signed-in people. */
async function start(port = 0): Promise<void> {
  const started = await startProvider(database, {}, port)
  ;({ app, origin } = started)
  audience = started.config.oidc.audience
}

beforeAll(async () => {
  database = await testDatabase()
  await makeAccount(database, email, password)
  await start()
})
afterAll(async () => {
  await app.close()
  await database.drop()
})

const signIn = (tab = browser(origin), between?: () => Promise<void>) =>
  signInAs(origin, { email, password }, tab, between)

const session = (token: string) => fetch(`${origin}/api/session`, { headers: { authorization: `Bearer ${token}` } })

test('a person signs in with e-mail and password at the provider and gets a token for the API', async () => {
  const { tokens } = await signIn()
  const response = await session(tokens.access_token)
  assert.equal(response.status, 200)
  assert.equal(((await response.json()) as { email: string }).email, email)
  const claims = decodeJwt(tokens.access_token)
  assert.equal(claims.aud, audience)
  assert.ok(claims.exp! - claims.iat! === 600)
  assert.deepEqual(claims.organisations, [])
})

test('an ID token is refused as an access token', async () => {
  const { tokens } = await signIn()
  assert.equal((await session(tokens.id_token!)).status, 401)
})

test('a restart during or after a sign-in ends no session', async () => {
  const restart = async () => {
    const { port } = app.server.address() as AddressInfo
    await app.close()
    await start(port)
  }
  const { config, tokens } = await signIn(browser(origin), restart)
  await restart()
  assert.equal((await session(tokens.access_token)).status, 200)
  const renewed = await oidc.refreshTokenGrant(config, tokens.refresh_token!)
  assert.equal((await session(renewed.access_token)).status, 200)
})

test('two tabs that refresh at once both continue; a refresh token used much later ends the whole family', async () => {
  const { config, tokens } = await signIn()
  const [one, other] = await Promise.all([1, 2].map(() => oidc.refreshTokenGrant(config, tokens.refresh_token!)))
  assert.notEqual(one!.refresh_token, tokens.refresh_token)
  assert.equal((await session(other!.access_token)).status, 200)
  await database.owner.query(
    `update idp.payload set consumed_at = consumed_at - interval '1 minute' where consumed_at is not null`,
  )
  await assert.rejects(oidc.refreshTokenGrant(config, tokens.refresh_token!), { error: 'invalid_grant' })
  await assert.rejects(oidc.refreshTokenGrant(config, one!.refresh_token!), { error: 'invalid_grant' })
})

test('signing out ends the session at the provider: the next sign-in asks again [core-7-5]', async () => {
  const { config, tokens, tab } = await signIn()
  const ask = async () => tab.go(await authorizeUrl(config, origin, oidc.randomPKCECodeVerifier()))
  assert.match(await tab.follow(await ask(), `${origin}/callback`), /code=/)
  const left = await tab.signOut(config, tokens.id_token!)
  assert.match(left.headers.get('location')!, new RegExp(`^${origin}/`))
  assert.match((await ask()).headers.get('location')!, /\/login\//)
})

test('a link to the sign-out of the provider asks first, also with the ID token of another person', async () => {
  await makeAccount(database, 'ben@north.test', password)
  const other = await signInAs(origin, { email: 'ben@north.test', password })
  const { tokens, tab } = await signIn()
  const page = async (hint: string) => (await tab.go(`/oidc/session/end${hint}`)).text()
  for (const hint of ['', `?id_token_hint=${other.tokens.id_token!}`]) {
    const asking = await page(hint)
    assert.match(asking, /<h1>Sign out of Caretaker\?<\/h1>[\s\S]*<button form="op.logoutForm">Sign out/)
    assert.doesNotMatch(asking, /<script/)
  }
  assert.match(await page(`?id_token_hint=${tokens.id_token!}`), /<script>document.forms\[0\].submit\(\)<\/script>/)
})

test('the responses of the provider have the security headers of the server', async () => {
  const own = await fetch(`${origin}/api/settings`)
  for (const address of [
    'auth?client_id=unknown',
    'jwks',
    'me',
    'nowhere',
    'session/end',
    '.well-known/openid-configuration',
  ]) {
    const { headers } = await fetch(`${origin}/oidc/${address}`)
    for (const name of ['x-content-type-options', 'referrer-policy', 'x-frame-options'])
      assert.equal(headers.get(name), own.headers.get(name), `${address}: ${name}`)
    const policy = headers.get('content-security-policy') ?? ''
    for (const part of [/default-src 'self'/, /script-src 'self'/, /frame-ancestors 'none'/, /base-uri 'none'/])
      assert.match(policy, part, address)
  }
})

test('tokens are signed with ES256; an installation with an RSA key keeps it', async () => {
  const algorithmOf = (token: string) => decodeProtectedHeader(token).alg
  const { tokens } = await signIn()
  assert.deepEqual([tokens.access_token, tokens.id_token!].map(algorithmOf), ['ES256', 'ES256'])
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const key = { ...(await exportJWK(privateKey)), kid: 'old', use: 'sig', alg: 'RS256' }
  const older = await testDatabase()
  await older.idp.query(`insert into idp.secret (name, value) values ('jwks', $1)`, [JSON.stringify({ keys: [key] })])
  await makeAccount(older, email, password)
  const server = await startProvider(older)
  try {
    const former = (await signInAs(server.origin, { email, password })).tokens
    assert.deepEqual([former.access_token, former.id_token!].map(algorithmOf), ['RS256', 'RS256'])
    const authorization = `Bearer ${former.access_token}`
    assert.equal((await fetch(`${server.origin}/api/session`, { headers: { authorization } })).status, 200)
  } finally {
    await server.app.close()
    await older.drop()
  }
})

test('PKCE is required, and the redirect address must match exactly', async () => {
  const config = await discover(origin)
  const without = oidc.buildAuthorizationUrl(config, {
    redirect_uri: `${origin}/callback`,
    scope: 'openid',
    state: 's',
  })
  assert.match((await browser(origin).go(without.href)).headers.get('location')!, /error=invalid_request/)
  const elsewhere = new URL(await authorizeUrl(config, origin, oidc.randomPKCECodeVerifier()))
  elsewhere.searchParams.set('redirect_uri', `${origin}/callback/evil`)
  assert.equal((await browser(origin).go(elsewhere.href)).status, 400)
})

test('a page of another site may not exchange tokens; the portal may', async () => {
  const exchange = (from: string) =>
    fetch(`${origin}/oidc/token`, {
      method: 'POST',
      headers: { origin: from },
      body: new URLSearchParams({ grant_type: 'refresh_token', client_id: 'caretaker-web', refresh_token: 'none' }),
    }).then(async (response) => ((await response.json()) as { error: string }).error)
  assert.equal(await exchange('https://evil.test'), 'invalid_request')
  assert.equal(await exchange(origin), 'invalid_grant')
})

test('a password link works once and ends older sessions', async () => {
  const { config, tokens } = await signIn()
  const account = await ensureAccount(database.idp, email, 'Priya Nair')
  const link = `/account/password/${await passwordToken(database.idp, account)}`
  const tab = browser(origin)
  assert.equal((await tab.go(link)).status, 200)
  assert.equal((await tab.go(link, { password: 'short', repeat: 'short' })).status, 400)
  assert.equal((await tab.go(link, { password, repeat: 'something else' })).status, 400)
  assert.equal((await tab.go(link, { password, repeat: password })).status, 200)
  assert.equal((await tab.go(link, { password, repeat: password })).status, 410)
  assert.equal((await tab.go(link)).status, 410)
  await assert.rejects(oidc.refreshTokenGrant(config, tokens.refresh_token!), { error: 'invalid_grant' })
})

test('a sign-in page without its cookie starts again instead of failing', async () => {
  const response = await browser(origin).go('/login/nonsense')
  assert.equal(response.status, 400)
  assert.match(await response.text(), /expired/)
})

test('only the portal’s origin may read the provider’s responses, including preflights and errors', async () => {
  const allowed = async (path: string, from: string | undefined, how: RequestInit = {}) => {
    const headers = { ...(how.headers as Record<string, string>), ...(from !== undefined && { origin: from }) }
    const response = await fetch(`${origin}/oidc${path}`, { ...how, headers })
    await response.text()
    return response.headers.get('access-control-allow-origin')
  }
  const preflight = { method: 'OPTIONS', headers: { 'access-control-request-method': 'POST' } }
  const body = new URLSearchParams({ grant_type: 'refresh_token', client_id: 'unknown', refresh_token: 'none' })
  for (const [path, how] of [
    ['/token', preflight],
    ['/me', preflight],
    ['/jwks', preflight],
    ['/.well-known/openid-configuration', {}],
    ['/jwks', {}],
    ['/me', {}],
    ['/token', { method: 'POST', body }],
    ['/token', { method: 'POST', body: 'nonsense' }],
    ['/token/revocation', { method: 'POST', body }],
  ] as const) {
    const what = `${path} ${JSON.stringify(how)}`
    assert.equal(await allowed(path, origin, how), origin, what)
    for (const other of ['https://evil.test', 'null', undefined])
      assert.equal(await allowed(path, other, how), null, what)
  }
})

test('a weak password is refused on the page with the reason; an existing weak password still works', async () => {
  const account = await ensureAccount(database.idp, 'early@north.test', 'Early Bird')
  const link = `/account/password/${await passwordToken(database.idp, account)}`
  const choose = async (chosen: string) => {
    const response = await browser(origin).go(link, { password: chosen, repeat: chosen })
    return [response.status, /role="alert">([^<]+)</.exec(await response.text())?.[1]] as const
  }
  for (const [chosen, why] of [
    [
      'password12',
      /^Many people use this password, so it is tried first\. Choose another: three or four unrelated words/,
    ],
    ['aaaaaaaaaa', /^Many people use this password/],
    ['          ', /at least 10 characters, not counting spaces/],
    ['early@north.test', /^Your name, your e-mail address/],
    ['x'.repeat(201), /at most 200 characters/],
  ] as const) {
    const [status, reason] = await choose(chosen)
    assert.equal(status, 400, chosen)
    assert.match(reason!, why)
  }
  await database.owner.query('update idp.account set password_hash = $1 where id = $2', [
    await hashPassword('password12'),
    account,
  ])
  assert.ok((await signInAs(origin, { email: 'early@north.test', password: 'password12' })).tokens.access_token)
  assert.deepEqual(await choose(password), [200, undefined])
})
