import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, test } from 'vitest'
import { exportJWK, generateKeyPair } from 'jose'
import OidcProvider from 'oidc-provider'
import * as oidc from 'openid-client'
import type { Session } from '@caretaker/contract/session.ts'
import { seal } from '@caretaker/server/idp/sealed.ts'
import { secretOwner } from '@caretaker/server/idp/sso-connections.ts'
import { claimDomain } from '@caretaker/server/idp/sso-lookup.ts'
import { redirectUriOf } from '@caretaker/server/idp/sso-provider.ts'
import { addTenant } from '@caretaker/server/cli/operator.ts'
import { inviteUser } from '@caretaker/server/cli/users.ts'
import type { TestDatabase } from '@caretaker/server/testing/database.ts'
import { testDatabase } from '@caretaker/server/testing/database.ts'
import { freePort } from '@caretaker/server/testing/ports.ts'
import type { Provider } from '@caretaker/server/testing/sign-in.ts'
import {
  authorizeUrl,
  browser,
  discover,
  requireNoSecondFactor,
  startProvider,
} from '@caretaker/server/testing/sign-in.ts'
import type { Glewlwyd } from './glewlwyd.ts'
import { issuerAt, startGlewlwyd, withoutGlewlwyd } from './glewlwyd.ts'

/** Contains no characters that Glewlwyd would not decode. */
const secret = 'SecretOfBothProviders'
const clientId = 'caretaker-portal'
const connections = { north: randomUUID(), south: randomUUID() }
let database: TestDatabase
let server: Provider
let glewlwyd: Glewlwyd
let library: Awaited<ReturnType<typeof libraryIssuer>>

beforeAll(async () => {
  if (withoutGlewlwyd) return
  database = await testDatabase()
  server = await startProvider(database, { CARETAKER_WEBHOOK_NETWORKS: '127.0.0.1' })
  const redirectUri = (tenant: keyof typeof connections) => redirectUriOf(server.origin, connections[tenant])
  const port = await freePort('localhost')
  glewlwyd = await startGlewlwyd({
    port,
    plugin: {
      ...{ iss: issuerAt(port), 'jwt-type': 'rsa', 'jwt-key-size': '256', 'access-token-duration': 600 },
      ...{ 'refresh-token-duration': 1209600, 'code-duration': 60, 'auth-type-code-enabled': true },
      ...{ 'jwks-show': true, 'pkce-allowed': true, 'name-claim': 'mandatory', 'email-claim': 'mandatory' },
    },
    client: {
      ...{ client_id: clientId, name: 'Caretaker', enabled: true, confidential: true },
      ...{ redirect_uri: [redirectUri('north')], authorization_type: ['code'], scope: ['openid', 'profile', 'email'] },
      ...{ password: secret, client_secret: secret },
      token_endpoint_auth_method: ['client_secret_basic', 'client_secret_post'],
    },
  })
  library = await libraryIssuer(redirectUri('south'))
  for (const [tenant, issuer] of [
    ['north', glewlwyd.issuer],
    ['south', library.issuer],
  ] as const)
    await setUp(tenant, issuer)
})
afterAll(async () => {
  if (withoutGlewlwyd) return
  await server.app.close()
  await glewlwyd.stop()
  await library.stop()
  await database.drop()
})

/** An issuer built with the same library as the embedded provider. */
async function libraryIssuer(redirectUri: string) {
  const listening = createServer()
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const provider = new OidcProvider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'own', use: 'sig', alg: 'ES256' }] },
    clients: [
      {
        ...{ client_id: clientId, client_secret: secret, redirect_uris: [redirectUri] },
        ...{ grant_types: ['authorization_code'], response_types: ['code'], id_token_signed_response_alg: 'ES256' },
      },
    ],
    findAccount: async (_context, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, email: `${id}@south.example`, email_verified: true, name: id }),
    }),
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    cookies: { keys: ['library'] },
    pkce: { required: () => true },
  })
  const answer = provider.callback()
  listening.on('request', (request, response) => void answer(request, response))
  return {
    issuer,
    stop: () => new Promise((resolve) => listening.close(resolve)).finally(() => listening.closeAllConnections()),
  }
}

async function setUp(tenant: keyof typeof connections, issuer: string): Promise<void> {
  const operator = { config: server.config, owner: database.owner, db: database.db }
  await addTenant(operator, { id: tenant, name: tenant, contacts: '', timeZone: 'Europe/London' })
  await requireNoSecondFactor(database, tenant)
  const id = connections[tenant]
  await database.owner.query(
    `insert into sso_connection (tenant_id, id, name, issuer, client_id, client_secret, is_required, checks_second_factor,
       creates_members, group_claim, created_at, created_by, changed_at)
     values ($1, $2, 'Provider', $3, $4, $5, false, false, false, 'groups', now(), 'test', now())`,
    [tenant, id, issuer, clientId, await seal(database.idp, secretOwner({ tenant, id }), Buffer.from(secret))],
  )
  await claimDomain(database.idp, `${tenant}.example`, { tenant, connectionId: id, isRequired: false })
  await inviteUser(operator, { tenant, email: `ann@${tenant}.example`, name: 'Ann', role: 'Manager' })
}

/** Signs in at Glewlwyd; returns the address to which it redirects. */
async function atGlewlwyd(address: string, username: string): Promise<string> {
  const tab = browser(glewlwyd.origin)
  const page = new URL((await tab.go(address)).headers.get('location')!, glewlwyd.origin)
  const cookies: string[] = [tab.cookieFor(glewlwyd.origin)].filter(Boolean)
  const send = async (method: string, where: string, body: object) => {
    const headers = { 'content-type': 'application/json', cookie: cookies.join('; ') }
    const response = await fetch(`${glewlwyd.origin}/api/${where}`, { method, headers, body: JSON.stringify(body) })
    assert.ok(response.ok, `${where}: ${response.status}`)
    cookies.push(...response.headers.getSetCookie().map((line) => line.split(';')[0]!))
  }
  await send('POST', 'auth/', { username, password: glewlwyd.password })
  await send('PUT', `auth/grant/${clientId}`, { scope: 'openid profile email' })
  const callback = new URL(page.searchParams.get('callback_url')!)
  callback.searchParams.set('g_continue', '')
  const back = await fetch(callback, { redirect: 'manual', headers: { cookie: cookies.join('; ') } })
  return back.headers.get('location')!
}

/** Signs in at the library's issuer; returns the address to which it redirects. */
async function atLibrary(address: string, login: string): Promise<string> {
  const tab = browser(library.issuer)
  for (let hops = 0; hops < 12 && address.startsWith(library.issuer); hops++) {
    let response = await tab.go(address)
    if (response.status === 200) {
      const prompt = /name="prompt" value="(\w+)"/.exec(await response.text())![1]!
      response = await tab.go(address, { prompt, login, password: 'anything' })
    }
    address = new URL(response.headers.get('location')!, address).href
  }
  return address
}

async function sessionOf(email: string, at: (address: string, name: string) => Promise<string>): Promise<Session> {
  const { origin } = server
  const tab = browser(origin)
  const config = await discover(origin)
  const verifier = oidc.randomPKCECodeVerifier()
  const state = oidc.randomState()
  const page = (await tab.go(await authorizeUrl(config, origin, verifier, { state }))).headers.get('location')!
  const sent = await tab.go(`${page}/email`, { email })
  const [, address] = /^0; url=(.+)$/.exec(sent.headers.get('refresh') ?? '') ?? []
  assert.ok(address, await sent.text())
  const back = await at(address, email.split('@')[0]!)
  const callback = await tab.follow(await tab.go(back), `${origin}/callback`).catch((error: Error) => {
    throw new Error(`${error.message} ${server.logged.join('')}`)
  })
  const checks = { pkceCodeVerifier: verifier, expectedState: state }
  const { access_token: token } = await oidc.authorizationCodeGrant(config, new URL(callback), checks)
  const response = await fetch(`${origin}/api/session`, { headers: { authorization: `Bearer ${token}` } })
  assert.equal(response.status, 200, server.logged.join(''))
  return (await response.json()) as Session
}

test('people of two clients sign in with two real providers at the same time', async (t) => {
  if (withoutGlewlwyd) return t.skip(withoutGlewlwyd)
  await glewlwyd.addPerson('ann', { email: 'ann@north.example' })
  const [north, south] = await Promise.all([
    sessionOf('ann@north.example', atGlewlwyd),
    sessionOf('ann@south.example', atLibrary),
  ])
  for (const [session, tenant] of [
    [north, 'north'],
    [south, 'south'],
  ] as const) {
    assert.equal(session.email, `ann@${tenant}.example`)
    assert.deepEqual(
      session.tenants.map(({ id }) => id),
      [tenant],
    )
  }
})
