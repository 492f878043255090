import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, test } from 'vitest'
import type { JWTPayload } from 'jose'
import { decodeJwt } from 'jose'
import * as oidc from 'openid-client'
import type { Session } from '@caretaker/contract/session.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { addTenant } from '../cli/operator.ts'
import { inviteUser } from '../cli/users.ts'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import { testPasskey } from '../testing/passkey.ts'
import type { OpenIdProvider } from '../testing/openid-provider.ts'
import { startOpenIdProvider } from '../testing/openid-provider.ts'
import type { Browser, Provider } from '../testing/sign-in.ts'
import {
  authorizeUrl,
  browser,
  discover,
  makeAccount,
  requireNoSecondFactor,
  startProvider,
} from '../testing/sign-in.ts'
import { sessionClaim } from '../http/access.ts'
import { callerOf } from '../http/caller.ts'
import { count, resetCount } from '../postgres/throttle.ts'
import { findAccount } from './accounts.ts'
import { endProviderSessions, endSessionsOfClient } from './browser-sessions.ts'
import { addPasskey, creationOptions } from './passkeys.ts'
import { seal } from './sealed.ts'
import { secretOwner } from './sso-connections.ts'
import { claimDomain, releaseDomain } from './sso-lookup.ts'

let database: TestDatabase
let server: Provider
let foreign: OpenIdProvider
let origin: string
const password = 'a long password'
const north = { tenant: 'north', id: randomUUID() }

beforeAll(async () => {
  database = await testDatabase()
  foreign = await startOpenIdProvider()
  server = await startProvider(database, { CARETAKER_WEBHOOK_NETWORKS: '127.0.0.1' })
  ;({ origin } = server)
  for (const id of ['north', 'south']) {
    await addTenant(operator(), { id, name: `${id} Homes`, contacts: '', timeZone: 'Europe/London' })
    await requireNoSecondFactor(database, id)
  }
  await addConnection(north, { domain: 'north.example' })
  for (const name of ['ann', 'ben', 'cara', 'dan']) await invite(name)
})
beforeEach(() => void (server.logged.length = 0))
afterAll(async () => {
  await server.app.close()
  await foreign.stop()
  await database.drop()
})

const operator = () => ({ config: server.config, owner: database.owner, db: database.db })
const invite = (name: string, role: Role = 'Manager', tenant = 'north') =>
  inviteUser(operator(), { tenant, email: `${name}@north.example`, name, role })

async function addConnection(
  { tenant, id }: { tenant: string; id: string },
  { domain, name = 'North ID', isRequired = false }: { domain: string; name?: string; isRequired?: boolean },
): Promise<void> {
  const secret = await seal(database.idp, secretOwner({ tenant, id }), Buffer.from(foreign.client.secret))
  await database.owner.query(
    `insert into sso_connection (tenant_id, id, name, issuer, client_id, client_secret, is_required, checks_second_factor,
       creates_members, group_claim, created_at, created_by, changed_at)
     values ($1, $2, $3, $4, $5, $6, $7, false, true, 'groups', now(), 'test', now())`,
    [tenant, id, name, foreign.issuer, foreign.client.id, secret, isRequired],
  )
  await claimDomain(database.idp, domain, { tenant, connectionId: id, isRequired })
}

async function change(
  column: 'is_required' | 'checks_second_factor' | 'creates_members',
  value: boolean,
): Promise<void> {
  await database.owner.query(`update sso_connection set ${column} = $2, changed_at = now() where id = $1`, [
    north.id,
    value,
  ])
  if (column === 'is_required')
    await database.idp.query('update idp.sso_lookup set is_required = $2 where connection_id = $1', [north.id, value])
}

/** Opens the sign-in page as the portal does. */
async function begin(tab: Browser, more: Record<string, string> = {}) {
  const config = await discover(origin)
  const verifier = oidc.randomPKCECodeVerifier()
  const state = oidc.randomState()
  const first = await tab.go(await authorizeUrl(config, origin, verifier, { state, ...more }))
  const page = first.headers.get('location')!
  const tokens = async (response: Response) => {
    const callback = await tab.follow(response, `${origin}/callback`)
    const checks = { pkceCodeVerifier: verifier, expectedState: state }
    return oidc.authorizationCodeGrant(config, new URL(callback), checks)
  }
  return { page, tokens, config }
}

const optionsIn = (html: string) =>
  JSON.parse(/data-options="([^"]+)"/.exec(html)![1]!.replaceAll('&quot;', '"').replaceAll('&amp;', '&')) as {
    challenge: string
    user: { id: string }
  }

async function withPasskey(id: string) {
  const adding = { account: (await findAccount(database.idp, id))!, place: 'session of a test' } as const
  const passkey = testPasskey(origin)
  const response = passkey.create(await creationOptions(server.config, database.idp, adding))
  assert.ok(await addPasskey(server.config, database.idp, adding, { name: 'Phone', response, isFirst: false }))
  return passkey
}

const left = (response: Response): string => {
  const [, address] = /^0; url=(.+)$/.exec(response.headers.get('refresh') ?? '') ?? []
  assert.ok(address?.startsWith(`${foreign.issuer}/auth?`), `${response.status} ${address}`)
  return address!
}

const claimsOf = (name: string, more: JWTPayload = {}): JWTPayload => ({
  ...{ sub: `subject of ${name}`, email: `${name}@north.example`, name: `Name of ${name}`, ...more },
})

/** A whole sign-in with the provider, up to the response that ends it. */
async function signIn(name: string, { tab = browser(origin), more = {} as JWTPayload, begun = {} } = {}) {
  const { page, tokens, config } = await begin(tab, begun)
  const sent = await tab.go(`${page}/email`, { email: `${name}@north.example` })
  const back = foreign.signIn(left(sent), claimsOf(name, more))
  const checked = (await tab.go(back)).headers.get('location')!
  return { tab, page, back, config, response: await tab.go(checked), tokens }
}

async function sessionOf(...how: Parameters<typeof signIn>) {
  const { response, tokens, tab, config } = await signIn(...how)
  const granted = await tokens(response)
  return { tab, config, granted, session: await sessionBy(granted.access_token) }
}

async function sessionBy(token: string): Promise<Session> {
  const response = await fetch(`${origin}/api/session`, { headers: { authorization: `Bearer ${token}` } })
  assert.equal(response.status, 200)
  return (await response.json()) as Session
}
const isOpen = async (token: string) =>
  (await fetch(`${origin}/api/session`, { headers: { authorization: `Bearer ${token}` } })).status === 200
const rolesIn = ({ tenants }: Session) => tenants.map(({ id, role }) => `${id} ${role}`)
const refusedWith = async (response: Response, text: RegExp, status = 400) => {
  assert.equal(response.status, status)
  assert.match(await response.text(), text)
}

test('an invited person signs in with the provider of the client, without a password', async () => {
  const { session, granted } = await sessionOf('ann')
  assert.deepEqual(rolesIn(session), ['north Manager'])
  assert.equal(session.emailVerified, true)
  const { rows } = await database.owner.query('select password_hash from idp.account where email = $1', [
    'ann@north.example',
  ])
  assert.deepEqual(rows, [{ password_hash: null }])
  const asked = foreign.asked.at(-1)!
  assert.equal(asked.get('redirect_uri'), `${origin}/login/sso/callback/${north.id}`)
  assert.equal(asked.get('code_challenge_method'), 'S256')
  assert.equal(asked.get('login_hint'), 'ann@north.example')
  assert.ok(granted.refresh_token)
  const again = await sessionOf('ann')
  assert.equal(again.session.userId, session.userId)
})

test('an account with a password is linked by its e-mail, and keeps the password while it is allowed', async () => {
  const account = await makeAccount(database, 'ben@north.example', password)
  const traces = async () => {
    const mails = await database.owner.query(
      `select from mail where recipient = 'ben@north.example' and subject like '%single sign-on'`,
    )
    const audits = await database.owner.query(
      `select from audit_entry where action = 'single sign-on linked' and subject_name = 'ben' and tenant_id = 'north'`,
    )
    return [mails.rowCount, audits.rowCount]
  }
  assert.deepEqual(await traces(), [0, 0])
  const { granted } = await sessionOf('ben')
  assert.equal(decodeJwt(granted.access_token).sub, account)
  assert.deepEqual(await traces(), [1, 1])
  await sessionOf('ben')
  assert.deepEqual(await traces(), [1, 1], 'only the first sign-in links')
  await sessionOf('ben', { more: { sub: 'another subject' } })
  assert.deepEqual(await traces(), [2, 2], 'another person at the provider')
  const tab = browser(origin)
  const { page, tokens } = await begin(tab)
  const other = await (await tab.go(`${page}?other=yes`)).text()
  assert.match(other, /name="password"/)
  await tokens(await tab.go(page, { email: 'ben@north.example', password }))
})

test('the first page asks for the e-mail; other addresses get the password page', async () => {
  const tab = browser(origin)
  const { page } = await begin(tab)
  const first = await (await tab.go(page)).text()
  assert.match(first, /name="email"/)
  assert.doesNotMatch(first, /name="password"|Sign in with North ID/)
  const next = await (await tab.go(`${page}/email`, { email: 'someone@elsewhere.example' })).text()
  assert.match(next, /name="password"/)
  assert.match(next, /value="someone@elsewhere.example"/)
  await refusedWith(await tab.go(`${page}/email`, { email: 'no address' }), /valid e-mail/)
})

test('at the address of a client the page offers its provider, and the hint of a signed-in person leads there at once', async () => {
  const tab = browser(origin)
  const { page } = await begin(tab, { client: 'north' })
  assert.match(await (await tab.go(page)).text(), /Sign in with North ID/)
  left(await tab.go(`${page}/sso`, { connection: north.id }))
  const other = await begin(browser(origin), { client: 'south' })
  assert.ok(other.page)
  const elsewhere = browser(origin)
  const { page: souths } = await begin(elsewhere, { client: 'south' })
  assert.doesNotMatch(await (await elsewhere.go(souths)).text(), /North ID/)
  assert.equal((await elsewhere.go(`${souths}/sso`, { connection: north.id })).status, 400)
  const hint = { login_hint: 'ann@north.example', prompt: 'login' }
  const { tab: hinted } = await sessionOf('ann')
  const { page: again } = await begin(hinted, hint)
  assert.match(left(await hinted.go(again)), /prompt=login/)
  for (const stranger of [browser(origin), (await sessionOf('ben')).tab]) {
    const { page: asked } = await begin(stranger, hint)
    assert.match(await (await stranger.go(asked)).text(), /value="ann@north.example"/)
  }
})

test('a provider that states an old sign-in cannot confirm a person again', async () => {
  const begun = { login_hint: 'ann@north.example', prompt: 'login' }
  const old = await signIn('ann', { begun, more: { auth_time: Math.floor(Date.now() / 1000) - 3600 } })
  await refusedWith(old.response, /did not confirm the sign-in/)
  const silent = await signIn('ann', { begun })
  await refusedWith(silent.response, /did not confirm the sign-in/)
  const short = await signIn('ann', { begun: { ...begun, prompt: '', max_age: '60' } })
  await refusedWith(short.response, /did not confirm the sign-in/)
  const fresh = await signIn('ann', { begun, more: { auth_time: Math.floor(Date.now() / 1000) - 5 } })
  await fresh.tokens(fresh.response)
})

test('a sign-in is as recent as that at the provider', async () => {
  const now = Math.floor(Date.now() / 1000)
  for (const [authTime, isRecent] of [
    [undefined, false],
    [now - 8 * 3600, false],
    [now - 30, true],
    [now + 50, true],
  ] as const) {
    const { granted } = await sessionOf('ann', { more: { auth_time: authTime } as JWTPayload })
    const { rows } = await database.owner.query<{ age: number; left: number }>(
      `select extract(epoch from now() - authenticated_at)::float8 as age, extract(epoch from ends_at - now())::float8 as left
       from idp.browser_session where grant_id = $1`,
      [decodeJwt(granted.access_token)[sessionClaim]],
    )
    const [{ age, left: seconds }] = rows as [{ age: number; left: number }]
    assert.equal(age < 600, isRecent, `${authTime}: ${age} s`)
    assert.ok(age > -5 && age < 700 && seconds > 3600, 'an old sign-in does not end the session')
  }
})

test('where single sign-on is required, an address can neither use nor reset a password; staff of the operator can', async () => {
  const address = 'cara@north.example'
  const passkey = await withPasskey(await makeAccount(database, address, password))
  await makeAccount(database, 'staff@north.example', password)
  await invite('staff', 'Developer', 'south')
  const { link } = await inviteUser(operator(), {
    tenant: 'north',
    email: 'eve@north.example',
    name: 'Eve',
    role: 'Guest',
  })
  await change('is_required', true)
  try {
    const tab = browser(origin)
    const { page } = await begin(tab)
    left(await tab.go(page, { email: address, password }))
    await fetch(`${origin}/account/password`, {
      method: 'POST',
      body: new URLSearchParams({ connection: 'embedded', email: address }),
    })
    const mails = await database.owner.query('select from mail where recipient = $1', [address])
    assert.equal(mails.rowCount, 0)
    await refusedWith(await fetch(link!), /Sign in with your organisation/, 403)
    const chosen = { method: 'POST', body: new URLSearchParams({ password, repeat: password }) }
    await refusedWith(await fetch(link!, chosen), /Sign in with your organisation/, 403)
    const alone = browser(origin)
    const { page: first } = await begin(alone)
    const asked = optionsIn(await (await alone.go(`${first}/passkey`)).text())
    left(await alone.go(`${first}/passkey`, { response: JSON.stringify(passkey.get(asked)) }))
    const atClient = browser(origin)
    const { page: clients } = await begin(atClient, { client: 'north' })
    const offered = await (await atClient.go(clients)).text()
    assert.match(offered, /name="email"[\s\S]*Continue/)
    assert.match(offered, /Sign in with North ID/)
    const staff = browser(origin)
    const theirs = await begin(staff)
    const way = await (await staff.go(`${theirs.page}/email`, { email: 'staff@north.example' })).text()
    assert.match(way, /name="password"/)
    await theirs.tokens(await staff.go(theirs.page, { email: 'staff@north.example', password }))
  } finally {
    await change('is_required', false)
  }
})

test('where single sign-on becomes required, sessions from a password end, and those of the provider and of staff stay', async () => {
  const refresh = ({ config, tokens }: { config: oidc.Configuration; tokens: { refresh_token?: string } }) =>
    oidc.refreshTokenGrant(config, tokens.refresh_token!)
  const address = 'dora@north.example'
  await makeAccount(database, address, password)
  await makeAccount(database, 'support@north.example', password)
  await invite('support', 'Developer', 'south')
  const own = async (email: string) => {
    const tab = browser(origin)
    const { page, tokens, config } = await begin(tab)
    await tab.go(`${page}?other`)
    return { tab, config, tokens: await tokens(await tab.go(page, { email, password })) }
  }
  const [before, staff, elsewhere] = [await own(address), await own('support@north.example'), await sessionOf('ann')]
  await change('is_required', true)
  try {
    await assert.rejects(refresh(before), { error: 'invalid_grant' })
    assert.ok(await refresh(staff))
    assert.ok(await refresh({ config: elsewhere.config, tokens: elsewhere.granted }))
    const asked = await authorizeUrl(before.config, origin, oidc.randomPKCECodeVerifier())
    assert.match((await before.tab.go(asked)).headers.get('location')!, /^\/login\//)
    assert.match((await elsewhere.tab.go(asked)).headers.get('location')!, /\/callback\?code=/)
  } finally {
    await change('is_required', false)
  }
})

test('no client’s provider signs in the staff of the operator', async () => {
  const { page } = await begin(browser(origin))
  assert.ok(page)
  await database.idp.query('delete from idp.federated_identity where subject = $1', ['subject of ann'])
  const tab = browser(origin)
  const begun = await begin(tab)
  const sent = await tab.go(`${begun.page}/email`, { email: 'ann@north.example' })
  const back = foreign.signIn(left(sent), claimsOf('staff'))
  const response = await tab.go((await tab.go(back)).headers.get('location')!)
  await refusedWith(response, /belongs to the staff/, 403)
})

test('forged ID tokens are refused', async () => {
  const now = () => Math.floor(Date.now() / 1000)
  const bends = {
    nonce: { claims: { nonce: 'another' } },
    'no nonce': { claims: { nonce: undefined as unknown as string } },
    audience: { claims: { aud: 'another client' } },
    issuer: { claims: { iss: 'https://elsewhere.example' } },
    expired: { claims: { exp: now() - 120 } },
    key: { withForeignKey: true },
  }
  for (const [name, bend] of Object.entries(bends)) {
    const tab = browser(origin)
    const { page } = await begin(tab)
    const sent = await tab.go(`${page}/email`, { email: 'ann@north.example' })
    const back = foreign.signIn(left(sent), claimsOf('ann'), bend)
    const response = await tab.go((await tab.go(back)).headers.get('location')!)
    assert.match(await response.text(), /did not confirm the sign-in/, name)
    assert.equal(response.status, 400, name)
    assert.match(server.logged.at(-1)!, /single sign-on failed/, name)
    assert.doesNotMatch(server.logged.join(''), /@north/, name)
  }
})

test('clocks may differ by a minute', async () => {
  const tab = browser(origin)
  const { page, tokens } = await begin(tab)
  const sent = await tab.go(`${page}/email`, { email: 'ann@north.example' })
  const claims = { iat: Math.floor(Date.now() / 1000) - 350, exp: Math.floor(Date.now() / 1000) - 30 }
  const back = foreign.signIn(left(sent), claimsOf('ann'), { claims })
  await tokens(await tab.go((await tab.go(back)).headers.get('location')!))
})

test('a callback counts once, and only in the browser that began the sign-in', async () => {
  const victim = browser(origin)
  const attacker = browser(origin)
  const { page } = await begin(attacker)
  const back = foreign.signIn(left(await attacker.go(`${page}/email`, { email: 'ben@north.example' })), claimsOf('ben'))
  // Login CSRF: the attacker's response in the victim's browser, also while a sign-in of their own is open.
  await begin(victim)
  const there = (await victim.go(back)).headers.get('location')!
  await refusedWith(await victim.go(there), /Please start again/)
  const first = await attacker.go((await attacker.go(back)).headers.get('location')!)
  assert.equal(first.status, 303)
  await refusedWith(await attacker.go(back), /Please start again/)
  await refusedWith(await attacker.go(there), /Please start again/)
  for (const query of ['', '?state=unknown&code=x', '?error=access_denied'])
    await refusedWith(await attacker.go(`/login/sso/callback/${north.id}${query}`), /Please start again/)
})

test('a state of one sign-in does not fit another of the same browser', async () => {
  const tab = browser(origin)
  const one = await begin(tab)
  const back = foreign.signIn(left(await tab.go(`${one.page}/email`, { email: 'ben@north.example' })), claimsOf('ben'))
  const { search } = new URL(back)
  const two = await begin(tab)
  await refusedWith(await tab.go(`${two.page}/sso/${north.id}${search}`), /Please start again/)
})

test('a response of one connection is refused at the address of another', async () => {
  const south = { tenant: 'south', id: randomUUID() }
  await addConnection(south, { domain: 'mixed.example', name: 'Mixed ID' })
  const tab = browser(origin)
  const { page, tokens } = await begin(tab)
  const back = foreign.signIn(left(await tab.go(`${page}/email`, { email: 'ben@north.example' })), claimsOf('ben'))
  const { search } = new URL(back)
  await refusedWith(await tab.go(`/login/sso/callback/${south.id}${search}`), /Please start again/)
  await refusedWith(await tab.go(`${page}/sso/${south.id}${search}`), /Please start again/)
  assert.equal((await tab.go(`/login/sso/callback${search}`)).status, 404)
  await tokens(await tab.go((await tab.go(back)).headers.get('location')!))
})

test('a person who cancels at the provider can try again', async () => {
  const tab = browser(origin)
  const { page } = await begin(tab)
  const sent = left(await tab.go(`${page}/email`, { email: 'ann@north.example' }))
  const state = new URL(sent).searchParams.get('state')!
  const back = `/login/sso/callback/${north.id}?${new URLSearchParams({ error: 'access_denied', state }).toString()}`
  const response = await tab.go((await tab.go(back)).headers.get('location')!)
  await refusedWith(response, /did not sign you in[\s\S]*\?other=yes/)
})

test('a provider asserts only addresses of its own verified domains', async () => {
  await makeAccount(database, 'sue@south.example', password)
  const cases: [JWTPayload, RegExp][] = [
    [{ email: 'sue@south.example' }, /does not belong to a domain/],
    [{ email: 'ann@sub.north.example' }, /does not belong to a domain/],
    [{ email: 'ann@north.example', email_verified: false }, /does not confirm your e-mail/],
    [{ email: undefined }, /did not send your e-mail/],
    [{ email: undefined, preferred_username: 'ann@north.example' }, /did not send your e-mail/],
    [{ email: undefined, email_verified: true, preferred_username: 'ann@north.example' }, /did not send your e-mail/],
  ]
  for (const [more, text] of cases) {
    const { response } = await signIn('newcomer', { more })
    await refusedWith(response, text, 403)
  }
  const { rowCount } = await database.owner.query(`select from idp.account where email like 'newcomer%'`)
  assert.equal(rowCount, 0)
})

test('a linked account is lost to a connection whose domain belongs to another client now', async () => {
  await sessionOf('dan')
  const owner = { tenant: 'south', connectionId: randomUUID(), isRequired: false }
  await database.idp.query('update idp.sso_lookup set tenant_id = $2, connection_id = $3 where domain = $1', [
    ...['north.example', owner.tenant, owner.connectionId],
  ])
  await claimDomain(database.idp, 'north2.example', { tenant: 'north', connectionId: north.id, isRequired: false })
  try {
    const tab = browser(origin)
    const { page } = await begin(tab)
    const sent = left(await tab.go(`${page}/email`, { email: 'dan@north2.example' }))
    const back = foreign.signIn(sent, claimsOf('dan', { email: 'dan@north2.example' }))
    await refusedWith(await tab.go((await tab.go(back)).headers.get('location')!), /does not belong to a domain/, 403)
  } finally {
    await database.idp.query('update idp.sso_lookup set tenant_id = $2, connection_id = $3 where domain = $1', [
      ...['north.example', north.tenant, north.id],
    ])
  }
})

test('people of a domain that is not verified get the password page', async () => {
  await database.owner.query(
    `insert into sso_domain (tenant_id, domain, connection_id, proof) values ('north', 'unverified.example', $1, 'x')`,
    [north.id],
  )
  const tab = browser(origin)
  const { page } = await begin(tab)
  const next = await (await tab.go(`${page}/email`, { email: 'someone@unverified.example' })).text()
  assert.match(next, /name="password"/)
})

test('a provider that cannot be reached is named on the page and in the log', async () => {
  const gone = { tenant: 'south', id: randomUUID() }
  await addConnection(gone, { domain: 'gone.example', name: 'South ID' })
  await database.owner.query(`update sso_connection set issuer = 'http://127.0.0.1:9' where id = $1`, [gone.id])
  const tab = browser(origin)
  const { page } = await begin(tab)
  const response = await tab.go(`${page}/email`, { email: 'someone@gone.example' })
  await refusedWith(response, /‘South ID’ could not be reached/, 502)
  assert.match(server.logged.at(-1)!, new RegExp(`${gone.id}.*single sign-on failed`))
  await database.owner.query(`update sso_connection set issuer = 'http://10.0.0.1' where id = $1`, [gone.id])
  await database.owner.query('update sso_connection set changed_at = now() where id = $1', [gone.id])
  await refusedWith(await tab.go(`${page}/email`, { email: 'someone@gone.example' }), /could not be reached/, 502)
  assert.match(server.logged.at(-1)!, /not public/)
  let calls = 0
  const broken = createServer((_request, response) => {
    calls += 1
    response.writeHead(500).end()
  })
  await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve))
  await database.owner.query('update sso_connection set issuer = $2, changed_at = now() where id = $1', [
    gone.id,
    `http://127.0.0.1:${(broken.address() as AddressInfo).port}`,
  ])
  for (let tries = 0; tries < 3; tries++)
    assert.equal((await tab.go(`${page}/email`, { email: 'someone@gone.example' })).status, 502)
  assert.equal(calls, 1, 'a failure is kept for half a minute')
  broken.close()
})

test('a second factor of the provider counts; otherwise Caretaker asks for its own', async () => {
  const policy = JSON.stringify({ signInPolicy: { secondFactorRoles: ['Manager'] } })
  await database.owner.query(`update tenant set settings = settings || $1::jsonb where id = 'north'`, [policy])
  try {
    const asked = await signIn('ann')
    const page = await asked.tab.go(asked.response.headers.get('location')!)
    assert.match(await page.text(), /Add a second factor/)
    const checked = await sessionOf('ann', { more: { amr: ['pwd', 'mfa'] } })
    assert.deepEqual(rolesIn(checked.session), ['north Manager'])
    await change('checks_second_factor', true)
    const trusted = await sessionOf('ann')
    assert.deepEqual(rolesIn(trusted.session), ['north Manager'])
  } finally {
    await change('checks_second_factor', false)
    await requireNoSecondFactor(database, 'north')
  }
})

test('the provider of one client does not replace the second factor that another client requires', async () => {
  const account = await makeAccount(database, 'both@north.example', password)
  await invite('both', 'Guest', 'north')
  const policy = (tenant: string) =>
    database.owner.query(`update tenant set settings = settings || $2::jsonb where id = $1`, [
      tenant,
      JSON.stringify({ signInPolicy: { secondFactorRoles: ['Manager', 'Guest'] } }),
    ])
  await policy('north')
  await change('checks_second_factor', true)
  const pageOf = async ({ tab, response }: Awaited<ReturnType<typeof signIn>>) =>
    (await tab.go(response.headers.get('location')!)).text()
  try {
    const { granted, config } = await sessionOf('both')
    await invite('both', 'Manager', 'south')
    const joined = await sessionOf('both')
    assert.deepEqual(rolesIn(joined.session).toSorted(), ['north Guest', 'south Manager'])
    await policy('south')
    // Neither the refresh token from before nor the provider's word is enough for the other client.
    await assert.rejects(oidc.refreshTokenGrant(config, granted.refresh_token!))
    assert.match(await pageOf(await signIn('both')), /Add a second factor/)
    const passkey = await withPasskey(account)
    const asked = await signIn('both', { more: { amr: ['mfa'] } })
    const html = await pageOf(asked)
    const sent = { response: JSON.stringify(passkey.get(optionsIn(html))) }
    const { access_token: token } = await asked.tokens(await asked.tab.go(`${asked.page}/passkey`, sent))
    assert.ok(await isOpen(token))
  } finally {
    await change('checks_second_factor', false)
    await requireNoSecondFactor(database, 'north')
    await requireNoSecondFactor(database, 'south')
  }
})

test('a sign-in that is not finished ends with its connection', async () => {
  const account = await makeAccount(database, 'late@north.example', password)
  const passkey = await withPasskey(account)
  const release = () => releaseDomain(database.idp, 'north', 'north.example')
  const claim = () =>
    claimDomain(database.idp, 'north.example', { tenant: 'north', connectionId: north.id, isRequired: false })
  const asked = async () => {
    const at = await signIn('late')
    const step = at.response.headers.get('location')!
    return { ...at, step, options: optionsIn(await (await at.tab.go(step)).text()) }
  }
  const answered = async ({ tab, page, options }: Awaited<ReturnType<typeof asked>>) =>
    tab.go(`${page}/passkey`, { response: JSON.stringify(passkey.get(options)) })

  // Sessions of others, and the sign-ins of another subject, stay.
  const open = await asked()
  await endProviderSessions(database.idp, { connectionId: north.id, account: randomUUID() })
  await endProviderSessions(database.idp, { connectionId: randomUUID() })
  await open.tokens(await answered(open))

  const removed = await asked()
  await endProviderSessions(database.idp, { connectionId: north.id, account })
  await refusedWith(await removed.tab.go(removed.step), /Please start again/)
  await refusedWith(await answered(removed), /Please start again/)

  const done = await asked()
  const last = await answered(done)
  assert.equal(last.status, 303)
  await endProviderSessions(database.idp, { connectionId: north.id })
  await assert.rejects(done.tokens(last))

  // Without the statement that deletes sign-ins: it runs before a sign-in is stored.
  const [before, after] = [await asked(), await asked()]
  const stored = await answered(after)
  await release()
  try {
    await refusedWith(await answered(before), /Please start again/)
    await assert.rejects(after.tokens(stored))
    const { page } = await begin(after.tab)
    assert.match(page, /^\/login\//, 'the browser is not signed in')
  } finally {
    await claim()
  }
})

test('sign-ins that succeed are not counted', async () => {
  const keys = ['127.0.0.1', '::1'].map((address) => ['single sign-on', callerOf(address), north.id])
  for (const key of keys) await resetCount(database.db, key)
  await sessionOf('ann')
  for (const key of keys) assert.equal(await count(database.db, key, 900), 1)
})

test('people in a group of the table become members, and their role follows their groups', async () => {
  // Another manager, because the last one keeps the access.
  await sessionOf('ann')
  const give = (group: string, role: Role, position: number) =>
    database.owner.query(
      `insert into group_access (tenant_id, id, group_name, role, position) values ('north', gen_random_uuid(), $1, $2, $3)`,
      [group, role, position],
    )
  await give('Housing', 'Manager', 0)
  await give('Lights', 'LightingEngineer', 1)
  const withGroups = async (groups: string[] | undefined, more: JWTPayload = {}) =>
    rolesIn((await sessionOf('joan', { more: { ...more, groups } as JWTPayload })).session)
  assert.deepEqual(await withGroups(['Others']), [], 'no group of the table')
  assert.deepEqual(await withGroups(['Lights']), ['north LightingEngineer'])
  assert.deepEqual(await withGroups(['Lights', 'Housing']), ['north Manager'])
  assert.deepEqual(await withGroups(undefined, { _claim_names: { groups: 'src1' } }), ['north Manager'], 'too many')
  assert.match(server.logged.join(''), /do not fit/)
  assert.deepEqual(await withGroups(undefined), [], 'the claim is missing')
  assert.deepEqual(await withGroups(['Housing']), ['north Manager'])
  assert.deepEqual(await withGroups([]), [])
  // An invited member does not come from the directory.
  const ann = await sessionOf('ann', { more: { groups: ['Lights'] } as JWTPayload })
  assert.deepEqual(rolesIn(ann.session), ['north Manager'])
  await change('creates_members', false)
  assert.deepEqual(await withGroups(['Lights']), [])
  const { rows } = await database.owner.query<{ action: string; by: string }>(
    `select action, person_name as by from audit_entry where tenant_id = 'north' and subject_name = 'Name of joan'
       and action like 'user %' order by at`,
  )
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['user created', 'user role changed', 'user deleted', 'user created', 'user deleted'],
  )
  assert.ok(rows.every(({ by }) => by === 'Single sign-on: North ID'))
})

test('the portal’s sign-out offers that of the provider, only where it has signed the browser in', async () => {
  const { tab, config, granted } = await sessionOf('ann')
  const out = await tab.signOut(config, granted.id_token!)
  assert.equal(await isOpen(granted.access_token), false)
  const page = await (await tab.go(out.headers.get('location')!)).text()
  assert.match(page, /Sign out of North ID too/)
  assert.match(page, new RegExp(`${foreign.issuer}/end\\?client_id=caretaker`))
  const other = browser(origin)
  await makeAccount(database, 'sue@south.example', password)
  const begun = await begin(other)
  const tokens = await begun.tokens(await other.go(begun.page, { email: 'sue@south.example', password }))
  const plain = await other.signOut(begun.config, tokens.id_token!)
  assert.equal(plain.headers.get('location'), `${origin}/`)
})

test('a logout token of the provider ends the sessions of its session or subject, and no others', async () => {
  const send = async (token: string, connection = north.id) =>
    fetch(`${origin}/login/sso/back-channel/${connection}`, {
      method: 'POST',
      body: new URLSearchParams({ logout_token: token }),
    })
  const [first, second, other] = [
    await sessionOf('ann', { more: { sid: 'one' } }),
    await sessionOf('ann', { more: { sid: 'two' } }),
    await sessionOf('ben', { more: { sid: 'three' } }),
  ]
  const open = async () => Promise.all([first, second, other].map(({ granted }) => isOpen(granted.access_token)))
  const sub = 'subject of ann'
  const wrong: [string, Promise<string>][] = [
    ['issuer', foreign.logoutToken({ sub, iss: 'https://elsewhere.example' })],
    ['audience', foreign.logoutToken({ sub, aud: 'another' })],
    ['key', foreign.logoutToken({ sub }, { withForeignKey: true })],
    ['event', foreign.logoutToken({ sub, events: {} })],
    ['nonce', foreign.logoutToken({ sub, nonce: 'x' })],
    ['neither subject nor session', foreign.logoutToken({})],
    ['old', foreign.logoutToken({ sub, iat: Math.floor(Date.now() / 1000) - 3600 })],
    ['no id', foreign.logoutToken({ sub, jti: undefined })],
    ['no end', foreign.logoutToken({ sub, exp: undefined })],
    ['type', foreign.logoutToken({ sub }, { type: 'at+jwt' })],
    ['general type', foreign.logoutToken({ sub }, { type: 'JWT' })],
    ['no type', foreign.logoutToken({ sub }, { type: '' })],
    ['no token', Promise.resolve('x')],
  ]
  for (const [name, token] of wrong) {
    const refused = await send(await token)
    assert.equal(refused.status, 400, name)
    const { error_description: text } = (await refused.json()) as { error_description: string }
    assert.equal(text, 'The logout token is not valid.')
  }
  assert.equal((await send(await foreign.logoutToken({ sub }), randomUUID())).status, 400, 'unknown connection')
  assert.deepEqual(await open(), [true, true, true])
  const token = await foreign.logoutToken({ sid: 'one' })
  const ended = await send(token)
  assert.equal(ended.status, 200)
  assert.equal(ended.headers.get('cache-control'), 'no-store')
  assert.deepEqual(await open(), [false, true, true])
  assert.equal((await send(token)).status, 400, 'counts once')
  assert.equal((await send(await foreign.logoutToken({ sub, sid: 'three' }))).status, 200)
  assert.deepEqual(await open(), [false, true, true], 'the session of another subject')
  assert.equal((await send(await foreign.logoutToken({ sub }))).status, 200)
  assert.deepEqual(await open(), [false, false, true])
})

test('a logout token for a subject and session also ends browsers whose session the provider did not name', async () => {
  const [unnamed, named] = [await sessionOf('ann'), await sessionOf('ann', { more: { sid: 'four' } })]
  const token = await foreign.logoutToken({ sub: 'subject of ann', sid: 'five' })
  const body = new URLSearchParams({ logout_token: token })
  await fetch(`${origin}/login/sso/back-channel/${north.id}`, { method: 'POST', body })
  assert.deepEqual(
    [await isOpen(unnamed.granted.access_token), await isOpen(named.granted.access_token)],
    [false, true],
  )
})

test('the sessions that a client’s connections have started end with the client', async () => {
  const { granted } = await sessionOf('ann')
  await endSessionsOfClient(database.idp, 'south')
  assert.ok(await isOpen(granted.access_token))
  await endSessionsOfClient(database.idp, 'north')
  assert.equal(await isOpen(granted.access_token), false)
})
