import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { decodeJwt } from 'jose'
import * as oidc from 'openid-client'
import pino from 'pino'
import { Registry } from 'prom-client'
import { buildApp } from '../app.ts'
import { readConfig } from '../config.ts'
import type { Context } from '../context.ts'
import { openStore } from '../files/store.ts'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import { freePort } from '../testing/ports.ts'
import { ensureAccount, passwordToken, setPassword } from './accounts.ts'
import { startIdentity } from './start.ts'

let database: TestDatabase
let app: FastifyInstance
let origin: string
let audience: string
const email = 'priya@north.test'
const password = 'a long password'

/** Starts the real app on the port it had before: a restart must be invisible to people who are signed in. */
async function start(port = 0): Promise<void> {
  const free = port || (await freePort('localhost'))
  const config = readConfig({ PORT: String(free), CARETAKER_DATA: '/nonexistent', CARETAKER_RATE_LIMIT: '1000000' })
  origin = config.origin
  audience = config.oidc.audience
  const context: Context = {
    config,
    db: database.db,
    owner: database.owner,
    idp: database.idp,
    files: openStore(config),
    log: pino({ level: 'silent' }),
    metrics: new Registry(),
  }
  const { tokens, routes } = await startIdentity(context)
  app = await buildApp(context, { tokens, identity: routes })
  await app.listen({ port: free, host: 'localhost' })
}

before(async () => {
  database = await testDatabase()
  const account = await ensureAccount(database.idp, email, 'Priya Nair')
  assert.ok(await setPassword(database.idp, await passwordToken(database.idp, account), password))
  await start()
})
after(async () => {
  await app.close()
  await database.drop()
})

/** A browser of the test's own: cookies by path, redirects followed by hand. */
function browser() {
  const cookies = new Map<string, { value: string; path: string }>()
  const go = async (address: string, form?: Record<string, string>): Promise<Response> => {
    const url = new URL(address, origin)
    const sent = [...cookies].filter(([, cookie]) => url.pathname.startsWith(cookie.path))
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: sent.map(([name, { value }]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [pair, ...attributes] = line.split('; ')
      const [name, value] = [pair!.slice(0, pair!.indexOf('=')), pair!.slice(pair!.indexOf('=') + 1)]
      const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? '/'
      if (value) cookies.set(name, { value, path })
      else cookies.delete(name)
    }
    return response
  }
  /** Follows redirects until one leads to the address, which is given back. */
  const follow = async (response: Response, until: string): Promise<string> => {
    for (let hops = 0; hops < 10; hops++) {
      const next = response.headers.get('location')
      assert.ok(next, `no redirect: ${response.status} ${(await response.text()).slice(0, 200)}`)
      if (next.startsWith(until)) return next
      response = await go(next)
    }
    throw new Error('too many redirects')
  }
  return { go, follow }
}

const discover = () =>
  oidc.discovery(new URL(`${origin}/oidc`), 'caretaker-web', undefined, oidc.None(), {
    execute: [oidc.allowInsecureRequests],
  })

async function authorizeUrl(config: oidc.Configuration, verifier: string, state: string) {
  return oidc.buildAuthorizationUrl(config, {
    redirect_uri: `${origin}/callback`,
    scope: 'openid profile email offline_access',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
  }).href
}

/** Signs in as a browser does and gives the tokens. */
async function signIn(tab = browser(), between: () => Promise<void> = async () => {}) {
  const config = await discover()
  const verifier = oidc.randomPKCECodeVerifier()
  const state = oidc.randomState()
  const first = await tab.go(await authorizeUrl(config, verifier, state))
  const page = first.headers.get('location')!
  assert.match(await (await tab.go(page)).text(), /name="email"[\s\S]*name="password"[\s\S]*Sign in</)
  await between()
  const callback = await tab.follow(await tab.go(page, { email, password }), `${origin}/callback`)
  const tokens = await oidc.authorizationCodeGrant(config, new URL(callback), {
    pkceCodeVerifier: verifier,
    expectedState: state,
  })
  return { config, tokens, tab }
}

const session = (token: string) => fetch(`${origin}/api/session`, { headers: { authorization: `Bearer ${token}` } })

test('a person signs in with e-mail and password at the provider, and the token opens the API', async () => {
  const { tokens } = await signIn()
  const response = await session(tokens.access_token)
  assert.equal(response.status, 200)
  assert.equal(((await response.json()) as { email: string }).email, email)
  const claims = decodeJwt(tokens.access_token)
  assert.equal(claims.aud, audience)
  assert.ok(claims.exp! - claims.iat! === 600)
  assert.deepEqual(claims.organisations, [])
})

test('an ID token is no access token', async () => {
  const { tokens } = await signIn()
  assert.equal((await session(tokens.id_token!)).status, 401)
})

test('a restart in the middle of a sign-in and after it ends nothing', async () => {
  const restart = async () => {
    const { port } = app.server.address() as AddressInfo
    await app.close()
    await start(port)
  }
  const { config, tokens } = await signIn(browser(), restart)
  await restart()
  assert.equal((await session(tokens.access_token)).status, 200)
  const renewed = await oidc.refreshTokenGrant(config, tokens.refresh_token!)
  assert.equal((await session(renewed.access_token)).status, 200)
})

test('two tabs that refresh at once both go on; a refresh token used much later ends the whole family', async () => {
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
  const silent = await tab.go(await authorizeUrl(config, oidc.randomPKCECodeVerifier(), oidc.randomState()))
  assert.match(await tab.follow(silent, `${origin}/callback`), /code=/)
  const out = oidc.buildEndSessionUrl(config, {
    post_logout_redirect_uri: `${origin}/`,
    id_token_hint: tokens.id_token!,
  })
  const page = await (await tab.go(out.href)).text()
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1]
  const left = await tab.go('/oidc/session/end/confirm', { xsrf: xsrf!, logout: 'yes' })
  assert.match(left.headers.get('location')!, new RegExp(`^${origin}/`))
  const again = await tab.go(await authorizeUrl(config, oidc.randomPKCECodeVerifier(), oidc.randomState()))
  assert.match(again.headers.get('location')!, /\/login\//)
})

test('PKCE is required and the redirect address is exact', async () => {
  const config = await discover()
  const without = oidc.buildAuthorizationUrl(config, {
    redirect_uri: `${origin}/callback`,
    scope: 'openid',
    state: 's',
  })
  assert.match((await browser().go(without.href)).headers.get('location')!, /error=invalid_request/)
  const elsewhere = new URL(await authorizeUrl(config, oidc.randomPKCECodeVerifier(), 's'))
  elsewhere.searchParams.set('redirect_uri', `${origin}/callback/evil`)
  assert.equal((await browser().go(elsewhere.href)).status, 400)
})

test('a page of another site may not exchange tokens, the portal itself may', async () => {
  const exchange = (from: string) =>
    fetch(`${origin}/oidc/token`, {
      method: 'POST',
      headers: { origin: from },
      body: new URLSearchParams({ grant_type: 'refresh_token', client_id: 'caretaker-web', refresh_token: 'none' }),
    }).then(async (response) => ((await response.json()) as { error: string }).error)
  assert.equal(await exchange('https://evil.test'), 'invalid_request')
  assert.equal(await exchange(origin), 'invalid_grant')
})

test('a wrong password and an unknown e-mail are refused alike, and many failures lock the address out for a while', async () => {
  const config = await discover()
  const attempt = async (tab: ReturnType<typeof browser>, page: string, form: Record<string, string>) => {
    const response = await tab.go(page, form)
    return { status: response.status, text: /role="alert">([^<]+)</.exec(await response.text())?.[1] }
  }
  const tab = browser()
  const first = await tab.go(await authorizeUrl(config, oidc.randomPKCECodeVerifier(), 's'))
  const page = first.headers.get('location')!
  const wrong = await attempt(tab, page, { email, password: 'wrong' })
  const unknown = await attempt(tab, page, { email: 'nobody@north.test', password })
  assert.deepEqual(wrong, { status: 401, text: 'E-mail or password is wrong.' })
  assert.deepEqual(unknown, wrong)
  for (let tries = 0; tries < 9; tries++) await attempt(tab, page, { email, password: 'wrong' })
  const locked = await attempt(tab, page, { email, password })
  assert.equal(locked.status, 429)
  await database.owner.query('delete from idp.failed_attempt')
  assert.equal((await tab.go(page, { email, password })).status, 303)
})

test('a password link works once and ends older sessions', async () => {
  const { config, tokens } = await signIn()
  const account = await ensureAccount(database.idp, email, 'Priya Nair')
  const link = `/account/password/${await passwordToken(database.idp, account)}`
  const tab = browser()
  assert.equal((await tab.go(link)).status, 200)
  assert.equal((await tab.go(link, { password: 'short', repeat: 'short' })).status, 400)
  assert.equal((await tab.go(link, { password, repeat: 'something else' })).status, 400)
  assert.equal((await tab.go(link, { password, repeat: password })).status, 200)
  assert.equal((await tab.go(link, { password, repeat: password })).status, 410)
  assert.equal((await tab.go(link)).status, 410)
  await assert.rejects(oidc.refreshTokenGrant(config, tokens.refresh_token!), { error: 'invalid_grant' })
})

test('a sign-in page without its cookie starts again instead of failing', async () => {
  const response = await browser().go('/login/nonsense')
  assert.equal(response.status, 400)
  assert.match(await response.text(), /expired/)
})
