import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import type { Provider } from '../testing/sign-in.ts'
import { authorizeUrl, discover, makeAccount, signInAs, startProvider } from '../testing/sign-in.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await makeAccount(database, 'priya@north.test', 'a long password')
})
afterAll(() => database.drop())

/** Allows two calls a minute per caller, so that the responses show who counts as one caller. */
async function limited(trusted: string | undefined, use: (provider: Provider) => Promise<void>): Promise<void> {
  const env = { CARETAKER_RATE_LIMIT: '2', ...(trusted && { CARETAKER_TRUSTED_PROXIES: trusted }) }
  const provider = await startProvider(database, env)
  try {
    await use(provider)
  } finally {
    await provider.app.close()
  }
}

const statuses = async ({ origin }: Provider, forwarded: string[]) => {
  const seen: number[] = []
  for (const addresses of forwarded)
    seen.push((await fetch(`${origin}/api/settings`, { headers: { 'x-forwarded-for': addresses } })).status)
  return seen
}

test('without a trusted proxy no forwarded address is believed', () =>
  limited(undefined, async (provider) => {
    assert.deepEqual(await statuses(provider, ['198.51.100.1', '198.51.100.2', '198.51.100.3']), [200, 200, 429])
  }))

test('behind one proxy the caller is the address that the proxy saw, whatever the caller sent', () =>
  limited('1', async (provider) => {
    const forged = ['1.1.1.1, 198.51.100.1', '2.2.2.2, 198.51.100.1', '3.3.3.3, 198.51.100.1', '3.3.3.3, 198.51.100.2']
    assert.deepEqual(await statuses(provider, forged), [200, 200, 429, 200])
  }))

test('behind two proxies the caller is the address that the outer proxy saw', () =>
  limited('2', async (provider) => {
    const forged = ['1.1.1.1, 198.51.100.1, 10.0.0.1', '198.51.100.1, 10.0.0.2', '9.9.9.9, 198.51.100.1, 10.0.0.3']
    assert.deepEqual(await statuses(provider, forged), [200, 200, 429])
  }))

test('proxies can be named by address: others who call directly are not believed', async () => {
  await limited('127.0.0.0/8,::1', async (provider) => {
    assert.deepEqual(
      await statuses(provider, ['198.51.100.1', '198.51.100.1', '198.51.100.1', '198.51.100.2']),
      [200, 200, 429, 200],
    )
  })
  await limited('10.0.0.5', async (provider) => {
    assert.deepEqual(await statuses(provider, ['198.51.100.1', '198.51.100.2', '198.51.100.3']), [200, 200, 429])
  })
})

test('addresses in discovery, redirects and cookies come from the configuration, never from a header', async () => {
  const origin = 'https://portal.north.test'
  for (const trusted of ['', '1', '127.0.0.1,::1']) {
    const { app, config } = await startProvider(database, {
      CARETAKER_ORIGIN: origin,
      ...(trusted && { CARETAKER_TRUSTED_PROXIES: trusted }),
    })
    const forged = {
      host: 'evil.test',
      'x-forwarded-host': 'evil.test, evil.test',
      'x-forwarded-proto': 'http',
      forwarded: 'host=evil.test;proto=http',
    }
    const get = (url: string, headers: Record<string, string> = {}) =>
      app.inject({ url, headers: { ...forged, ...headers } })
    const discovery = await get('/oidc/.well-known/openid-configuration')
    const addresses = Object.entries(discovery.json<Record<string, unknown>>()).filter(([name]) =>
      /_endpoint$|_uri$|^issuer$/.test(name),
    )
    assert.ok(addresses.length >= 6)
    for (const [name, address] of addresses)
      assert.ok(String(address).startsWith(`${origin}/oidc`), `${name}: ${String(address)}`)

    const asked = new URLSearchParams({
      client_id: config.oidc.clientId,
      redirect_uri: `${origin}/callback`,
      response_type: 'code',
      scope: 'openid',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    })
    const start = await get(`/oidc/auth?${asked.toString()}`)
    assert.equal(start.statusCode, 303)
    assert.match(String(start.headers.location), /^\/login\/[\w-]+$/)
    const cookies = [start.headers['set-cookie']].flat() as string[]
    expectPrefixes(cookies)
    assert.match(String(start.headers['strict-transport-security']), /^max-age=31536000; includeSubDomains$/)
    const signedIn = await app.inject({
      method: 'POST',
      url: String(start.headers.location),
      headers: {
        ...forged,
        cookie: cookies.map((cookie) => cookie.split(';')[0]).join('; '),
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: 'email=priya@north.test&password=a+long+password',
    })
    assert.equal(signedIn.statusCode, 303)
    assert.ok(String(signedIn.headers.location).startsWith(`${origin}/oidc/auth/`), String(signedIn.headers.location))
    assert.match([signedIn.headers['set-cookie']].flat().join(), /__Host-known_[^;]+;[^,]*Secure/)
    expectPrefixes([signedIn.headers['set-cookie']].flat() as string[])
    // The session starts at the address to which the sign-in redirects.
    const sent = [...cookies, ...([signedIn.headers['set-cookie']].flat() as string[])]
    const resumed = await get(new URL(String(signedIn.headers.location)).pathname, {
      cookie: sent.map((cookie) => cookie.split(';')[0]).join('; '),
    })
    assert.ok(String(resumed.headers.location).startsWith(`${origin}/callback?code=`), String(resumed.headers.location))
    expectPrefixes([resumed.headers['set-cookie']].flat() as string[])
    assert.match([resumed.headers['set-cookie']].flat().join(), /__Host-session=/)
    assert.match(
      String((await get('/livez')).headers['strict-transport-security']),
      /^max-age=31536000; includeSubDomains$/,
    )
    await app.close()
  }
})

/**
 * No other host of the domain can set these; those of one sign-in are also bound to its path, which `__Host-` rules
 * out.
 */
function expectPrefixes(cookies: readonly string[]): void {
  assert.ok(cookies.length > 0)
  for (const cookie of cookies) {
    assert.match(cookie, /; secure/i)
    assert.doesNotMatch(cookie, /; domain/i)
    if (/^__Secure-(interaction|resume)(\.sig)?=/.test(cookie))
      assert.match(cookie, /; path=\/(login|oidc\/auth)\/[\w-]+/i)
    else assert.match(cookie, /^__Host-[^;]+;(.*;)? *path=\/(;|$)/i)
  }
}

test('under plain HTTP on this machine cookies have no prefix, which browsers would reject, and nothing requires HTTPS', async () => {
  const { app, origin } = await startProvider(database)
  const start = await openSignInAt(origin)
  assert.deepEqual(
    start.headers.getSetCookie().map((cookie) => cookie.split('=')[0]),
    ['_interaction', '_interaction.sig', '_interaction_resume', '_interaction_resume.sig'],
  )
  assert.equal(start.headers.get('strict-transport-security'), null)
  assert.ok((await signInAs(origin, { email: 'priya@north.test', password: 'a long password' })).tokens.access_token)
  await app.close()
})

const openSignInAt = async (origin: string) =>
  fetch(await authorizeUrl(await discover(origin), origin, 'x'.repeat(43)), { redirect: 'manual' })

test('a page requested under another name of this machine redirects to the configured one', async () => {
  const { app, origin } = await startProvider(database)
  const asked = { url: '/north/Dashboard', headers: { host: '127.0.0.1', 'x-forwarded-host': 'evil.test' } }
  assert.equal((await app.inject(asked)).headers.location, `${origin}/north/Dashboard`)
  await app.close()
})
