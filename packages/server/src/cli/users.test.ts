import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { createUser, updateUserDetails } from '@caretaker/contract/people.ts'
import { getSession } from '@caretaker/contract/session.ts'
import { accountOfToken, findCredentials, setPassword } from '../idp/accounts.ts'
import { factorsOf } from '../idp/factors.ts'
import { makeKey } from '../testing/api-key.ts'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import type { TestOperator } from '../testing/operator.ts'
import { openOperator } from '../testing/operator.ts'

const next = 'https://next.test'
let app: TestApp
/** The same installation after its setting names another issuer. */
let moved: TestApp
let embedded: TestOperator
let external: TestOperator
const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-users-'))
let count = 0
beforeAll(async () => {
  app = await testApp()
  const settings = { OIDC_ISSUER: next, OIDC_AUDIENCE: 'https://caretaker.test/api' }
  moved = await testApp(settings, app.database)
  embedded = openOperator({ DATABASE_URL: app.database.url })
  external = openOperator({ DATABASE_URL: app.database.url, ...settings })
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await moved.app.close()
  await app.close()
})

const done = async (operator: TestOperator, ...args: string[]) => {
  const { code, stdout, stderr } = await operator.run(args)
  assert.equal(code, 0, stderr)
  return stdout
}
const refused = async (operator: TestOperator, args: string[], reason: RegExp) => {
  const { code, stderr } = await operator.run(args)
  assert.notEqual(code, 0)
  assert.match(stderr, reason)
  assert.doesNotMatch(stderr, /\n\s+at /, 'no stack trace')
}
const user = (command: string, tenant: string, email: string, ...more: string[]) => [
  ...['user', command, '--tenant', tenant, '--email', email],
  ...more,
]
async function newTenant(): Promise<string> {
  const tenant = `client-${++count}`
  await app.addTenant(tenant)
  return tenant
}
/** A member who has signed in with the embedded provider. */
async function member(tenant: string, role: 'Manager' | 'Guest' = 'Manager', email = `user-${++count}@cli.test`) {
  await app.addMember(tenant, email, role)
  assert.deepEqual(await clientsAt(app, email), [tenant])
  return email
}
const clientsAt = async (at: TestApp, email: string, claims?: Record<string, unknown>) =>
  (await at.send(getSession, {}, email, { claims })).body.tenants.map(({ id }) => id)
const linkIn = (text: string) => /\/account\/password\/([\w-]+)/.exec(text)![1]!
const isGood = async (token: string) => (await accountOfToken(app.database.idp, token)) !== undefined
const audited = async (tenant: string, action: string) =>
  (
    await app.database.owner.query<{ it: string }>(
      `select person_name || ': ' || subject_name as it from audit_entry where tenant_id = $1 and action = $2 order by at`,
      [tenant, action],
    )
  ).rows.map(({ it }) => it)

describe('user invite', () => {
  test('inviting again replaces a lost link and keeps the role', async () => {
    const tenant = await newTenant()
    const email = 'lost@cli.test'
    const first = linkIn(await done(embedded, ...user('invite', tenant, email, '--name', 'Lost', '--role', 'Guest')))
    const answer = await done(embedded, ...user('invite', tenant, email))
    assert.match(answer, /is invited again, as Guest\. Password link, valid for 3 days:/)
    assert.deepEqual([await isGood(first), await isGood(linkIn(answer))], [false, true])
    assert.deepEqual(await audited(tenant, 'user invited again'), ['Operator: Lost'])
    assert.ok(await setPassword(app.database.idp, linkIn(answer), 'a long password'))
    assert.deepEqual(await clientsAt(app, email), [tenant])
    await refused(embedded, user('invite', tenant, email), /already a member.*user link creates a new password link/)
  })

  test('inviting a member known only to a former provider makes them usable, and so does the API call', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()]
    const manager = await member(tenant)
    const [byCommand, byCall] = [await member(tenant), await member(tenant, 'Guest')]
    await member(other, 'Guest', 'twin@cli.test')
    // Without a verified e-mail nothing binds them automatically.
    await app.database.owner.query('update person set email_verified = false where email = any($1)', [
      [byCommand, byCall],
    ])
    for (const email of [byCommand, byCall]) assert.deepEqual(await clientsAt(moved, email, { sub: email }), [])
    assert.match(
      await done(external, ...user('invite', tenant, byCommand)),
      /is invited again, as Manager and may sign in/,
    )
    assert.deepEqual(await clientsAt(moved, byCommand, { sub: 'impostor', email_verified: false }), [])
    assert.deepEqual(await clientsAt(moved, byCommand, { sub: byCommand }), [tenant])

    assert.deepEqual(await clientsAt(moved, manager), [tenant], 'who asks has moved')
    const invite = () =>
      moved.send(
        createUser,
        { params: { tenant }, body: { name: 'Other', email: byCall, role: 'Manager', tags: [] } },
        manager,
      )
    const { status, body } = await invite()
    assert.deepEqual([status, body.role, body.email], [201, 'Guest', byCall], 'role and name stay')
    assert.deepEqual(await clientsAt(moved, byCall, { sub: byCall }), [tenant])
    assert.equal((await invite()).status, 409, 'is usable now')
    const { rows } = await app.database.owner.query('select recipient from mail where tenant_id = $1', [tenant])
    assert.deepEqual(rows, [{ recipient: byCall }])
    assert.deepEqual(await clientsAt(moved, 'twin@cli.test'), [other], 'nobody else got anything')
    assert.equal((await audited(tenant, 'user moved to another identity provider')).length, 3)
  })

  test('a corrected e-mail is followed: the owner of the former address gets nothing', async () => {
    const tenant = await newTenant()
    const [manager, wrong] = [await member(tenant), await member(tenant, 'Guest')]
    await app.database.owner.query('update person set email_verified = false where email = $1', [wrong])
    await done(external, ...user('invite', tenant, wrong))
    assert.deepEqual(await clientsAt(moved, manager), [tenant])
    const { rows } = await app.database.owner.query<{ id: string }>('select id from membership where email = $1', [
      wrong,
    ])
    const sent = { params: { tenant, id: rows[0]!.id }, body: { name: 'Corrected', email: 'corrected@cli.test' } }
    assert.equal((await moved.send(updateUserDetails, sent, manager)).status, 204)
    assert.deepEqual(await clientsAt(moved, wrong, { sub: 'of the former address' }), [])
    assert.deepEqual(await clientsAt(moved, 'corrected@cli.test'), [tenant])
  })
})

describe('user link', () => {
  test('gives a member a new password link that replaces former ones, and is recorded without the link', async () => {
    const tenant = await newTenant()
    const email = 'again@cli.test'
    const first = linkIn(await done(embedded, ...user('invite', tenant, email)))
    const { link: second } = JSON.parse(await done(embedded, ...user('link', tenant, email, '--json'))) as {
      link: string
    }
    assert.deepEqual([await isGood(first), await isGood(linkIn(second))], [false, true])
    assert.ok(await setPassword(app.database.idp, linkIn(second), 'a long password'))
    const account = (await findCredentials(app.database.idp, email))!
    assert.deepEqual(await clientsAt(app, email, { sub: account.id }), [tenant])
    const third = await done(embedded, ...user('link', tenant, email.toUpperCase()))
    assert.ok(await setPassword(app.database.idp, linkIn(third), 'another long password'))
    assert.deepEqual(await audited(tenant, 'password link made'), [
      'Operator: again@cli.test',
      'Operator: again@cli.test',
    ])
  })

  test('is refused for a non-member, and if another provider keeps the passwords', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()]
    await done(embedded, ...user('invite', tenant, 'here@cli.test'))
    await refused(embedded, user('link', other, 'here@cli.test'), /not a member of .*user list --tenant/)
    await refused(embedded, user('link', 'nowhere', 'here@cli.test'), /no client nowhere/)
    await refused(external, user('link', tenant, 'here@cli.test'), /Passwords are kept by https:\/\/next\.test/)
    assert.deepEqual(await audited(tenant, 'password link made'), [])
  })
})

test('user reset-second-factor removes the factors of a member and records it, and of no one else', async () => {
  const [tenant, other] = [await newTenant(), await newTenant()]
  const email = 'factor@cli.test'
  await done(embedded, ...user('invite', tenant, email))
  const { id } = (await findCredentials(app.database.idp, email))!
  const reset = (of: string) => user('reset-second-factor', of, email)
  assert.match(await done(embedded, ...reset(tenant)), /has no second factor/)
  await app.database.owner.query(
    `insert into idp.passkey (id, account_id, name, public_key, sign_count, transports) values ('k', $1, 'Phone', '', 0, '{}')`,
    [id],
  )
  await refused(embedded, reset(other), /is not a member of/)
  await refused(external, reset(tenant), /Passwords are kept by/)
  assert.match(await done(embedded, ...reset(tenant)), /was reset/)
  assert.equal((await factorsOf(app.database.idp, id)).passkeys.length, 0)
  assert.deepEqual(await audited(tenant, 'second factor reset'), ['Operator: factor@cli.test'])
})

test('user list shows the members of a client, or of all, and who has not signed in yet', async () => {
  const [tenant, other] = [await newTenant(), await newTenant()]
  const manager = await member(tenant)
  await done(embedded, ...user('invite', tenant, 'yet@cli.test', '--name', 'Yet'))
  const guest = await member(other, 'Guest')
  assert.deepEqual((await done(embedded, 'user', 'list', '--tenant', tenant)).trimEnd().split('\n'), [
    `${tenant}  ${manager}  ${manager.split('@')[0]}  Manager  active`,
    `${tenant}  yet@cli.test  Yet  Manager  invited, has not signed in yet`,
  ])
  const listed = (await done(external, 'user', 'list', '--json')).trimEnd().split('\n')
  const all = listed.map((line) => JSON.parse(line) as { tenant: string; email: string; signIn: string })
  const found = (email: string) =>
    all.filter((one) => one.email === email).map(({ tenant, signIn }) => [tenant, signIn])
  assert.deepEqual(found(guest), [[other, 'other provider']])
  assert.deepEqual(found('yet@cli.test'), [[tenant, 'invited']])
  await refused(embedded, ['user', 'list', '--tenant', 'nowhere'], /no client nowhere/)
})

test('user erase erases someone who belongs to no client, and keeps the evidence of what they did', async () => {
  const [tenant, other] = [await newTenant(), await newTenant()]
  const email = await member(tenant, 'Guest')
  await member(tenant)
  await member(other)
  const kept = await member(other, 'Guest')
  await refused(
    embedded,
    ['user', 'erase', '--email', email],
    new RegExp(`still belongs to ${tenant}: first caretaker`),
  )
  const { rows: before } = await app.database.owner.query<{ id: string; name: string }>(
    'select id, name from person where email = $1',
    [email],
  )
  const [person] = before
  await app.database.owner.query(
    `insert into audit_entry (tenant_id, id, person_id, person_name, action, subject_type, subject_id, subject_name)
     values ($1, gen_random_uuid(), $2, $3, 'user added', 'user', 'x', 'x')`,
    [tenant, person!.id, person!.name],
  )
  await app.database.owner.query(
    `insert into personal_data_read (tenant_id, id, person_id, person_name, is_key, page, kind, property_ids, resident_ids,
       caller, first_at, last_at, times, fingerprint)
     values ($1, gen_random_uuid(), $2, $3, false, 'Property', 'page', '{}', '{}', '', now(), now(), 1, 'x')`,
    [tenant, person!.id, person!.name],
  )
  for (const to of [email, kept])
    await app.database.owner.query(
      `insert into mail (tenant_id, id, recipient, subject) values ($1, gen_random_uuid(), $2, 'Alert')`,
      [other, to],
    )
  await done(embedded, ...user('remove', tenant, email))
  const printed = await done(embedded, 'user', 'erase', '--email', email)
  assert.match(
    printed,
    new RegExp(`^${email} was erased: the person, the account, \\d+ e-mails\n  ${tenant}: \\d+ audit`),
  )
  const count = async (query: string) => (await app.database.owner.query(query, [email])).rowCount
  assert.equal(await count('select from person where email = $1'), 0)
  assert.equal(await count('select from idp.account where email = $1'), 0)
  assert.equal(await count('select from mail where recipient = $1'), 0)
  const { rows } = await app.database.owner.query('select name, email from person where id = $1', [person!.id])
  assert.deepEqual(rows.length === 0 || (rows[0] as { name: string }).name === 'Erased user', true)
  const reads = await app.database.owner.query('select person_name from personal_data_read where person_id = $1', [
    person!.id,
  ])
  assert.deepEqual(reads.rows, [{ person_name: 'Erased user' }])
  const evidence = await app.database.owner.query('select from audit_entry where person_name = $1', [person!.name])
  assert.ok(evidence.rowCount)
  // No other person is affected, and a second time there is nothing to erase.
  assert.equal((await app.database.owner.query('select from mail where recipient = $1', [kept])).rowCount, 1)
  assert.deepEqual(await clientsAt(app, kept), [other])
  assert.match(await done(embedded, 'user', 'erase', '--email', email), /no person found/)
})

test('user remove removes a member as the portal does, and names the API keys that they created', async () => {
  const [tenant, other] = [await newTenant(), await newTenant()]
  const leaver = await member(tenant)
  await refused(embedded, user('remove', tenant, leaver), /needs at least one manager/)
  const stayer = await member(tenant)
  await app.addMember(other, leaver, 'Guest')
  await makeKey(app, tenant, leaver)
  await makeKey(app, tenant, stayer)
  await refused(embedded, user('remove', other, stayer), /not a member of/)
  const answer = await done(embedded, ...user('remove', tenant, leaver))
  assert.match(answer, /is no longer a member of client-\d+\n1 API key that user-\d+@cli\.test made still works: /)
  assert.match(answer, /Revoke it in Settings, API keys/)
  assert.deepEqual(await clientsAt(app, leaver), [other])
  assert.deepEqual(await audited(tenant, 'user deleted'), [`Operator: ${leaver.split('@')[0]}`])
  await refused(embedded, user('remove', tenant, leaver), /not a member of/)
  await member(tenant, 'Guest', 'invited@cli.test')
  assert.deepEqual(JSON.parse(await done(embedded, ...user('remove', tenant, 'invited@cli.test', '--json'))), {
    email: 'invited@cli.test',
    apiKeys: [],
  })
})

describe('user move-issuer', () => {
  const move = (...more: string[]) => ['user', 'move-issuer', '--from', 'embedded', '--to', next, ...more]
  const identity = async (email: string) =>
    (
      await app.database.owner.query<{ it: string }>(
        `select issuer || ' ' || subject as it from person where email = $1 order by created_at`,
        [email],
      )
    ).rows.map(({ it }) => it)
  const outcomeOf = (text: string, email: string) => text.split('\n').find((line) => line.includes(email))

  test('lists who moves at their first sign-in, who has signed in there, and who cannot be moved and why', async () => {
    const tenant = await newTenant()
    const [waiting, unverified, lockedOut, member2] = [
      await member(tenant),
      await member(tenant),
      await member(tenant),
      await member(tenant),
    ]
    await app.database.owner.query('update person set email_verified = false where email = $1', [unverified])
    // Two who signed in there before, one of them with a client of their own.
    for (const email of [lockedOut, member2])
      await app.database.owner.query(
        `insert into person (id, issuer, subject, email, email_verified, name) values (gen_random_uuid(), $1, 'of ' || $2, $2, true, 'x')`,
        [next, email],
      )
    const elsewhere = await newTenant()
    await app.database.owner.query(
      `insert into membership (tenant_id, id, person_id, email, name, role)
       select $1, gen_random_uuid(), id, email, name, 'Guest' from person where issuer = $2 and email = $3`,
      [elsewhere, next, member2],
    )
    const expected = (text: string) => {
      assert.match(outcomeOf(text, waiting)!, /^at the first sign-in +user-\d+@cli\.test \(client-\d+\)$/)
      assert.match(outcomeOf(text, unverified)!, /^not moved .*the e-mail was never verified/)
      assert.match(outcomeOf(text, lockedOut)!, /^moved /)
      assert.match(outcomeOf(text, member2)!, /^not moved .*already as a member of client-\d+; invite the person again/)
    }
    const looked = await done(embedded, ...move('--dry-run'))
    expected(looked)
    assert.match(looked, /\n\d+ would be moved, \d+ at their first sign-in, \d+ not moved\n$/)
    assert.match((await identity(lockedOut))[0]!, /^embedded /, 'nothing was done')
    await refused(embedded, move(), /People sign in with embedded here\. Set OIDC_ISSUER to https:\/\/next\.test/)
    expected(await done(external, ...move()))
    assert.equal((await identity(lockedOut))[0], `${next} of ${lockedOut}`)
    assert.deepEqual(await clientsAt(moved, lockedOut, { sub: `of ${lockedOut}` }), [tenant])
    assert.deepEqual(await clientsAt(moved, waiting, { sub: 'anything' }), [tenant])
    assert.deepEqual(await audited(elsewhere, 'user moved to another identity provider'), [])
    const entry = (await audited(tenant, 'user moved to another identity provider'))[0]
    assert.equal(entry, `Operator: ${lockedOut.split('@')[0]}`)
  })

  test('moves by a map of subjects, regardless of e-mail, and names unusable entries', async () => {
    const tenant = await newTenant()
    const [a, b, twin] = [await member(tenant), await member(tenant), await member(tenant)]
    await app.database.owner.query(`update person set email = $1 where email = $2`, [a, twin])
    const file = path.join(folder, 'map.csv')
    const formerA = (await identity(a))[0]!.slice('embedded '.length)
    writeFileSync(file, `email,subject\n${formerA},auth0|a\n${b.toUpperCase()},"cn=b, dc=example"\nnobody@cli.test,x\n`)
    const text = await done(external, ...move('--subject-map', file))
    assert.match(outcomeOf(text, 'nobody@cli.test')!, /^not moved .*no member of embedded has this e-mail or subject$/)
    assert.match(
      text,
      new RegExp(`not moved +${a}.*: 2 members have this e-mail; name this one in a subject map as subject of ${twin}`),
    )
    assert.deepEqual(await identity(b), [`${next} "cn=b, dc=example"`])
    assert.deepEqual((await identity(a)).sort(), [`embedded subject of ${twin}`, `${next} auth0|a`])
    assert.deepEqual(await clientsAt(moved, 'else@cli.test', { sub: 'auth0|a' }), [tenant])
    writeFileSync(file, 'no comma here\n')
    await refused(external, move('--subject-map', file), /line 1: expected an e-mail or a former subject/)
    await refused(external, move('--subject-map', path.join(folder, 'none')), /cannot be read/)
  })

  test('moves one person, and back to accounts of the embedded provider, who then choose a password', async () => {
    const tenant = await newTenant()
    const [one, other] = [await member(tenant), await member(tenant)]
    const back = ['user', 'move-issuer', '--from', next, '--to', 'embedded']
    assert.deepEqual(await clientsAt(moved, one), [tenant])
    assert.match(await done(embedded, ...back, '--email', one, '--dry-run'), /^moved .*has no password yet/)
    assert.match((await identity(one))[0]!, /^https:/)
    assert.match(
      await done(embedded, ...back, '--email', one),
      /^moved .*has no password yet: caretaker user link\n1 moved, /,
    )
    const { id } = (await findCredentials(app.database.idp, one))!
    assert.deepEqual(await identity(one), [`embedded ${id}`])
    assert.match(await done(embedded, ...user('link', tenant, one)), /account\/password/)
    assert.deepEqual(await clientsAt(app, one, { sub: id }), [tenant])
    assert.match((await identity(other))[0]!, /^embedded subject of/)
    await refused(embedded, [...back, '--email', 'nobody@cli.test'], /No member who signs in with .* has the e-mail/)
    await refused(
      embedded,
      ['user', 'move-issuer', '--from', 'https://typo.test', '--to', 'embedded'],
      /Members sign in with: .*embedded/,
    )
  })
})
