import assert from 'node:assert/strict'
import { randomBytes, scryptSync } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import * as oidc from 'openid-client'
import pino from 'pino'
import { Registry } from 'prom-client'
import { buildApp } from '../app.ts'
import type { Config } from '../config.ts'
import { readConfig } from '../config.ts'
import type { Context } from '../context.ts'
import { openStore } from '../files/store.ts'
import { ensureAccount } from '../idp/accounts.ts'
import { startIdentity } from '../idp/start.ts'
import type { TestDatabase } from './database.ts'
import { freePort } from './ports.ts'

export interface Provider {
  app: FastifyInstance
  context: Context
  config: Config
  origin: string
  /** Log lines from level warning on. */
  logged: string[]
}

/** The real app with its embedded identity provider, listening on localhost, on a given or a free port. */
export async function startProvider(
  database: TestDatabase,
  env: Record<string, string> = {},
  port = 0,
): Promise<Provider> {
  const free = port || (await freePort('localhost'))
  const config = readConfig({
    PORT: String(free),
    CARETAKER_DATA: '/nonexistent',
    CARETAKER_RATE_LIMIT: '1000000',
    ...env,
  })
  const logged: string[] = []
  const context: Context = {
    config,
    ...database.product,
    files: openStore(config),
    log: pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) }),
    metrics: new Registry(),
  }
  const { tokens, routes } = await startIdentity(context)
  const app = await buildApp(context, { tokens, identity: routes })
  await app.listen({ port: free, host: 'localhost' })
  return { app, context, config, origin: config.origin, logged }
}

/**
 * An account with a password, as created from an invitation, but with a hash that is checked instantly instead of in
 * a tenth of a second.
 */
export async function makeAccount({ idp }: TestDatabase, email: string, password: string): Promise<string> {
  const account = await ensureAccount(idp, email, email.split('@')[0]!)
  // In SQL, because a test of an update makes accounts in the schema of the former version.
  await idp.query('update idp.account set password_hash = $2, email_verified = true where id = $1', [
    account,
    quickHash(password),
  ])
  return account
}

function quickHash(password: string): string {
  const [N, r, p, salt] = [16, 8, 1, randomBytes(16)]
  const key = scryptSync(password.normalize('NFKC'), salt, 32, { N, r, p })
  return ['scrypt', N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/** A minimal browser: it keeps cookies by path, and the test follows redirects. */
export function browser(origin: string) {
  const cookies = new Map<string, { value: string; path: string }>()
  /** The cookies that it would send to an address. */
  const cookieFor = (address: string) => {
    const { pathname } = new URL(address, origin)
    const sent = [...cookies].filter(([, cookie]) => pathname.startsWith(cookie.path))
    return sent.map(([name, { value }]) => `${name}=${value}`).join('; ')
  }
  const go = async (
    address: string,
    form?: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Response> => {
    const url = new URL(address, origin)
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: cookieFor(address), ...headers },
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
  /** Follows redirects to the given address, and returns the full one. */
  const follow = async (response: Response, until: string): Promise<string> => {
    for (let hops = 0; hops < 10; hops++) {
      const next = response.headers.get('location')
      assert.ok(next, `no redirect: ${response.status} ${(await response.text()).slice(0, 200)}`)
      if (next.startsWith(until)) return next
      response = await go(next)
    }
    throw new Error('too many redirects')
  }
  /** Signs out like the portal's button. */
  const signOut = async (config: oidc.Configuration, idToken: string): Promise<Response> => {
    const out = oidc.buildEndSessionUrl(config, { post_logout_redirect_uri: `${origin}/`, id_token_hint: idToken })
    const page = await (await go(out.href)).text()
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1]
    return go('/oidc/session/end/confirm', { xsrf: xsrf!, logout: 'yes' })
  }
  return { go, follow, signOut, cookieFor }
}
export type Browser = ReturnType<typeof browser>

export const discover = (origin: string) =>
  oidc.discovery(new URL(`${origin}/oidc`), 'caretaker-web', undefined, oidc.None(), {
    execute: [oidc.allowInsecureRequests],
  })

export async function authorizeUrl(
  config: oidc.Configuration,
  origin: string,
  verifier: string,
  more: Record<string, string> = {},
) {
  return oidc.buildAuthorizationUrl(config, {
    redirect_uri: `${origin}/callback`,
    scope: 'openid profile email offline_access',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...more,
  }).href
}

/** Opens the sign-in page in a browser and returns its address. */
export async function openSignIn(tab: Browser, origin: string): Promise<string> {
  const url = await authorizeUrl(await discover(origin), origin, oidc.randomPKCECodeVerifier())
  return (await tab.go(url)).headers.get('location')!
}

interface Credentials {
  email: string
  password: string
}

/** Signs in like a browser, up to the returned code; `between` runs while the page is open. */
export async function codeFor(
  origin: string,
  credentials: Credentials,
  tab = browser(origin),
  between: () => Promise<void> = async () => {},
) {
  const config = await discover(origin)
  const verifier = oidc.randomPKCECodeVerifier()
  const state = oidc.randomState()
  const first = await tab.go(await authorizeUrl(config, origin, verifier, { state }))
  const page = first.headers.get('location')!
  assert.match(await (await tab.go(page)).text(), /name="email"[\s\S]*name="password"[\s\S]*Sign in</)
  await between()
  const callback = await tab.follow(await tab.go(page, { ...credentials }), `${origin}/callback`)
  const exchange = () =>
    oidc.authorizationCodeGrant(config, new URL(callback), { pkceCodeVerifier: verifier, expectedState: state })
  return { config, tab, exchange }
}

/** Signs in like a browser and returns the tokens. */
export async function signInAs(...how: Parameters<typeof codeFor>) {
  const { config, tab, exchange } = await codeFor(...how)
  return { config, tab, tokens: await exchange() }
}

/**
 * Lets all roles of a client sign in with a password alone, as in a demo: for tests with an installation that is not a
 * demo.
 */
export async function requireNoSecondFactor({ owner }: Pick<TestDatabase, 'owner'>, tenant: string): Promise<void> {
  const policy = JSON.stringify({ signInPolicy: { secondFactorRoles: [] } })
  await owner.query('update tenant set settings = settings || $2::jsonb where id = $1', [tenant, policy])
}
