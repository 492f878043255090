import assert from 'node:assert/strict'
import { afterAll, beforeAll, beforeEach, test } from 'vitest'
import * as oidc from 'openid-client'
import { Secret, TOTP } from 'otpauth'
import * as account from '@caretaker/contract/account.ts'
import { createApiKey } from '@caretaker/contract/api-keys.ts'
import { deleteUser, endUserSessions, resetUserSecondFactor } from '@caretaker/contract/people.ts'
import type { Answer, Route, Sent } from '@caretaker/contract/route.ts'
import { getSession } from '@caretaker/contract/session.ts'
import { getSignInPolicy, setSignInPolicy } from '@caretaker/contract/tenants.ts'
import { addWebhook } from '@caretaker/contract/webhooks.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { factorsOf, hasFactor } from '../../idp/factors.ts'
import { forgetSignIns } from '../../idp/retention.ts'
import { actorOf } from '../../http/access.ts'
import type { Person } from '../../identity/person.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { endSessions, resetSecondFactor } from '../people/service.ts'
import type { TestDatabase } from '../../testing/database.ts'
import { testDatabase } from '../../testing/database.ts'
import { testPasskey } from '../../testing/passkey.ts'
import type { Provider } from '../../testing/sign-in.ts'
import { authorizeUrl, makeAccount, signInAs, startProvider } from '../../testing/sign-in.ts'

let database: TestDatabase
let provider: Provider
let origin: string
const password = 'a long password'

beforeAll(async () => {
  database = await testDatabase()
  provider = await startProvider(database)
  ;({ origin } = provider)
  for (const tenant of ['north', 'south'])
    await database.owner.query('insert into tenant (id, display_name) values ($1, $1)', [tenant])
})
beforeEach(async () => {
  await database.owner.query('delete from throttle')
  await database.owner.query(`update tenant set settings = '{}'`)
})
afterAll(async () => {
  await provider.app.close()
  await database.drop()
})

let people = 0
/** A signed-in member of these clients, who makes calls like the portal. */
async function member(role: Role, tenants = ['north']) {
  const name = `person${(people += 1)}`
  const email = `${name}@north.test`
  const id = await makeAccount(database, email, password)
  const memberIds: Record<string, string> = {}
  await database.owner.query(
    `insert into person (id, issuer, subject, email, email_verified, name)
     values (gen_random_uuid(), 'embedded', $1::text, $2, true, $3)`,
    [id, email, name],
  )
  for (const tenant of tenants) {
    const { rows } = await database.owner.query<{ id: string }>(
      `insert into membership (tenant_id, id, person_id, email, name, role)
       select $1, gen_random_uuid(), id, $2, name, $3 from person where subject = $4::text returning id`,
      [tenant, email, role, id],
    )
    memberIds[tenant] = rows[0]!.id
  }
  const signedIn = await signInAs(origin, { email, password })
  return { id, name, email, memberId: memberIds.north!, ...signedIn, call: callWith(signedIn.tokens.access_token) }
}

// oxlint-disable-next-line typescript/no-explicit-any -- an answer may be a refusal; tests look into both
type Wire<T> = { status: number; headers: Headers; body: Answer<T> & Record<string, any> }
const callWith =
  (token: string) =>
  async <T extends Route>(route: T, sent: Sent<T>): Promise<Wire<T>> => {
    const { params = {}, body } = sent as { params?: Record<string, string>; body?: unknown }
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]!))
    const response = await fetch(origin + path, {
      method: route.method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: (text && JSON.parse(text)) as Wire<T>['body'] }
  }
const nothing = {}
const codeOf = (key: string) => new TOTP({ secret: Secret.fromBase32(key) }).generate()
/** Backdates all sign-ins by this many minutes. */
const age = ({ id }: { id: string }, minutes: number) =>
  database.owner.query(
    `update idp.browser_session set authenticated_at = authenticated_at - make_interval(mins => $2) where account_id = $1`,
    [id, minutes],
  )
const actionsIn = async (tenant: string, name: string) =>
  (
    await database.owner.query<{ action: string; person: string }>(
      `select action, person_name as person from audit_entry where tenant_id = $1 and subject_name = $2 order by at, id`,
      [tenant, name],
    )
  ).rows.map(({ action, person }) => `${action} by ${person}`)

test('a person adds a passkey and an authenticator app, gets recovery codes once, and removes both', async () => {
  const { call, name } = await member('Guest')
  const passkey = testPasskey(origin)
  const options = await call(account.beginPasskey, nothing)
  const response = passkey.create(options.body as never)
  const added = await call(account.addPasskey, { body: { name: 'Phone', response } })
  assert.equal(added.status, 200)
  assert.equal(added.body.recoveryCodes!.length, 10)
  assert.equal((await call(account.addPasskey, { body: { name: 'Phone', response } })).status, 422, 'used up')
  const { body: app } = await call(account.beginAuthenticatorApp, nothing)
  assert.match(app.address, /^otpauth:\/\/totp\/Caretaker:person/)
  assert.equal((await call(account.addAuthenticatorApp, { body: { code: '000000' } })).status, 422)
  assert.equal((await call(account.addAuthenticatorApp, { body: { code: codeOf(app.key) } })).body.recoveryCodes, null)
  const { body } = await call(account.getAccountSecurity, nothing)
  assert.deepEqual(
    [body.isAvailable, body.isRequired, body.passkeys.map((one) => one.name), body.recoveryCodesLeft],
    [true, false, ['Phone'], 10],
  )
  const renewed = await call(account.renewRecoveryCodes, nothing)
  assert.notDeepEqual(renewed.body.recoveryCodes, added.body.recoveryCodes)
  await database.owner.query('update idp.recovery_code set used_at = now()')
  assert.equal((await call(account.removePasskey, { params: { passkeyId: passkey.id } })).status, 204)
  assert.equal((await call(account.removePasskey, { params: { passkeyId: passkey.id } })).status, 404)
  const { recoveryCodesLeft } = (await call(account.getAccountSecurity, nothing)).body
  assert.equal(recoveryCodesLeft, 0, 'no codes that nobody has seen')
  assert.equal((await call(account.removeAuthenticatorApp, nothing)).status, 204)
  const after = await call(account.getAccountSecurity, nothing)
  assert.deepEqual([after.body.authenticatorAppAddedAt, after.body.recoveryCodesLeft], [null, 0])
  assert.equal((await actionsIn('north', name)).filter((one) => one === `second factor changed by ${name}`).length, 5)
})

test('nobody removes the passkey of another person', async () => {
  const [one, other] = [await member('Guest'), await member('Guest')]
  const passkey = testPasskey(origin)
  const response = passkey.create((await one.call(account.beginPasskey, nothing)).body as never)
  await one.call(account.addPasskey, { body: { name: 'Phone', response } })
  assert.equal((await other.call(account.removePasskey, { params: { passkeyId: passkey.id } })).status, 404)
  const foreign = testPasskey(origin).create((await one.call(account.beginPasskey, nothing)).body as never)
  assert.equal((await other.call(account.addPasskey, { body: { name: 'Mine', response: foreign } })).status, 422)
  assert.equal((await one.call(account.getAccountSecurity, nothing)).body.passkeys.length, 1)
})

test('the last factor stays while a client requires one', async () => {
  const manager = await member('Manager')
  const { call } = manager
  const { body: app } = await call(account.beginAuthenticatorApp, nothing)
  await call(account.addAuthenticatorApp, { body: { code: codeOf(app.key) } })
  const policy = { secondFactorRoles: ['Manager' as const], idleMinutes: 60, sessionHours: 12 }
  assert.equal((await call(setSignInPolicy, { params: { tenant: 'north' }, body: policy })).status, 204)
  assert.equal((await call(account.removeAuthenticatorApp, nothing)).status, 422)
  await call(setSignInPolicy, { params: { tenant: 'north' }, body: { ...policy, secondFactorRoles: [] } })
  assert.equal((await call(account.removeAuthenticatorApp, nothing)).status, 204)
})

test('factors, users, keys, webhooks and client settings need a sign-in of the last ten minutes', async () => {
  const manager = await member('Manager')
  const { call, tab, config } = manager
  const tenant = 'north'
  const leaver = await member('Guest')
  const policy = { secondFactorRoles: [], idleMinutes: 60, sessionHours: 12 }
  const webhook = { name: 'Hook', url: 'https://hooks.test/', events: ['test.finished' as const] }
  const key = { name: 'Key', role: 'Guest' as const, tagIds: [], expiresInDays: 30 }
  const calls = [
    () => call(account.beginPasskey, nothing),
    () => call(account.beginAuthenticatorApp, nothing),
    () => call(deleteUser, { params: { tenant, id: leaver.memberId } }),
    () => call(endUserSessions, { params: { tenant, id: leaver.memberId } }),
    () => call(resetUserSecondFactor, { params: { tenant, id: leaver.memberId } }),
    () => call(createApiKey, { params: { tenant }, body: key }),
    () => call(addWebhook, { params: { tenant }, body: webhook }),
    () => call(setSignInPolicy, { params: { tenant }, body: policy }),
  ]
  await age(manager, 11)
  for (const make of calls) {
    const { status, headers, body } = await make()
    assert.equal(status, 401)
    assert.match(headers.get('www-authenticate')!, /error="insufficient_user_authentication", max_age="600"/)
    assert.equal(body.message, 'Sign in again to confirm that it is you.')
  }
  assert.equal((await call(getSession, nothing)).status, 200, 'all else goes on')
  const page = await tab.go(await authorizeUrl(config, origin, oidc.randomPKCECodeVerifier(), { prompt: 'login' }))
  const back = await tab.go(page.headers.get('location')!, { email: manager.email, password })
  await tab.follow(back, `${origin}/callback`)
  for (const make of calls) assert.notEqual((await make()).status, 401)
})

test('a person sees the browsers in which they are signed in, and ends one or all others', async () => {
  const one = await member('Guest')
  const other = await member('Guest')
  const credentials = { email: one.email, password }
  const [second, third] = [await signInAs(origin, credentials), await signInAs(origin, credentials)].map(
    ({ tokens, tab, config }) => ({
      ...{ tokens, tab, config, call: callWith(tokens.access_token) },
    }),
  )
  const { body } = await one.call(account.getBrowserSessions, nothing)
  assert.equal(body.results.length, 3)
  assert.equal(body.results.filter(({ isCurrent }) => isCurrent).length, 1)
  assert.equal(body.results[0]!.network, '127.0.0.0/24')
  const own = (await second!.call(account.getBrowserSessions, nothing)).body.results.find((row) => row.isCurrent)!
  const { id: sessionId } = own
  assert.equal((await other.call(account.endBrowserSession, { params: { sessionId } })).status, 404)
  const changedAt = async ({ id }: { id: string }) => (await factorsOf(database.idp, id)).changedAt
  const [before, beforeOther] = [await changedAt(one), await changedAt(other)]
  assert.equal((await one.call(account.endBrowserSession, { params: { sessionId } })).status, 204)
  assert.ok(Number(await changedAt(one)) > Number(before), 'remembered browsers are forgotten')
  assert.deepEqual(await changedAt(other), beforeOther)
  assert.equal((await second!.call(getSession, nothing)).status, 401)
  await assert.rejects(oidc.refreshTokenGrant(second!.config, second!.tokens.refresh_token!), {
    error: 'invalid_grant',
  })
  const asked = await second!.tab.go(await authorizeUrl(second!.config, origin, oidc.randomPKCECodeVerifier()))
  assert.match(asked.headers.get('location')!, /\/login\//, 'the browser has to sign in again')
  assert.deepEqual((await one.call(account.endOtherBrowserSessions, nothing)).body, { ended: 1 })
  assert.equal((await third!.call(getSession, nothing)).status, 401)
  assert.equal((await one.call(getSession, nothing)).status, 200)
  assert.equal((await other.call(getSession, nothing)).status, 200)
})

test('a manager ends the sessions of a user; a guest may not, and users of other clients are not found', async () => {
  const [manager, guest, user] = [await member('Manager'), await member('Guest'), await member('Guest')]
  const foreign = await member('Guest', ['south'])
  const [elsewhere, admin] = [await member('Guest', ['north', 'south']), await member('Admin')]
  const end = (by: typeof manager, id: string) => by.call(endUserSessions, { params: { tenant: 'north', id } })
  assert.equal((await end(guest, user.memberId)).status, 403)
  const { rows } = await database.owner.query<{ id: string }>('select id from membership where email = $1', [
    foreign.email,
  ])
  assert.equal((await end(manager, rows[0]!.id)).status, 404)
  assert.equal((await end(manager, user.memberId)).status, 204)
  assert.equal((await user.call(getSession, nothing)).status, 401)
  assert.equal((await foreign.call(getSession, nothing)).status, 200)
  const refused = await end(manager, elsewhere.memberId)
  assert.deepEqual(
    [refused.status, refused.body.message],
    [422, 'This user belongs to other clients too. Please ask support to sign them out.'],
  )
  assert.equal((await elsewhere.call(getSession, nothing)).status, 200)
  assert.equal((await end(admin, elsewhere.memberId)).status, 204)
  assert.equal((await elsewhere.call(getSession, nothing)).status, 401)
  assert.ok((await actionsIn('north', user.name)).includes(`sessions ended by ${manager.name}`))
})

test('a member who has become another person since their clients were looked at keeps sessions and second factor', async () => {
  const [manager, user] = [await member('Manager'), await member('Guest')]
  const { rows } = await database.owner.query<{ id: string }>('select id from person where subject = $1', [manager.id])
  const person = { id: rows[0]!.id, name: manager.name } as Person
  for (const change of [endSessions, resetSecondFactor]) {
    const late = inTenant(database.product.db, 'north', async (tx) => {
      const asking = { tx, context: provider.context, person, actor: await actorOf(tx, person) }
      return change(asking, { id: user.memberId, personId: null })
    })
    await assert.rejects(late, { code: 'conflict' })
  }
  assert.equal((await user.call(getSession, nothing)).status, 200)
})

test('a manager resets the second factor of a user, who is signed out and gets an e-mail; not of members of other clients, nor their own', async () => {
  const [manager, guest, user] = [await member('Manager'), await member('Guest'), await member('Guest')]
  const elsewhere = await member('Guest', ['north', 'south'])
  const withApp = async (who: typeof user) => {
    const { body: app } = await who.call(account.beginAuthenticatorApp, nothing)
    await who.call(account.addAuthenticatorApp, { body: { code: codeOf(app.key) } })
  }
  await withApp(user)
  await withApp(elsewhere)
  await database.owner.query('delete from mail')
  const reset = (by: typeof manager, { memberId }: { memberId: string }) =>
    by.call(resetUserSecondFactor, { params: { tenant: 'north', id: memberId } })
  assert.equal((await reset(guest, user)).status, 403)
  assert.equal((await reset(manager, elsewhere)).status, 422)
  assert.equal((await reset(manager, manager)).status, 403)
  assert.equal((await reset(manager, user)).status, 204)
  assert.equal(hasFactor(await factorsOf(database.idp, user.id)), false)
  assert.equal(hasFactor(await factorsOf(database.idp, elsewhere.id)), true)
  assert.equal((await user.call(getSession, nothing)).status, 401)
  const { rows } = await database.owner.query<{ recipient: string; text: string }>('select recipient, text from mail')
  assert.deepEqual(
    rows.map(({ recipient }) => recipient),
    [user.email],
  )
  assert.match(rows[0]!.text, new RegExp(`reset by ${manager.name}`))
  assert.ok((await actionsIn('north', user.name)).includes(`second factor reset by ${manager.name}`))
})

test('a session ends after the idle time or the longest time of the strictest client', async () => {
  const manager = await member('Manager')
  const policy = { secondFactorRoles: [], idleMinutes: 15, sessionHours: 1 }
  await manager.call(setSignInPolicy, { params: { tenant: 'north' }, body: policy })
  const limits = async (who: { id: string }) => {
    const { rows } = await database.owner.query<{ idle: number; whole: number }>(
      `select round(extract(epoch from idle_ends_at - last_used_at) / 60)::int as idle,
         round(extract(epoch from ends_at - signed_in_at) / 60)::int as whole
       from idp.browser_session where account_id = $1`,
      [who.id],
    )
    return rows[0]
  }
  assert.deepEqual(await limits(manager), { idle: 1450, whole: 20_160 }, 'until the next token')
  const { config, tokens, call, tab } = manager
  const renewed = await oidc.refreshTokenGrant(config, tokens.refresh_token!)
  assert.deepEqual(await limits(manager), { idle: 25, whole: 60 })
  const both = await member('Guest', ['north', 'south'])
  assert.deepEqual(await limits(both), { idle: 25, whole: 60 })
  for (const limit of ['idle_ends_at', 'ends_at']) {
    await database.owner.query(`update idp.browser_session set ${limit} = now() where account_id = $1`, [manager.id])
    assert.equal((await call(getSession, nothing)).status, 401)
    await assert.rejects(oidc.refreshTokenGrant(config, renewed.refresh_token!), { error: 'invalid_grant' })
    const asked = await tab.go(await authorizeUrl(config, origin, oidc.randomPKCECodeVerifier()))
    assert.match(asked.headers.get('location')!, /\/login\//)
    await database.owner.query(
      `update idp.browser_session set ${limit} = now() + interval '1 hour' where account_id = $1`,
      [manager.id],
    )
  }
  const policyOfAll = { secondFactorRoles: [], idleMinutes: 1440, sessionHours: 336 }
  assert.equal((await call(setSignInPolicy, { params: { tenant: 'north' }, body: policyOfAll })).status, 204)
})

test('a session that is over stays over after the hourly clean-up, and open ones stay open', async () => {
  for (const limit of ['idle_ends_at', 'ends_at']) {
    const [over, open] = [await member('Guest'), await member('Guest')]
    await database.owner.query(`update idp.browser_session set ${limit} = now() where account_id = $1`, [over.id])
    await assert.rejects(oidc.refreshTokenGrant(over.config, over.tokens.refresh_token!), { error: 'invalid_grant' })
    assert.ok((await forgetSignIns(database.idp)) > 0)
    assert.equal((await over.call(getSession, nothing)).status, 401)
    await assert.rejects(oidc.refreshTokenGrant(over.config, over.tokens.refresh_token!), { error: 'invalid_grant' })
    const asked = await over.tab.go(await authorizeUrl(over.config, origin, oidc.randomPKCECodeVerifier()))
    assert.match(asked.headers.get('location')!, /\/login\//)
    assert.equal((await open.call(getSession, nothing)).status, 200)
    assert.ok(await oidc.refreshTokenGrant(open.config, open.tokens.refresh_token!))
  }
})

test('managers of all of a client set its sign-in policy; guests do not, and only internal roles decide about themselves', async () => {
  const [manager, admin, guest] = [await member('Manager'), await member('Admin'), await member('Guest')]
  const policy = { secondFactorRoles: ['Guest' as const], idleMinutes: 60, sessionHours: 24 }
  const set = (by: typeof manager, body: object) =>
    by.call(setSignInPolicy, { params: { tenant: 'north' }, body: { ...policy, ...body } })
  assert.equal((await guest.call(getSignInPolicy, { params: { tenant: 'north' } })).status, 403)
  assert.equal((await set(guest, {})).status, 403)
  assert.equal((await set(manager, {})).status, 204)
  assert.equal((await set(manager, { secondFactorRoles: ['Guest', 'Admin'] })).status, 403)
  assert.equal((await set(admin, { secondFactorRoles: ['Guest', 'Admin'] })).status, 204)
  assert.equal((await set(manager, { secondFactorRoles: [] })).status, 403)
  assert.equal((await set(manager, { idleMinutes: 5 })).status, 400)
  const { version: _, ...body } = (await manager.call(getSignInPolicy, { params: { tenant: 'north' } })).body
  assert.deepEqual(body, { ...policy, secondFactorRoles: ['Admin', 'Guest'].sort(), isEmbedded: true })
  await set(admin, { secondFactorRoles: [] })
})
