import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import type { JWK, JWTPayload } from 'jose'
import { decodeJwt, importJWK, SignJWT } from 'jose'
import * as oidc from 'openid-client'
import { changed } from '../changes/changed.ts'
import { inTenant } from '../postgres/tenant.ts'
import { passwordToken } from '../identity/password-link.ts'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import type { Provider } from '../testing/sign-in.ts'
import { findCredentials, setPassword } from './accounts.ts'
import { authorizeUrl, browser, codeFor, discover, makeAccount, signInAs, startProvider } from '../testing/sign-in.ts'

let database: TestDatabase
let provider: Provider
let origin: string
const priya = { email: 'priya@north.test', password: 'a long password' }

beforeAll(async () => {
  database = await testDatabase()
  await makeAccount(database, priya.email, priya.password)
  provider = await startProvider(database)
  ;({ origin } = provider)
})
afterAll(async () => {
  await provider.app.close()
  await database.drop()
})

const session = async (token: string) =>
  (await fetch(`${origin}/api/session`, { headers: { authorization: `Bearer ${token}` } })).status
const isOver = { error: 'invalid_grant' }

test('of six simultaneous exchanges of one code, one gets tokens, which the others’ attempts end', async () => {
  for (let round = 0; round < 5; round++) {
    const { config, exchange } = await codeFor(origin, priya)
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, exchange))
    const won = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    assert.equal(won.length, 1)
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') assert.equal((outcome.reason as { error: string }).error, 'invalid_grant')
    assert.equal(await session(won[0]!.access_token), 401)
    await assert.rejects(oidc.refreshTokenGrant(config, won[0]!.refresh_token!), isOver)
  }
})

test('exchanging a code a second time ends the tokens of the first exchange', async () => {
  const { config, exchange } = await codeFor(origin, priya)
  const tokens = await exchange()
  assert.equal(await session(tokens.access_token), 200)
  await assert.rejects(exchange(), isOver)
  assert.equal(await session(tokens.access_token), 401)
  await assert.rejects(oidc.refreshTokenGrant(config, tokens.refresh_token!), isOver)
})

test('signing in again in a browser replaces its refresh token, and no other', async () => {
  const elsewhere = await signInAs(origin, priya)
  const { config, tab, tokens } = await signInAs(origin, priya)
  const verifier = oidc.randomPKCECodeVerifier()
  const asked = await tab.go(await authorizeUrl(config, origin, verifier, { prompt: 'login' }))
  const callback = await tab.follow(await tab.go(asked.headers.get('location')!, { ...priya }), `${origin}/callback`)
  const again = await oidc.authorizationCodeGrant(config, new URL(callback), { pkceCodeVerifier: verifier })
  await assert.rejects(oidc.refreshTokenGrant(config, tokens.refresh_token!), isOver)
  const renewed = await oidc.refreshTokenGrant(config, again.refresh_token!)
  assert.equal(await session(renewed.access_token), 200)
  assert.ok(await oidc.refreshTokenGrant(elsewhere.config, elsewhere.tokens.refresh_token!))
})

test('signing out ends the access and refresh tokens of that browser at once, and no others', async () => {
  const here = await signInAs(origin, priya)
  const elsewhere = await signInAs(origin, priya)
  const renewed = await oidc.refreshTokenGrant(here.config, here.tokens.refresh_token!)
  assert.equal(await session(renewed.access_token), 200)
  await here.tab.signOut(here.config, here.tokens.id_token!)
  for (const token of [here.tokens.access_token, renewed.access_token]) {
    assert.ok(decodeJwt(token).exp! > Date.now() / 1000 + 500, 'by itself it would go on')
    assert.equal(await session(token), 401)
  }
  await assert.rejects(oidc.refreshTokenGrant(here.config, renewed.refresh_token!), isOver)
  assert.equal(await session(elsewhere.tokens.access_token), 200)
})

test('a new password ends all tokens of the account at once, and of no other account', async () => {
  const other = { email: 'omar@north.test', password: priya.password }
  await makeAccount(database, other.email, other.password)
  const [first, second, third] = await Promise.all([priya, priya, other].map((who) => signInAs(origin, who)))
  const account = await findCredentials(database.idp, priya.email)
  assert.ok(await setPassword(database.idp, await passwordToken(database.idp, account!.id), 'another long password'))
  priya.password = 'another long password'
  assert.equal(await session(first!.tokens.access_token), 401)
  assert.equal(await session(second!.tokens.access_token), 401)
  assert.equal(await session(third!.tokens.access_token), 200)
})

test('a token that names no session is refused', async () => {
  const { tokens } = await signInAs(origin, priya)
  const { rows } = await database.owner.query<{ value: { keys: JWK[] } }>(
    `select value from idp.secret where name = 'jwks'`,
  )
  const [key] = rows[0]!.value.keys
  const signed = async (claims: JWTPayload) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: key!.alg!, typ: 'at+jwt', kid: key!.kid! })
      .sign(await importJWK(key!, key!.alg))
  const claims = decodeJwt(tokens.access_token)
  assert.equal(await session(await signed(claims)), 200)
  for (const forged of [undefined, '', 7, 'never-was'])
    assert.equal(await session(await signed({ ...claims, session: forged })), 401)
})

test('no person is created if the session ended before the first call', async () => {
  const newcomer = { email: 'new@north.test', password: priya.password }
  await makeAccount(database, newcomer.email, newcomer.password)
  const { tab, config, tokens } = await signInAs(origin, newcomer)
  await tab.signOut(config, tokens.id_token!)
  assert.equal(await session(tokens.access_token), 401)
  assert.equal((await database.owner.query('select from person where email = $1', [newcomer.email])).rowCount, 0)
})

test('an open stream of changes ends with its session at the next check of its listeners', async () => {
  await database.owner.query(`insert into tenant (id, display_name) values ('north', 'North Homes')`)
  const { tab, config, tokens } = await signInAs(origin, priya)
  await session(tokens.access_token)
  await database.owner.query(
    `insert into membership (tenant_id, id, person_id, email, name, role)
     select 'north', gen_random_uuid(), id, email, 'Priya', 'Manager' from person where email = $1`,
    [priya.email],
  )
  const { body } = await fetch(`${origin}/api/tenants/north/changes`, {
    headers: { authorization: `Bearer ${tokens.access_token}` },
  })
  const stream = body!.getReader()
  const somethingIsChanged = () =>
    inTenant(provider.context.db, 'north', (tx) => changed(tx, 'user', [crypto.randomUUID()]))
  assert.equal((await stream.read()).done, false)
  await somethingIsChanged()
  assert.equal((await stream.read()).done, false)
  await tab.signOut(config, tokens.id_token!)
  await somethingIsChanged()
  // Events already on their way may still arrive: a change, and the start of the stream.
  for (let read = 0; !(await stream.read()).done; read += 1) assert.ok(read < 3, 'the stream goes on')
})

test('a resource other than the API is an invalid target, not a server error', async () => {
  const config = await discover(origin)
  const asked = { resource: 'https://elsewhere.test/api' }
  const url = await authorizeUrl(config, origin, oidc.randomPKCECodeVerifier(), asked)
  const refused = await browser(origin).go(url)
  assert.match(refused.headers.get('location') ?? '', /[?&]error=invalid_target/)
  const { tokens } = await signInAs(origin, priya)
  const renewal = oidc.refreshTokenGrant(config, tokens.refresh_token!, asked)
  await assert.rejects(renewal, { error: 'invalid_target', status: 400 })
})
