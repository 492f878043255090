import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { getSession } from '@caretaker/contract/session.ts'
import { listUsers } from '@caretaker/contract/people.ts'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'

const next = 'https://next.test'
let app: TestApp
/** The same installation after its OIDC_ISSUER changed. */
let moved: TestApp
let people = 0
beforeAll(async () => {
  app = await testApp()
  moved = await testApp({ OIDC_ISSUER: next, OIDC_AUDIENCE: 'x' }, app.database)
  for (const tenant of ['north', 'south']) await app.addTenant(tenant)
})
afterAll(async () => {
  await moved.app.close()
  await app.close()
})

const newEmail = () => `person-${++people}@move.test`
/** Creates a member who has signed in with the first issuer. */
async function member(tenants = ['north'], email = newEmail()): Promise<string> {
  for (const tenant of tenants) await app.addMember(tenant, email, 'Manager')
  assert.deepEqual(await clientsAt(app, email), tenants)
  return email
}
const session = (at: TestApp, email: string, claims: Record<string, unknown> = {}) =>
  at.send(getSession, {}, email, { claims })
const clientsAt = async (at: TestApp, email: string, claims?: Record<string, unknown>) =>
  (await session(at, email, claims)).body.tenants.map(({ id }) => id).sort()
const personsOf = async (email: string) =>
  (
    await app.database.owner.query<{ id: string; issuer: string; subject: string }>(
      `select id, issuer, subject from person where lower(email) = lower($1) order by created_at`,
      [email],
    )
  ).rows
const moves = async (email: string) =>
  (
    await app.database.owner.query<{ entry: object }>(
      `select jsonb_build_array(audit_entry.tenant_id, person_name, before, after) as entry
       from audit_entry join membership on membership.tenant_id = audit_entry.tenant_id and subject_id = membership.id::text
       where action = 'user moved to another identity provider' and email = $1 order by audit_entry.tenant_id`,
      [email],
    )
  ).rows.map(({ entry }) => entry)

describe('the first sign-in with another issuer', () => {
  test('keeps a member with the same verified e-mail as the same person in every client, and audits and logs it', async () => {
    const email = await member(['north', 'south'])
    const { id } = (await personsOf(email))[0]!
    const before = (await session(app, email)).body
    const after = (await session(moved, email, { sub: 'ann at the next', email: email.toUpperCase(), name: 'Other' }))
      .body
    assert.deepEqual(
      after.tenants.map(({ id, role, memberId }) => [id, role, memberId]),
      before.tenants.map(({ id, role, memberId }) => [id, role, memberId]),
    )
    assert.deepEqual(await personsOf(email), [{ id, issuer: next, subject: 'ann at the next' }])
    const entry = [{ identityProvider: 'embedded' }, { identityProvider: next }]
    const name = email.split('@')[0]
    assert.deepEqual(await moves(email), [
      ['north', name, ...entry],
      ['south', name, ...entry],
    ])
    const line = moved.logged.find((one) => one.includes(id))
    assert.match(line ?? '', /signs in with another identity provider now/)
    assert.ok(!line!.includes('@'), 'without their e-mail')
    assert.deepEqual(await clientsAt(moved, email, { sub: 'ann at the next' }), ['north', 'south'])
    assert.equal((await moves(email)).length, 2, 'once')
  })

  test('binds once, even with simultaneous calls', async () => {
    const email = await member()
    const claims = { sub: 'several calls' }
    const answers = await Promise.all([1, 2, 3, 4].map(() => clientsAt(moved, email, claims)))
    assert.deepEqual(answers, [['north'], ['north'], ['north'], ['north']])
    assert.equal((await personsOf(email)).length, 1)
    assert.equal((await moves(email)).length, 1)
  })

  test('binds nothing if the e-mail is missing, or unverified at either issuer', async () => {
    const email = await member()
    for (const [at, claims] of [{ email_verified: false }, { email_verified: undefined }].entries())
      assert.deepEqual(await clientsAt(moved, email, { ...claims, sub: `unproved ${at}` }), [])
    assert.equal((await session(moved, email, { email: undefined, sub: 'nameless' })).status, 401)
    await app.database.owner.query('update person set email_verified = false where email = $1 and issuer = $2', [
      email,
      'embedded',
    ])
    assert.deepEqual(await clientsAt(moved, email, { sub: 'proved' }), [])
    assert.deepEqual(await clientsAt(app, email), ['north'])
    assert.deepEqual(await moves(email), [])
  })

  test('leaves a bound member unchanged when a second subject has the same verified e-mail', async () => {
    const email = await member()
    assert.deepEqual(await clientsAt(moved, email, { sub: 'first' }), ['north'])
    assert.deepEqual(await clientsAt(moved, email, { sub: 'second' }), [])
    assert.deepEqual(await clientsAt(moved, email, { sub: 'first' }), ['north'])
    assert.equal(
      (await moved.send(listUsers, { params: { tenant: 'north' } }, email, { claims: { sub: 'second' } })).status,
      404,
    )
  })

  test('binds neither of two members with the same e-mail, and the log names both', async () => {
    const email = await member()
    await app.database.owner.query(
      `insert into person (id, issuer, subject, email, email_verified, name) values (gen_random_uuid(), 'embedded', $1, $1, true, 'Twin')`,
      [email],
    )
    await app.database.owner.query(
      `insert into membership (tenant_id, id, person_id, email, name, role)
       select 'south', gen_random_uuid(), id, email, name, 'Guest' from person where subject = $1`,
      [email],
    )
    assert.deepEqual(await clientsAt(moved, email, { sub: 'which of both' }), [])
    const ids = (await personsOf(email)).filter(({ issuer }) => issuer === 'embedded').map(({ id }) => id)
    const line = moved.logged.find((one) => one.includes('several members'))
    for (const id of ids) assert.ok(line?.includes(id))
    assert.ok(!line!.includes('@'))
  })

  test('never binds anyone to the person record of an API key', async () => {
    const email = newEmail()
    await app.database.owner.query(
      `with software as (insert into person (id, issuer, subject, email, email_verified, name)
         values (gen_random_uuid(), 'api key', $1, $1, true, 'Software') returning id)
       insert into membership (tenant_id, id, person_id, email, name, role)
       select 'north', gen_random_uuid(), id, $1, 'Software', 'Manager' from software`,
      [email],
    )
    assert.deepEqual(await clientsAt(moved, email, { sub: 'software' }), [])
  })

  test('binds nobody at the embedded provider: losing a setting does not make old passwords valid', async () => {
    const email = await member()
    assert.deepEqual(await clientsAt(moved, email, { sub: 'moved on' }), ['north'])
    assert.deepEqual(await clientsAt(app, email), [])
    assert.deepEqual(await clientsAt(moved, email, { sub: 'moved on' }), ['north'])
  })

  test('admits a member whom the previous version had stored as a person without clients', async () => {
    const email = await member()
    await app.database.owner.query(
      `insert into person (id, issuer, subject, email, email_verified, name) values (gen_random_uuid(), $1, 'locked out', $2, true, 'Locked')`,
      [next, email],
    )
    const unverified = { sub: 'locked out', email_verified: false }
    assert.deepEqual(await clientsAt(moved, email, unverified), [])
    assert.deepEqual(await clientsAt(moved, email, { sub: 'locked out' }), ['north'])
    assert.deepEqual(
      (await personsOf(email)).map(({ issuer }) => issuer),
      [next, 'embedded'],
    )
    // A person with clients keeps them, and takes over no other member.
    const other = await member(['south'])
    await app.database.owner.query(
      `with here as (insert into person (id, issuer, subject, email, email_verified, name)
         values (gen_random_uuid(), $1, 'of two clients', $2, true, 'Other') returning id)
       insert into membership (tenant_id, id, person_id, email, name, role)
       select 'north', gen_random_uuid(), id, $2, 'Other', 'Guest' from here`,
      [next, other],
    )
    assert.deepEqual(await clientsAt(moved, other, { sub: 'of two clients' }), ['north'])
  })
})
