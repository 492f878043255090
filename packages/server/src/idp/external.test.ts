import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, test } from 'vitest'
import { decodeJwt, exportJWK, generateKeyPair } from 'jose'
import * as oidc from 'openid-client'
import type { FastifyInstance } from 'fastify'
import Provider from 'oidc-provider'
import pino from 'pino'
import { Registry } from 'prom-client'
import type { Session } from '@caretaker/contract/session.ts'
import { buildApp } from '../app.ts'
import { readConfig, SettingError } from '../config.ts'
import { openStore } from '../files/store.ts'
import { addTenant } from '../cli/operator.ts'
import { inviteUser } from '../cli/users.ts'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import { startIdentity } from './start.ts'

/**
 * An external OpenID provider that knows nothing of the product. Unlike the embedded one, its access tokens are opaque and
 * carry no e-mail: the user info endpoint has to be called.
 */
async function foreignIssuer() {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'foreign', use: 'sig', alg: 'ES256' }] },
    clients: [
      {
        client_id: 'machine',
        client_secret: 'a secret of the foreign issuer',
        redirect_uris: ['http://127.0.0.1:9/callback'],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    findAccount: async (_context, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    features: {
      resourceIndicators: {
        enabled: true,
        defaultResource: () => 'urn:caretaker',
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'openid profile email',
          audience: 'urn:caretaker',
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
    cookies: { keys: ['foreign'] },
    pkce: { required: () => true },
  })
  const answer = provider.callback()
  server.on('request', (request, response) => {
    if (request.url !== '/me') return void answer(request, response)
    // This issuer returns the user info to anyone who holds the access token.
    const { sub } = decodeJwt(request.headers.authorization!.slice('Bearer '.length))
    // Providers report an e-mail as verified, as unverified, or not at all.
    const verified = sub?.startsWith('silent') ? {} : { email_verified: !sub?.startsWith('unverified') }
    const claims = { sub, email: `${sub}@elsewhere.test`, ...verified, name: `Name of ${sub}` }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(claims))
  })
  return {
    issuer,
    stop: () => new Promise((resolve) => server.close(resolve)).finally(() => server.closeAllConnections()),
  }
}

const logged: string[] = []
let foreign: Awaited<ReturnType<typeof foreignIssuer>>
let database: TestDatabase
let app: FastifyInstance
const settings = (more: Record<string, string> = {}) =>
  readConfig({
    OIDC_ISSUER: foreign.issuer,
    OIDC_CLIENT_ID: 'machine',
    OIDC_AUDIENCE: 'urn:caretaker',
    CARETAKER_DATA: '/nonexistent',
    ...more,
  })
const contextOf = (config: ReturnType<typeof settings>) => ({
  config,
  db: database.db,
  anonymousDb: database.db,
  owner: database.owner,
  idp: database.idp,
  files: openStore(config),
  log: pino({ level: 'warn' }, { write: (line: string) => logged.push(line) }),
  metrics: new Registry(),
})

beforeAll(async () => {
  foreign = await foreignIssuer()
  database = await testDatabase()
  const context = contextOf(settings())
  const { tokens, routes } = await startIdentity(context)
  assert.equal(routes, undefined, 'no embedded provider beside an external one')
  app = await buildApp(context, { tokens })
})
afterAll(async () => {
  await app.close()
  await database.drop()
  await foreign.stop()
})

/** Signs in at the external issuer's own development pages, as its user would. */
async function tokenOf(account: string): Promise<string> {
  const config = await oidc.discovery(new URL(foreign.issuer), 'machine', 'a secret of the foreign issuer', undefined, {
    execute: [oidc.allowInsecureRequests],
  })
  const verifier = oidc.randomPKCECodeVerifier()
  const start = oidc.buildAuthorizationUrl(config, {
    redirect_uri: 'http://127.0.0.1:9/callback',
    scope: 'openid profile email',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  const cookies = new Map<string, string>()
  let address = start.href
  for (let hops = 0; hops < 12 && !address.startsWith('http://127.0.0.1:9/'); hops++) {
    const send = async (form?: Record<string, string>) => {
      const response = await fetch(address, {
        redirect: 'manual',
        headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        ...(form && { method: 'POST', body: new URLSearchParams(form) }),
      })
      for (const line of response.headers.getSetCookie()) {
        const [pair] = line.split(';')
        cookies.set(pair!.slice(0, pair!.indexOf('=')), pair!.slice(pair!.indexOf('=') + 1))
      }
      return response
    }
    let response = await send()
    if (response.status === 200) {
      const prompt = /name="prompt" value="(\w+)"/.exec(await response.text())![1]!
      response = await send({ prompt, login: account, password: 'anything' })
    }
    address = new URL(response.headers.get('location')!, address).href
  }
  const tokens = await oidc.authorizationCodeGrant(config, new URL(address), { pkceCodeVerifier: verifier })
  return tokens.access_token
}

const sessionAs = async (account: string) =>
  app.inject({ url: '/api/session', headers: { authorization: `Bearer ${await tokenOf(account)}` } })

test('a person of an external issuer signs in and receives the invitation to their verified e-mail [core-1-1]', async () => {
  const operator = { config: settings(), owner: database.owner, db: database.db }
  await addTenant(operator, { id: 'north', name: 'North Homes', contacts: '', timeZone: 'Europe/London' })
  for (const email of ['anna@elsewhere.test', 'unverified@elsewhere.test']) {
    const { link } = await inviteUser(operator, { tenant: 'north', email, name: email, role: 'Manager' })
    assert.equal(link, undefined, 'passwords are the foreign provider’s business')
  }
  const anna = (await sessionAs('anna')).json<Session>()
  assert.equal(anna.name, 'Name of anna')
  assert.deepEqual(
    anna.tenants.map(({ id, role }) => [id, role]),
    [['north', 'Manager']],
  )
  const { tenants, emailVerified } = (await sessionAs('unverified')).json<Session>()
  assert.deepEqual({ tenants, emailVerified }, { tenants: [], emailVerified: false })
})

test('an invited person whose provider does not report a verified e-mail is not admitted; the log and the page give the reason', async () => {
  const operator = { config: settings(), owner: database.owner, db: database.db }
  await inviteUser(operator, { tenant: 'north', email: 'silent@elsewhere.test', name: 'Silent', role: 'Manager' })
  logged.length = 0
  for (let call = 0; call < 2; call++) {
    const { tenants, emailVerified } = (await sessionAs('silent')).json<Session>()
    assert.deepEqual({ tenants, emailVerified }, { tenants: [], emailVerified: false })
  }
  assert.equal(logged.length, 1, 'once')
  assert.match(logged[0]!, /an invited person was not admitted/)
  assert.match(logged[0]!, /OIDC_TRUST_EMAILS/)
  assert.ok(!logged[0]!.includes('@'), 'without their e-mail')
})

test('a trusted provider admits invited people, unless it reports their e-mail as unverified', async () => {
  const operator = { config: settings(), owner: database.owner, db: database.db }
  for (const name of ['silent-new', 'unverified-new'])
    await inviteUser(operator, { tenant: 'north', email: `${name}@elsewhere.test`, name, role: 'Guest' })
  const context = contextOf(settings({ OIDC_TRUST_EMAILS: 'on' }))
  const { tokens } = await startIdentity(context)
  const trusting = await buildApp(context, { tokens })
  const tenantsOf = async (account: string) => {
    const headers = { authorization: `Bearer ${await tokenOf(account)}` }
    const { tenants, emailVerified } = (await trusting.inject({ url: '/api/session', headers })).json<Session>()
    return { emailVerified, tenants: tenants.map(({ id }) => id) }
  }
  for (const account of ['silent', 'silent-new'])
    assert.deepEqual(await tenantsOf(account), { emailVerified: true, tenants: ['north'] }, account)
  for (const account of ['unverified', 'unverified-new'])
    assert.deepEqual(await tenantsOf(account), { emailVerified: false, tenants: [] }, account)
  await trusting.close()
})

test('the web client gets the external issuer for sign-in', async () => {
  const { oidc } = (await app.inject({ url: '/api/settings' })).json<{ oidc: object }>()
  assert.deepEqual(oidc, { issuer: foreign.issuer, clientId: 'machine', audience: 'urn:caretaker' })
})

test('an issuer that cannot be reached, or whose metadata names another issuer, is a clear setting error', async () => {
  const nobody = contextOf(settings({ OIDC_ISSUER: 'http://127.0.0.1:9' }))
  await assert.rejects(
    startIdentity(nobody),
    (error) => error instanceof SettingError && /OIDC_ISSUER/.test(error.message),
  )
  const other = contextOf(settings({ OIDC_ISSUER: foreign.issuer.replace('127.0.0.1', 'localhost') }))
  await assert.rejects(startIdentity(other), /does not describe the issuer/)
})
