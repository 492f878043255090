import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { createApiKey } from '@caretaker/contract/api-keys.ts'
import { getAudit } from '@caretaker/contract/audit.ts'
import { streamChanges } from '@caretaker/contract/changes.ts'
import { setGroupAccess } from '@caretaker/contract/group-access.ts'
import {
  createUser,
  deleteUser,
  listUsers,
  resetUserPassword,
  updateUserDetails,
  updateUserRole,
  updateUserTags,
} from '@caretaker/contract/people.ts'
import {
  createProvisioningKey,
  getProvisioning,
  revokeProvisioningKey,
  setProvisioning,
} from '@caretaker/contract/provisioning.ts'
import { getSession } from '@caretaker/contract/session.ts'
import { deleteAccessRightsTag } from '@caretaker/contract/tags.ts'
import { noAccessTexts } from '@caretaker/rules/provisioning/member.ts'
import { provisionedText } from '@caretaker/rules/people/users.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag } from '../../testing/furnish/devices.ts'
import { makeKey } from '../../testing/api-key.ts'
import type { Scim } from '../../testing/scim.ts'
import { makeProvisioningKey, scimWith } from '../../testing/scim.ts'

let app: TestApp
let tenant: string
let manager: string
let developer: string
let key: string
let keyId: string
let scim: Scim
let east: string
/** The ids of the directory's groups. */
let groups: Record<'Managers' | 'East managers' | 'Readers' | 'Catering', string>
let round = 0
let counter = 0
beforeAll(async () => {
  app = await testApp()
  await app.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => app.close())
beforeEach(async () => {
  tenant = `dir${++round}`
  manager = `manager@${tenant}.test`
  developer = `developer@${tenant}.test`
  await app.addTenant(tenant)
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, developer, 'Developer')
  await app.send(getSession, {}, manager)
  east = await addAccessRightsTag(app, tenant, 'East')
  const made = await makeProvisioningKey(app, tenant, manager)
  ;({ key, id: keyId } = made)
  scim = scimWith(app, key)
  assert.equal((await setTable(table())).status, 204)
  groups = {
    Managers: await group('Managers'),
    'East managers': await group('East managers'),
    Readers: await group('Readers'),
    Catering: await group('Catering'),
  }
})

const table = () => [
  { group: 'managers', role: 'Manager' as const, tags: [] },
  { group: 'East managers', role: 'Manager' as const, tags: [east] },
  { group: 'Readers', role: 'Guest' as const, tags: [] },
]
const setTable = (rows: ReturnType<typeof table>, email = manager) =>
  app.send(setGroupAccess, { params: { tenant }, body: { rows } }, email)
const params = () => ({ params: { tenant } })
const group = async (displayName: string) => (await scim('POST', '/Groups', { displayName })).body['id'] as string
const newUser = (email = `user${++counter}@${tenant}.test`, more: object = {}) => ({
  ...{ userName: email, displayName: email.split('@')[0]!, emails: [{ value: email, type: 'work', primary: true }] },
  ...more,
})
async function provisioned(inGroups: (keyof typeof groups)[], email?: string, more?: object) {
  const user = newUser(email, more)
  const { status, body } = await scim('POST', '/Users', user)
  assert.equal(status, 201, JSON.stringify(body))
  const id = body['id'] as string
  for (const name of inGroups) await join(id, name)
  return { id, email: user.userName }
}
const patchGroup = (name: keyof typeof groups, op: 'add' | 'remove', id: string) =>
  scim('PATCH', `/Groups/${groups[name]}`, { Operations: [{ op, path: 'members', value: [{ value: id }] }] })
const join = (id: string, name: keyof typeof groups) => patchGroup(name, 'add', id)
const leave = (id: string, name: keyof typeof groups) => patchGroup(name, 'remove', id)
const setActive = (id: string, active: boolean) =>
  scim('PATCH', `/Users/${id}`, { Operations: [{ op: 'replace', value: { active } }] })

const members = async (by = manager) => (await app.send(listUsers, params(), by)).body.results
const memberOf = async (email: string) => (await members()).find((one) => one.email === email)
const audited = async () => {
  const { rows } = await app.database.owner.query<{
    person_name: string
    action: string
    subject_name: string
    before: Record<string, unknown> | null
    after: Record<string, unknown> | null
  }>('select person_name, action, subject_name, before, after from audit_entry where tenant_id = $1 order by at, id', [
    tenant,
  ])
  return rows
}
const settings = async () => (await app.send(getProvisioning, params(), manager)).body

describe('keys', () => {
  test('a key is shown once and stored as a hash, and its use is recorded', async () => {
    assert.match(key, new RegExp(`^scim_${tenant}_[\\w-]{43}$`))
    const { rows } = await app.database.owner.query<{ text: string }>(
      'select row_to_json(k)::text as text from scim_key k',
    )
    assert.ok(rows.every(({ text }) => !text.includes(key.slice(20))))
    const { keys, address } = await settings()
    assert.ok(address.endsWith('/scim/v2'))
    assert.equal(keys.length, 1)
    assert.deepEqual([keys[0]!.id, keys[0]!.createdBy], [keyId, 'manager'])
    assert.ok(keys[0]!.lastUsedAt)
    const entry = (await audited()).find(({ action }) => action === 'provisioning key made')
    assert.deepEqual([entry?.person_name, entry?.after], ['manager', { keyId }])
  })

  test('two keys at a time, so that the directory can change without a gap', async () => {
    const second = await makeProvisioningKey(app, tenant, manager)
    assert.equal((await app.send(createProvisioningKey, params(), manager)).status, 409)
    const by = scimWith(app, second.key)
    assert.deepEqual([(await scim('GET', '/Users')).status, (await by('GET', '/Users')).status], [200, 200])
    const revoke = () => app.send(revokeProvisioningKey, { params: { tenant, keyId } }, manager)
    assert.deepEqual([(await revoke()).status, (await revoke()).status], [204, 204])
    const refused = await scim('GET', '/Users')
    assert.deepEqual([refused.status, refused.body['status']], [401, '401'])
    assert.ok(refused.headers['www-authenticate'])
    assert.equal((await by('GET', '/Users')).status, 200)
    assert.equal((await audited()).filter(({ action }) => action === 'provisioning key revoked').length, 1)
  })

  test('only managers who see the whole client read and change the settings', async () => {
    const guest = `guest@${tenant}.test`
    const limited = `limited@${tenant}.test`
    await app.addMember(tenant, guest, 'Guest')
    await app.addMember(tenant, limited, 'Manager', [east])
    await app.addTenant(`other-${tenant}`)
    await app.addMember(`other-${tenant}`, `manager@other-${tenant}.test`, 'Manager')
    for (const [email, status] of [
      [guest, 403],
      [limited, 403],
      [`manager@other-${tenant}.test`, 404],
      [undefined, 401],
    ] as const) {
      const answers = [
        await app.send(getProvisioning, params(), email),
        await app.send(createProvisioningKey, params(), email),
        await app.send(setProvisioning, { ...params(), body: { invites: true } }, email),
        await app.send(revokeProvisioningKey, { params: { tenant, keyId } }, email),
      ]
      assert.deepEqual(
        answers.map((answer) => answer.status),
        Array(4).fill(status),
        email,
      )
    }
    assert.equal((await scim('GET', '/Users')).status, 200)
  })

  test('no other key or token gives access, and this key gives access to nothing else', async () => {
    const bearers = [
      await makeKey(app, tenant, manager),
      await app.token(manager),
      `scim_${tenant}_${'x'.repeat(43)}`,
      `scim_nowhere_${'x'.repeat(43)}`,
      'x',
    ]
    for (const bearer of bearers) assert.equal((await scimWith(app, bearer)('GET', '/Users')).status, 401, bearer)
    for (const path of ['/Groups', '/ServiceProviderConfig', '/Schemas', '/ResourceTypes'])
      assert.equal((await scimWith(app, bearers[0]!)('GET', path)).status, 401, path)
    const headers = { authorization: `Bearer ${key}` }
    for (const answer of [
      await app.send(getSession, {}, undefined, { headers }),
      await app.send(listUsers, params(), undefined, { headers }),
      await app.send(getProvisioning, params(), undefined, { headers }),
    ])
      assert.equal(answer.status, 401)
  })

  test("another client's key reads and changes nothing here", async () => {
    const { id } = await provisioned(['Readers'])
    const other = `far-${tenant}`
    await app.addTenant(other)
    await app.addMember(other, `manager@${other}.test`, 'Manager')
    const theirs = scimWith(app, (await makeProvisioningKey(app, other, `manager@${other}.test`)).key)
    assert.deepEqual((await theirs('GET', '/Users')).body['Resources'], [])
    assert.deepEqual((await theirs('GET', '/Groups')).body['Resources'], [])
    const off = { Operations: [{ op: 'replace', value: { active: false } }] }
    for (const answer of [
      await theirs('GET', `/Users/${id}`),
      await theirs('PUT', `/Users/${id}`, newUser()),
      await theirs('PATCH', `/Users/${id}`, off),
      await theirs('DELETE', `/Users/${id}`),
      await theirs('GET', `/Groups/${groups.Readers}`),
      await theirs('PUT', `/Groups/${groups.Readers}`, { displayName: 'x' }),
      await theirs('PATCH', `/Groups/${groups.Readers}`, { Operations: [{ op: 'remove', path: 'members' }] }),
      await theirs('DELETE', `/Groups/${groups.Readers}`),
    ])
      assert.equal(answer.status, 404)
    // Nor can their group have users from here.
    const taken = await theirs('POST', '/Groups', { displayName: 'Readers', members: [{ value: id }] })
    assert.equal(taken.status, 400)
    assert.equal((await scim('GET', `/Groups/${groups.Readers}`)).body['members'].length, 1)
  })

  test('a suspended client is refused, and one that is being removed is unknown', async () => {
    const { owner } = app.database
    await owner.query(`update tenant set suspended_at = now(), suspended_reason = 'unpaid' where id = $1`, [tenant])
    assert.equal((await scim('GET', '/Users')).status, 403)
    await owner.query('update tenant set removal_began_at = now() where id = $1', [tenant])
    assert.deepEqual(
      [
        (await scim('GET', '/Users')).status,
        (await setActive(crypto.randomUUID(), false)).status,
        (await scim('POST', '/Users', newUser())).status,
      ],
      [401, 401, 401],
    )
  })

  test('writes of a client wait for their turn without a connection, and not for ever for another transaction', async () => {
    const { id } = await provisioned(['Readers'])
    const holder = await app.database.owner.connect()
    try {
      await holder.query('begin')
      await holder.query('select from tenant where id = $1 for update', [tenant])
      const writes = Array.from({ length: 40 }, () => setActive(id, false))
      // The first one waits for the lock; the others hold nothing, so reads are answered meanwhile.
      assert.equal((await scim('GET', '/Users')).status, 200)
      assert.equal((await app.send(listUsers, params(), manager)).status, 200)
      const first = await Promise.any(
        writes.map(async (write) => {
          const answer = await write
          assert.equal(answer.status, 503)
          return answer
        }),
      )
      assert.equal(String(first.headers['retry-after']), '2')
      await holder.query('rollback')
      const statuses = (await Promise.all(writes)).map(({ status }) => status)
      assert.ok(statuses.filter((status) => status === 200).length > 20, statuses.join())
      assert.ok(statuses.includes(429), statuses.join())
    } finally {
      holder.release()
    }
  })

  test('changes during the beginning of a removal end in one state', async () => {
    const { id } = await provisioned(['Readers'])
    const begin = app.database.owner.query('update tenant set removal_began_at = now() where id = $1', [tenant])
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, (_, n) => setActive(id, n % 2 === 0)),
      begin.then(() => setActive(id, true)),
    ])
    assert.ok(
      answers.every(({ status }) => [200, 401].includes(status)),
      answers.map(({ status }) => status).join(),
    )
    assert.equal(answers.at(-1)!.status, 401)
  })
})

describe('members', () => {
  test('a user whose group gives a role is a member, without an invitation by e-mail', async () => {
    const { id, email } = await provisioned(['East managers'])
    const member = (await memberOf(email))!
    assert.deepEqual(
      [member.role, member.tags, member.isProvisioned, member.hasSignedIn],
      ['Manager', [east], true, false],
    )
    const entry = (await audited()).find(({ action }) => action === 'user created')!
    assert.deepEqual([entry.person_name, entry.after?.['role']], ['Provisioning (SCIM)', 'Manager'])
    const { rows } = await app.database.owner.query('select from mail where recipient = $1', [email])
    assert.equal(rows.length, 0)
    // They sign in by single sign-on with the same e-mail.
    const { body } = await app.send(getSession, {}, email)
    assert.deepEqual(
      body.tenants.map(({ id, role }) => [id, role]),
      [[tenant, 'Manager']],
    )
    assert.equal((await memberOf(email))!.hasSignedIn, true)
    // The first matching row of the table applies.
    await join(id, 'Managers')
    assert.deepEqual([(await memberOf(email))!.role, (await memberOf(email))!.tags], ['Manager', []])
    await leave(id, 'Managers')
    await leave(id, 'East managers')
    await join(id, 'Readers')
    assert.equal((await memberOf(email))!.role, 'Guest')
  })

  test('the client can have new users invited by e-mail', async () => {
    assert.equal((await app.send(setProvisioning, { ...params(), body: { invites: true } }, manager)).status, 204)
    assert.equal((await settings()).invites, true)
    const { email } = await provisioned(['Readers'])
    const { rows } = await app.database.owner.query<{ text: string }>('select text from mail where recipient = $1', [
      email,
    ])
    assert.match(rows[0]!.text, /Your organisation has given you access/)
    const [entry] = (await audited()).filter(({ action }) => action === 'provisioning changed')
    assert.deepEqual([entry!.before, entry!.after], [{ invites: false }, { invites: true }])
  })

  test('without a matching group a user has no access, and the settings show the reason', async () => {
    const { id, email } = await provisioned(['Catering'])
    assert.equal(await memberOf(email), undefined)
    const { withoutAccess, users, members: many } = await settings()
    assert.deepEqual([users, many], [1, 0])
    assert.deepEqual(
      withoutAccess.map(({ id, reason }) => [id, reason]),
      [[id, noAccessTexts.group]],
    )
    // A changed table applies at once.
    await setTable([...table(), { group: 'catering', role: 'Guest' as const, tags: [] }] as never)
    assert.equal((await memberOf(email))!.role, 'Guest')
    await setTable(table())
    assert.equal(await memberOf(email), undefined)
    // So does renaming the group.
    await scim('PATCH', `/Groups/${groups.Readers}`, {
      Operations: [{ op: 'replace', path: 'displayName', value: 'R' }],
    })
    await scim('PATCH', `/Groups/${groups.Catering}`, {
      Operations: [{ op: 'replace', path: 'displayName', value: 'Readers' }],
    })
    assert.equal((await memberOf(email))!.role, 'Guest')
    await scim('DELETE', `/Groups/${groups.Catering}`)
    assert.equal(await memberOf(email), undefined)
  })

  test('a user without an e-mail address has no access', async () => {
    const { body } = await scim('POST', '/Users', { userName: 'priya', displayName: 'Priya' })
    await join(body['id'], 'Readers')
    assert.deepEqual(
      (await settings()).withoutAccess.map(({ reason }) => reason),
      [noAccessTexts.email],
    )
    const Operations = [{ op: 'add', path: 'emails[type eq "work"].value', value: `priya@${tenant}.test` }]
    await scim('PATCH', `/Users/${body['id']}`, { Operations })
    assert.ok(await memberOf(`priya@${tenant}.test`))
  })

  test('an inactive user loses access at once, with their open streams, and their keys are named', async () => {
    const { id, email } = await provisioned(['Managers'])
    await app.send(getSession, {}, email)
    const body = { name: 'Energy dashboard', role: 'Guest' as const, tagIds: [], expiresInDays: 30 }
    assert.equal((await app.send(createApiKey, { ...params(), body }, email)).status, 201)
    const { port } = app.app.server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}${streamChanges.path.replace('{tenant}', tenant)}`
    const headers = { authorization: `Bearer ${await app.token(email)}` }
    const request = http.get(url, { agent: false, headers })
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    response.resume()
    const ended = once(response, 'end', { signal: AbortSignal.timeout(10_000) })
    const began = Date.now()
    assert.equal((await setActive(id, false)).status, 200)
    await ended
    assert.ok(Date.now() - began < 10_000)
    assert.equal((await app.send(listUsers, params(), email)).status, 404)
    assert.equal(await memberOf(email), undefined)
    const entry = (await audited()).find(({ action }) => action === 'user deleted')!
    assert.deepEqual(
      [entry.person_name, entry.after],
      ['Provisioning (SCIM)', { remainingApiKeys: ['Energy dashboard'] }],
    )
    // Active again, with the role of the groups, and the same person.
    assert.equal((await setActive(id, true)).status, 200)
    assert.deepEqual([(await memberOf(email))!.role, (await memberOf(email))!.hasSignedIn], ['Manager', true])
    assert.equal((await scim('DELETE', `/Users/${id}`)).status, 204)
    assert.equal(await memberOf(email), undefined)
    assert.equal((await settings()).users, 0)
  })

  test('a member from before is adopted, by e-mail', async () => {
    const email = `known@${tenant}.test`
    const memberId = await app.addMember(tenant, email, 'LightingEngineer')
    await app.send(getSession, {}, email)
    const { id } = await provisioned(['Readers'], email.toUpperCase(), { displayName: 'Known Person' })
    const found = (await members()).filter((one) => one.email === email)
    assert.deepEqual(
      found.map(({ id, role, name, isProvisioned }) => [id, role, name, isProvisioned]),
      [[memberId, 'Guest', 'Known Person', true]],
    )
    const changes = (await audited()).filter(({ subject_name: name }) => ['known', 'Known Person'].includes(name))
    assert.deepEqual(
      new Set(changes.map(({ action }) => action)),
      new Set(['user details changed', 'user role changed']),
    )
    assert.ok(changes.every(({ person_name: by }) => by === 'Provisioning (SCIM)'))
    // Another user of the directory with the same e-mail gets nothing.
    const second = await scim('POST', '/Users', { ...newUser(email), userName: 'second' })
    await join(second.body['id'], 'Managers')
    assert.equal((await memberOf(email))!.role, 'Guest')
    assert.deepEqual(
      (await settings()).withoutAccess.map(({ reason }) => reason),
      [noAccessTexts.other],
    )
    // It gets its own access once the first one is gone.
    assert.equal((await scim('DELETE', `/Users/${id}`)).status, 204)
    assert.equal((await memberOf(email))!.role, 'Manager')
    assert.equal((await scim('DELETE', `/Users/${second.body['id']}`)).status, 204)
    assert.equal(await memberOf(email), undefined)
  })

  test('a user without a group keeps the membership from before until they leave the directory', async () => {
    const off = (id: string) => setActive(id, false)
    for (const leaves of [off, (id: string) => scim('DELETE', `/Users/${id}`)]) {
      const email = `stays${++counter}@${tenant}.test`
      await app.addMember(tenant, email, 'LightingEngineer')
      await app.send(getSession, {}, email)
      const { id } = await provisioned(['Catering'], email)
      const member = (await memberOf(email))!
      assert.deepEqual([member.role, member.isProvisioned], ['LightingEngineer', false])
      assert.ok((await settings()).withoutAccess.some(({ reason }) => reason === noAccessTexts.kept))
      await leave(id, 'Catering')
      assert.equal((await memberOf(email))!.role, 'LightingEngineer')
      assert.ok((await leaves(id)).status < 300)
      assert.equal(await memberOf(email), undefined)
    }
    // A user who arrives inactive has left already.
    const email = `left@${tenant}.test`
    await app.addMember(tenant, email, 'Guest')
    await app.send(getSession, {}, email)
    await provisioned([], email, { active: false })
    assert.equal(await memberOf(email), undefined)
  })

  test('a member whose person signs in with another address is not adopted by the address alone', async () => {
    const real = `real@${tenant}.test`
    const id = await app.addMember(tenant, real, 'Guest')
    await app.send(getSession, {}, real)
    const claimed = `boss@${tenant}.test`
    const body = { name: 'Not the boss', email: claimed }
    assert.equal((await app.send(updateUserDetails, { params: { tenant, id }, body }, manager)).status, 204)
    const user = await provisioned(['Managers'], claimed)
    assert.deepEqual([(await memberOf(claimed))!.role, (await memberOf(claimed))!.id], ['Guest', id])
    assert.deepEqual(
      (await settings()).withoutAccess.map(({ reason }) => reason),
      [noAccessTexts.person],
    )
    assert.equal((await setActive(user.id, false)).status, 200)
    assert.equal((await memberOf(claimed))!.role, 'Guest')
    // With the correct address, the member keeps their own access and the user gets theirs.
    const right = { name: 'Real', email: real }
    assert.equal((await app.send(updateUserDetails, { params: { tenant, id }, body: right }, manager)).status, 204)
    assert.equal((await setActive(user.id, true)).status, 200)
    assert.deepEqual([(await memberOf(claimed))!.role, (await memberOf(real))!.role], ['Manager', 'Guest'])
  })

  test('a member who is not locked by another decision is provisioned meanwhile', async () => {
    const other = await app.addMember(tenant, `other@${tenant}.test`, 'Guest')
    const holder = await app.database.owner.connect()
    try {
      await holder.query('begin')
      await holder.query('select from membership where id = $1 for update', [other])
      const { email } = await provisioned(['Readers'])
      assert.equal((await memberOf(email))!.role, 'Guest')
    } finally {
      await holder.query('rollback')
      holder.release()
    }
  })

  test('a corrected address of someone who has not signed in yet gets the invitation', async () => {
    await app.send(setProvisioning, { ...params(), body: { invites: true } }, manager)
    const { id, email } = await provisioned(['Readers'], `wrnog@${tenant}.test`)
    const right = `wrong@${tenant}.test`
    await app.send(getSession, {}, right)
    const mailsTo = async (address: string) =>
      (await app.database.owner.query('select from mail where recipient = $1', [address])).rows.length
    const correct = (value: string) =>
      scim('PATCH', `/Users/${id}`, { Operations: [{ op: 'replace', path: 'emails[type eq "work"].value', value }] })
    assert.deepEqual([await mailsTo(email), await mailsTo(right)], [1, 0])
    assert.equal((await correct(right)).status, 200)
    assert.equal(await mailsTo(right), 1)
    // They had signed in elsewhere, so that the membership is theirs at once.
    assert.equal((await memberOf(right))!.hasSignedIn, true)
    assert.equal((await app.send(getSession, {}, right)).body.tenants.length, 1)
    assert.equal((await app.send(getSession, {}, email)).body.tenants.length, 0)
  })

  test('an address is sent three invitations a day', async () => {
    await app.send(setProvisioning, { ...params(), body: { invites: true } }, manager)
    const { id, email } = await provisioned(['Readers'])
    for (let n = 0; n < 4; n++) {
      assert.equal((await setActive(id, false)).status, 200)
      assert.equal((await setActive(id, true)).status, 200)
    }
    assert.ok(await memberOf(email))
    const { rows } = await app.database.owner.query('select from mail where recipient = $1', [email])
    assert.equal(rows.length, 3)
  })

  test('a user whose invitation went to a member under another address loses access with that member', async () => {
    const before = `before@${tenant}.test`
    await app.addMember(tenant, before, 'Guest')
    await app.send(getSession, {}, before)
    const { id, email } = await provisioned(['Readers'])
    await app.database.owner.query('update person set email = $1 where email = $2', [email, before])
    await app.send(getSession, {}, before)
    assert.equal(await memberOf(email), undefined)
    assert.ok(await memberOf(before))
    assert.equal((await scim('DELETE', `/Users/${id}`)).status, 204)
    assert.equal(await memberOf(before), undefined)
  })

  test('one change can replace the last manager, and a larger one continues without them', async () => {
    const { id } = await provisioned(['Managers'], manager)
    const next = await provisioned([])
    const guest = await provisioned(['Readers'])
    await app.send(getSession, {}, guest.email)
    // The group is replaced by one with someone who has never signed in: the last manager stays, the others follow.
    const value = [{ value: next.id }]
    const moved = await scim('PUT', `/Groups/${groups.Managers}`, { displayName: 'Managers', members: value })
    assert.equal(moved.status, 200, JSON.stringify(moved.body))
    assert.deepEqual([(await memberOf(manager))!.role, (await memberOf(next.email))!.role], ['Manager', 'Manager'])
    assert.deepEqual(
      (await settings()).withoutAccess.map(({ id, reason }) => [id, reason]),
      [[id, noAccessTexts.last]],
    )
    const refusals = async () => (await audited()).filter(({ action }) => action === 'provisioning refused').length
    assert.equal(await refusals(), 1)
    assert.equal((await setActive(id, false)).status, 409)
    // Once there is another manager who has signed in, the next change ends it.
    await app.send(getSession, {}, next.email)
    await leave(guest.id, 'Readers')
    assert.equal(
      (await members(next.email)).some(({ email }) => email === manager),
      false,
    )
  })

  test('a new manager who has signed in replaces the last one in one change', async () => {
    await provisioned(['Managers'], manager)
    const next = await provisioned(['Readers'])
    await app.send(getSession, {}, next.email)
    const value = [{ value: next.id }]
    const moved = await scim('PUT', `/Groups/${groups.Managers}`, { displayName: 'Managers', members: value })
    assert.equal(moved.status, 200, JSON.stringify(moved.body))
    const now = await members(next.email)
    assert.deepEqual(
      now.filter(({ role }) => role === 'Manager').map(({ email }) => email),
      [next.email],
    )
  })

  test('the last manager without restrictions is never removed or restricted', async () => {
    const { id } = await provisioned(['Managers'], manager)
    assert.equal((await memberOf(manager))!.isProvisioned, true)
    for (const answer of [
      await setActive(id, false),
      await scim('DELETE', `/Users/${id}`),
      await leave(id, 'Managers'),
      await scim('DELETE', `/Groups/${groups.Managers}`),
    ]) {
      assert.equal(answer.status, 409, JSON.stringify(answer.body))
      assert.match(answer.body['detail'], /at least one manager without restrictions. manager is the last one/)
    }
    assert.equal((await setTable(table().slice(1))).status, 409)
    assert.equal((await scim('GET', `/Users/${id}`)).body['active'], true)
    assert.equal((await memberOf(manager))!.role, 'Manager')
    const refused = (await audited()).filter(({ action }) => action === 'provisioning refused')
    assert.equal(refused.length, 4)
    assert.equal(refused[0]!.person_name, 'Provisioning (SCIM)')
    // With a second manager, who has signed in, it may.
    const second = await provisioned(['Managers'])
    await app.send(getSession, {}, second.email)
    assert.equal((await setActive(id, false)).status, 200)
  })

  test('vendor staff are never changed', async () => {
    const { id } = await provisioned(['Readers'], developer)
    const role = async () => (await members(developer)).find(({ email }) => email === developer)?.role
    assert.equal(await role(), 'Developer')
    await setActive(id, false)
    await scim('DELETE', `/Users/${id}`)
    assert.equal(await role(), 'Developer')
    const staff = `someone@${app.context.config.vendorDomain}`
    await provisioned(['Managers'], staff)
    assert.equal(await memberOf(staff), undefined)
    assert.deepEqual(
      (await settings()).withoutAccess.map(({ reason }) => reason),
      [noAccessTexts.vendor],
    )
  })

  test('a user whom a manager removed gets no access until a manager creates them again, or the directory does', async () => {
    const { id, email } = await provisioned(['Readers'])
    const remove = async () => app.send(deleteUser, { params: { tenant, id: (await memberOf(email))!.id } }, manager)
    assert.equal((await remove()).status, 200)
    await join(id, 'Managers')
    assert.equal((await setActive(id, false)).status, 200)
    assert.equal((await setActive(id, true)).status, 200)
    assert.equal(await memberOf(email), undefined)
    assert.deepEqual(
      (await settings()).withoutAccess.map(({ reason }) => reason),
      [noAccessTexts.removed],
    )
    const body = { name: 'Again', email, role: 'Guest' as const, tags: [] }
    assert.equal((await app.send(createUser, { ...params(), body }, manager)).status, 201)
    assert.deepEqual([(await memberOf(email))!.role, (await memberOf(email))!.isProvisioned], ['Guest', false])
    await leave(id, 'Readers')
    assert.deepEqual([(await memberOf(email))!.role, (await memberOf(email))!.isProvisioned], ['Manager', true])
    assert.equal((await remove()).status, 200)
    assert.equal((await scim('DELETE', `/Users/${id}`)).status, 204)
    await provisioned(['Readers'], email)
    assert.equal((await memberOf(email))!.role, 'Guest')
  })

  test('without a valid key managers change users from the directory', async () => {
    const { email } = await provisioned(['Readers'])
    assert.equal((await app.send(revokeProvisioningKey, { params: { tenant, keyId } }, manager)).status, 204)
    const { id, isProvisioned } = (await memberOf(email))!
    assert.equal(isProvisioned, false)
    assert.equal(
      (await app.send(updateUserRole, { params: { tenant, id }, body: { role: 'Manager' } }, manager)).status,
      204,
    )
  })

  test('a manager changes neither details nor role nor tags of a user from the directory', async () => {
    const { email } = await provisioned(['Readers'])
    const { id, canChange } = (await memberOf(email))!
    assert.equal(canChange, true)
    const one = { params: { tenant, id } }
    const refused = [
      await app.send(updateUserDetails, { ...one, body: { name: 'Other', email } }, manager),
      await app.send(updateUserRole, { ...one, body: { role: 'Manager' } }, manager),
      await app.send(updateUserTags, { ...one, body: { tags: [east] } }, manager),
    ]
    assert.deepEqual(
      refused.map(({ status, body }) => [status, body.message]),
      refused.map(() => [409, provisionedText]),
    )
    const again = { name: 'Again', email, role: 'Manager' as const, tags: [] }
    assert.equal((await app.send(createUser, { ...params(), body: again }, manager)).status, 409)
    // The directory does not control passwords.
    assert.ok([204, 422].includes((await app.send(resetUserPassword, one, manager)).status))
  })

  test('names and addresses follow the directory; an address of another member is refused', async () => {
    const { id, email } = await provisioned(['Readers'])
    const next = `next-${email}`
    const change = (value: string) =>
      scim('PATCH', `/Users/${id}`, {
        Operations: [
          { op: 'replace', path: 'emails[type eq "work"].value', value },
          { op: 'replace', path: 'displayName', value: 'Next' },
        ],
      })
    assert.equal((await change(next)).status, 200)
    assert.equal((await memberOf(next))!.name, 'Next')
    assert.equal((await change(manager)).status, 409)
    assert.ok(await memberOf(next))
    const { body } = await app.send(getSession, {}, next)
    assert.equal(body.tenants.length, 1)
  })

  test('an access rights tag that a group gives cannot be deleted', async () => {
    const { status, body } = await app.send(deleteAccessRightsTag, { params: { tenant, id: east } }, manager)
    assert.equal(status, 409)
    assert.match(body.message, /A group of your directory gives this access rights tag/)
  })

  test('the audit names what the table was and is', async () => {
    await setTable(table().slice(0, 1))
    const { body } = await app.send(getAudit, { ...params(), query: {} } as never, developer)
    const entry = body.results.find(({ action }: { action: string }) => action === 'group access changed')!
    assert.deepEqual(entry.after, { groups: [{ group: 'managers', role: 'Manager', accessRightsTags: [] }] })
    assert.deepEqual((entry.before!['groups'] as unknown[])[1], {
      group: 'East managers',
      role: 'Manager',
      accessRightsTags: ['East'],
    })
  })
})

test('the number of calls of a key is limited', async () => {
  await app.database.owner.query("update throttle set count = 100000 where since > now() - interval '1 minute'")
  const answer = await scim('GET', '/Users')
  assert.deepEqual([answer.status, answer.body['status']], [429, '429'])
  assert.ok(answer.headers['retry-after'])
})
