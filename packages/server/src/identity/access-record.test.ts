import assert from 'node:assert/strict'
import { afterAll, beforeAll, beforeEach, test } from 'vitest'
import { getAudit } from '@caretaker/contract/audit.ts'
import { createUser, listUsers } from '@caretaker/contract/people.ts'
import { inviteManager } from '@caretaker/contract/tenant-administration.ts'
import type { AuditAction } from '@caretaker/rules/audit/audit.ts'
import { makeKey } from '../testing/api-key.ts'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import type { Provider } from '../testing/sign-in.ts'
import { browser, makeAccount, openSignIn, signInAs, startProvider } from '../testing/sign-in.ts'
import { passwordToken } from './password-link.ts'
import { recordRefusal } from './access-record.ts'

const admin = 'admin@north.test'
const priya = { email: 'priya@north.test', password: 'a long password' }
const here = '198.51.100.1'
let app: TestApp
let provider: Provider
let account: string

beforeAll(async () => {
  app = await testApp()
  for (const tenant of ['north', 'south', 'west']) {
    await app.addTenant(tenant)
    await app.addMember(tenant, admin, 'Admin')
  }
  account = await makeAccount(app.database, priya.email, priya.password)
  await app.database.owner.query(
    `with priya as (insert into person (id, issuer, subject, email, email_verified, name)
       values (gen_random_uuid(), 'embedded', $1, $2, true, 'Priya') returning id)
     insert into membership (tenant_id, id, person_id, email, name, role)
     select tenant, gen_random_uuid(), id, $2, 'Priya', 'Manager' from priya, unnest('{north,south}'::text[]) as tenant`,
    [account, priya.email],
  )
  provider = await startProvider(app.database, { CARETAKER_TRUSTED_PROXIES: '1' })
})
afterAll(async () => {
  await provider.app.close()
  await app.close()
})
beforeEach(async () => {
  await app.database.owner.query('delete from throttle; delete from audit_entry')
  provider.logged.length = 0
})

const entries = async (tenant: string, action: AuditAction) =>
  (await app.send(getAudit, { params: { tenant }, query: { action } }, admin)).body.results
/** Failures are recorded after the response is sent. */
async function entriesBecome(count: number, tenant: string, action: AuditAction) {
  for (let look = 0; look < 100 && (await entries(tenant, action)).length < count; look++)
    await new Promise((resolve) => setTimeout(resolve, 20))
  const found = await entries(tenant, action)
  assert.equal(found.length, count)
  return found
}
const signInLines = (of: Pick<Provider, 'logged'>) =>
  of.logged
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg === 'sign-in')
    .map(({ action, account: whose, caller, reason, level }) => ({ action, account: whose, caller, reason, level }))

async function tries(form: { email: string; password: string }) {
  const tab = browser(provider.origin)
  const page = await openSignIn(tab, provider.origin)
  return (await tab.go(page, form, { 'x-forwarded-for': here })).status
}

test('a sign-in is in the audit of each client of the person, of no other client, and in the log without the e-mail', async () => {
  assert.equal(await tries(priya), 303)
  for (const tenant of ['north', 'south']) {
    const [entry, ...more] = await entries(tenant, 'signed in')
    assert.deepEqual(
      [entry!.userName, entry!.subjectType, entry!.subject, entry!.before, entry!.after],
      ['priya', 'user', 'priya', null, { caller: here }],
    )
    assert.deepEqual(more, [])
  }
  assert.deepEqual(await entries('west', 'signed in'), [])
  assert.deepEqual(signInLines(provider), [
    { action: 'signed in', account, caller: here, reason: undefined, level: 30 },
  ])
  assert.ok(!provider.logged.join('').includes('@'))
})

test('a failed sign-in is in the client’s audit with account, address and reason; for an unknown account it is only in the log', async () => {
  assert.equal(await tries({ ...priya, password: 'wrong and secret' }), 401)
  const [entry] = await entriesBecome(1, 'north', 'sign-in failed')
  assert.deepEqual(
    [entry!.userName, entry!.subject, entry!.after],
    ['Unknown caller', 'priya', { caller: here, reason: 'wrong password' }],
  )
  assert.equal(await tries({ email: 'nobody@north.test', password: 'wrong and secret' }), 401)
  assert.deepEqual(
    signInLines(provider).map(({ action, account: whose, reason }) => [action, whose, reason]),
    [
      ['sign-in failed', account, 'wrong password'],
      ['sign-in failed', null, 'unknown e-mail'],
    ],
  )
  const { rows } = await app.database.owner.query<{ entry: string }>(
    'select audit_entry::text as entry from audit_entry',
  )
  for (const text of [provider.logged.join(''), ...rows.map((row) => row.entry)])
    assert.doesNotMatch(text, /secret|nobody@/)
  await entriesBecome(1, 'north', 'sign-in failed')
})

test('a lock-out is recorded once, however many attempts follow', async () => {
  for (let at = 0; at < 13; at++) await tries({ ...priya, password: 'wrong' })
  const [entry] = await entriesBecome(1, 'south', 'sign-in locked out')
  assert.deepEqual(entry!.after, { caller: here, reason: 'wrong passwords of this caller' })
  await entriesBecome(10, 'south', 'sign-in failed')
})

test('a new password is recorded, for invited users too', async () => {
  await app.send(
    createUser,
    { params: { tenant: 'west' }, body: { name: 'Ida', email: 'ida@west.test', role: 'Guest', tags: [] } },
    admin,
  )
  const { rows } = await app.database.owner.query<{ id: string }>(
    `select id from idp.account where email = 'ida@west.test'`,
  )
  const link = `/account/password/${await passwordToken(app.database.idp, rows[0]!.id)}`
  const { password } = priya
  const headers = { 'x-forwarded-for': here }
  assert.equal((await browser(provider.origin).go(link, { password, repeat: password }, headers)).status, 200)
  const [entry] = await entries('west', 'password changed')
  assert.deepEqual([entry!.userName, entry!.subject, entry!.after], ['Ida', 'Ida', { caller: here }])
  await signInAs(provider.origin, { email: 'ida@west.test', password })
  assert.equal((await entries('west', 'signed in')).length, 1)
  for (const text of provider.logged) assert.ok(!text.includes(password) && !text.includes(link.split('/').at(-1)!))
})

test('a call refused for a missing right is recorded with person, call and caller address, at most once an hour', async () => {
  const guest = 'guest@north.test'
  await app.addMember('north', guest, 'Guest')
  const refused = () => app.send(getAudit, { params: { tenant: 'north' }, query: {} }, guest)
  for (let at = 0; at < 3; at++) assert.equal((await refused()).status, 403)
  const [entry, ...more] = await entries('north', 'call refused')
  assert.deepEqual(
    [entry!.userName, entry!.subjectType, entry!.subject, entry!.after!.call, entry!.after!.caller],
    ['guest', 'user', 'guest', 'GET /api/tenants/{tenant}/audit', '127.0.0.1'],
  )
  assert.ok(entry!.after!.reason)
  assert.deepEqual(more, [])
  const lines = app.logged.filter((line) => line.includes('"call refused"') && line.includes('/audit'))
  assert.equal(lines.length, 3, 'the log has each')
  const { rows } = await app.database.owner.query<{ id: string }>('select id from person where email = $1', [guest])
  const person = {
    id: rows[0]!.id,
    name: 'guest',
    email: guest,
    pictureUrl: null,
    emailVerified: true,
    removedAt: null,
  }
  const again = {
    person,
    tenant: 'north',
    call: 'GET /api/tenants/{tenant}/audit',
    caller: here,
    reason: entry!.after!.reason as string,
  }
  await recordRefusal(app.context, again, Date.now() + 3_500_000)
  assert.equal((await entries('north', 'call refused')).length, 1)
  await recordRefusal(app.context, again, Date.now() + 3_601_000)
  assert.equal((await entries('north', 'call refused')).length, 2)
})

test('calls of people outside a client leave no entry in its audit', async () => {
  const outsider = 'outsider@south.test'
  await app.addMember('south', outsider, 'Manager')
  assert.equal((await app.send(listUsers, { params: { tenant: 'west' } }, outsider)).status, 404)
  const body = { name: 'Mallory', email: outsider }
  assert.equal((await app.send(inviteManager, { params: { tenant: 'west' }, body }, outsider)).status, 403)
  assert.deepEqual(await entries('west', 'call refused'), [])
})

test('a refused call of an API key is recorded under the key', async () => {
  const key = await makeKey(app, 'north', admin, 'Guest')
  const headers = { authorization: `Bearer ${key}` }
  assert.equal((await app.send(listUsers, { params: { tenant: 'north' } }, undefined, { headers })).status, 200)
  const refused = await app.app.inject({ url: '/api/tenants/north/audit', headers })
  assert.equal(refused.statusCode, 403)
  const [entry] = await entries('north', 'call refused')
  assert.equal(entry!.subjectType, 'API key')
})
