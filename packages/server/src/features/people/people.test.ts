import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { getAudit } from '@caretaker/contract/audit.ts'
import { getMailbox } from '@caretaker/contract/mailbox.ts'
import { getSession } from '@caretaker/contract/session.ts'
import type { User } from '@caretaker/contract/people.ts'
import {
  createUser,
  deleteUser,
  listUsers,
  resetUserPassword,
  updateUserDetails,
  updateUserRole,
  updateUserTags,
} from '@caretaker/contract/people.ts'
import { deleteAccessRightsTag } from '@caretaker/contract/tags.ts'
import type { AuditAction } from '@caretaker/rules/audit/audit.ts'
import type { Feature } from '@caretaker/rules/identity/features.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { roles } from '@caretaker/rules/identity/roles.ts'
import { ensureAccount, findAccount, setPassword } from '../../idp/accounts.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag } from '../../testing/furnish/devices.ts'

/** A tenant of its own for a test, with a manager, a user of each other role, and an access rights tag. */
interface World {
  tenant: string
  manager: string
  person: Record<Role, string>
  east: string
  west: string
  /** A manager with the tag East Patch. */
  limited: string
}

let app: TestApp
let worlds = 0
let fresh = 0
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

async function newWorld(features: Feature[] = []): Promise<World> {
  const tenant = `tenant-${++worlds}`
  await app.addTenant(tenant, { features })
  const [east, west] = [
    await addAccessRightsTag(app, tenant, 'East Patch'),
    await addAccessRightsTag(app, tenant, 'West Patch'),
  ]
  const person = Object.fromEntries(
    roles.map((role) => [role, `${role}@${tenant}.test`.toLowerCase()]),
  ) as World['person']
  for (const role of roles) await member(tenant, person[role], role)
  const limited = await member(tenant, `limited@${tenant}.test`, 'Manager', [east])
  return { tenant, manager: person.Manager, person, east, west, limited }
}

/** A member who has signed in. */
async function member(tenant: string, email: string, role: Role, tags: string[] = []): Promise<string> {
  await app.addMember(tenant, email, role, tags)
  assert.equal((await app.send(getSession, {}, email)).status, 200)
  return email
}

const newEmail = () => `new-${++fresh}@people.test`
const list = async ({ tenant, manager }: World, as = manager) =>
  (await app.send(listUsers, { params: { tenant } }, as)).body.results
const find = async (world: World, email: string): Promise<User> => {
  const user = (await list(world)).find((one) => one.email === email)
  assert.ok(user, `${email} is listed`)
  return user
}
const idOf = async (world: World, email: string) => (await find(world, email)).id

interface Wanted {
  name?: unknown
  email?: unknown
  role?: unknown
  tags?: unknown
}
const create = ({ tenant, manager }: World, wanted: Wanted & object = {}, as = manager) =>
  app.send(
    createUser,
    { params: { tenant }, body: { name: 'Ann', email: newEmail(), role: 'Guest', tags: [], ...wanted } as never },
    as,
  )
const put = {
  details: ({ tenant, manager }: World, id: string, body: unknown, as = manager) =>
    app.send(updateUserDetails, { params: { tenant, id }, body: body as never }, as),
  tags: ({ tenant, manager }: World, id: string, tags: unknown, as = manager) =>
    app.send(updateUserTags, { params: { tenant, id }, body: { tags } as never }, as),
  role: ({ tenant, manager }: World, id: string, role: unknown, as = manager) =>
    app.send(updateUserRole, { params: { tenant, id }, body: { role } as never }, as),
}
const remove = ({ tenant, manager }: World, id: string, as = manager) =>
  app.send(deleteUser, { params: { tenant, id } }, as)
const reset = ({ tenant, manager }: World, id: string, as = manager) =>
  app.send(resetUserPassword, { params: { tenant, id } }, as)
const audited = async ({ tenant, person }: World, action: AuditAction) =>
  (await app.send(getAudit, { params: { tenant }, query: { action } }, person.Admin)).body.results
const mails = async ({ tenant, person }: World) =>
  (await app.send(getMailbox, { params: { tenant } }, person.Developer)).body.results
const accessRight = (value: string) => [{ type: 'AccessRight', value }]

describe('the list', () => {
  test('has id, name, role, tags, e-mail and the first tag of each user [core-3-5 core-7.3-1]', async () => {
    const world = await newWorld()
    const users = await list(world)
    assert.equal(users.length, 7)
    for (const field of ['id', 'name', 'role', 'tags', 'email', 'accessRightsTag'])
      assert.ok(
        users.every((user) => field in user),
        field,
      )
    const guest = users.find((user) => user.role === 'Guest')!
    assert.deepEqual([guest.email, guest.tags, guest.accessRightsTag], [world.person.Guest, [], null])
    const limited = users.find((user) => user.email === world.limited)!
    assert.deepEqual([limited.tags, limited.accessRightsTag], [[world.east], world.east])
  })

  test('shows names to everyone, and e-mails only to users who administer users', async () => {
    const world = await newWorld()
    for (const role of roles) {
      const users = await list(world, world.person[role])
      const administers = ['Manager', 'Admin', 'Developer'].includes(role)
      assert.equal(users.length, 7)
      assert.ok(
        users.every((user) => (user.email !== null) === administers),
        role,
      )
      assert.ok(users.every((user) => user.name !== ''))
    }
  })

  test('shows whom the reader may change, who is vendor staff, and who has not signed in yet', async () => {
    const world = await newWorld()
    const staff = await member(world.tenant, `staff-${world.tenant}@caretaker.example`, 'Guest')
    const { body: invited } = await create(world)
    const users = await list(world)
    const emails = (wanted: (user: User) => boolean) =>
      users
        .filter(wanted)
        .map((user) => user.email!)
        .sort()
    const { person, limited } = world
    assert.deepEqual(
      emails((user) => user.canChange),
      [person.BoilerEngineer, person.Guest, person.LightingEngineer, limited, invited.email!].sort(),
    )
    assert.deepEqual(
      emails((user) => user.isVendorStaff),
      [staff],
    )
    assert.deepEqual(
      emails((user) => !user.hasSignedIn),
      [invited.email],
    )
    const seenByLimited = await list(world, limited)
    assert.equal(seenByLimited.length, users.length)
    assert.ok(seenByLimited.every((user) => !user.canChange))
  })
})

describe('a new user', () => {
  test('is created from name, e-mail, role and tags, recorded, and listed as invited [core-7.3-2 core-7.3-4]', async () => {
    const world = await newWorld()
    const email = newEmail()
    const wanted = { name: '  Zoë   Ashworth ', email: email.toUpperCase(), role: 'LightingEngineer' }
    const { status, body } = await create(world, { ...wanted, tags: accessRight(world.east) })
    assert.equal(status, 201)
    assert.deepEqual(body, {
      id: body.id,
      name: 'Zoë Ashworth',
      email,
      role: 'LightingEngineer',
      tags: [world.east],
      accessRightsTag: world.east,
      canChange: true,
      isVendorStaff: false,
      hasSignedIn: false,
      isProvisioned: false,
    })
    assert.deepEqual(await find(world, email), body)
    const [entry] = await audited(world, 'user created')
    assert.deepEqual([entry!.subject, entry!.subjectId, entry!.before], ['Zoë Ashworth', body.id, null])
    assert.deepEqual(entry!.after, {
      name: 'Zoë Ashworth',
      email,
      role: 'LightingEngineer',
      accessRightsTags: ['East Patch'],
    })
  })

  test('gets an e-mail with a link to choose a password, and is linked at sign-in', async () => {
    const world = await newWorld()
    const email = newEmail()
    // A caller with another host header gets no link to it.
    const elsewhere = { headers: { host: 'evil.test', 'x-forwarded-host': 'evil.test' } }
    const body = { name: 'Ann', email, role: 'Guest' as const, tags: [] }
    const sent = { params: { tenant: world.tenant }, body }
    assert.equal((await app.send(createUser, sent, world.manager, elsewhere)).status, 201)
    const [mail] = await mails(world)
    assert.equal(mail!.to, email)
    assert.ok(mail!.text!.includes(`${world.tenant} homes`) && !mail!.text!.includes('evil.test'))
    const token = /^http:\/\/localhost:8080\/account\/password\/([\w-]+)$/m.exec(mail!.text!)![1]!
    assert.ok(await setPassword(app.database.idp, token, 'a long password'))
    assert.equal(await setPassword(app.database.idp, token, 'another password'), undefined)
    const session = await app.send(getSession, {}, email)
    assert.deepEqual(
      session.body.tenants.map(({ id, role }) => ({ id, role })),
      [{ id: world.tenant, role: 'Guest' }],
    )
    assert.equal((await find(world, email)).hasSignedIn, true)
  })

  test('with a web address as name is refused, and a stored one becomes no link in the e-mail', async () => {
    const world = await newWorld()
    for (const name of ['http://evil.example/win', 'Ann www.evil.example', 'evil.example/win']) {
      const { status, body } = await create(world, { name })
      assert.deepEqual([status, body.validationErrors[0].message], [400, 'must not contain a web address'], name)
      const id = await idOf(world, world.person.Guest)
      assert.equal((await put.details(world, id, { name, email: newEmail() })).status, 400, name)
    }
    assert.deepEqual(await mails(world), [])
    const name = 'Free prizes: http://evil.example/win'
    await app.database.owner.query('update tenant set display_name = $1 where id = $2', [name, world.tenant])
    await create(world)
    const [mail] = await mails(world)
    assert.ok(mail!.text!.includes('Free prizes: http: // evil. example/win'))
    assert.ok(!`${mail!.subject} ${mail!.text}`.includes('//evil'))
  })

  test('with a known verified e-mail is active at once, and gets the sign-in link', async () => {
    const [world, other] = [await newWorld(), await newWorld()]
    const { status, body } = await create(world, { email: other.manager })
    assert.deepEqual([status, body.hasSignedIn], [201, true])
    const [mail] = await mails(world)
    assert.match(mail!.text!, new RegExp(`^http://localhost:8080/${world.tenant}/Dashboard$`, 'm'))
    assert.ok(!mail!.text!.includes('/account/password/'))
    const { tenants } = (await app.send(getSession, {}, other.manager)).body
    assert.deepEqual(tenants.map(({ id, role }) => `${id} ${role}`).sort(), [
      `${world.tenant} Guest`,
      `${other.tenant} Manager`,
    ])
  })

  test('with an unverified e-mail is invited, not linked', async () => {
    const world = await newWorld()
    const email = newEmail()
    const claims = { email_verified: false, sub: `impostor of ${email}` }
    await app.send(getSession, {}, email, { claims })
    assert.equal((await create(world, { email })).body.hasSignedIn, false)
    assert.deepEqual((await app.send(getSession, {}, email, { claims })).body.tenants, [])
  })

  test('who is already a member is 409, at once or in turn, under any e-mail', async () => {
    const world = await newWorld()
    const email = newEmail()
    const answers = await Promise.all([create(world, { email }), create(world, { email }), create(world, { email })])
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, 409, 409],
    )
    assert.equal((await create(world, { email: world.person.Guest.toUpperCase() })).status, 409)
    await put.details(world, await idOf(world, world.person.Guest), { name: 'Moved', email: newEmail() })
    const { status, body } = await create(world, { email: world.person.Guest })
    assert.deepEqual([status, body.message], [409, 'This user is already a member.'])
    assert.equal((await mails(world)).length, 1)
  })

  test('cannot be given the roles Developer and Admin', async () => {
    const world = await newWorld()
    for (const role of ['Developer', 'Admin'])
      for (const as of [world.person.Manager, world.person.Admin, world.person.Developer]) {
        const { status, body } = await create(world, { role }, as)
        assert.deepEqual([status, body.message], [403, 'You cannot assign this role.'])
      }
    assert.equal((await list(world)).length, 7)
    assert.equal((await mails(world)).length, 0)
  })

  test("of a limited manager gets only that manager's tags, and at least one", async () => {
    const world = await newWorld()
    for (const tags of [[], accessRight(world.west)]) {
      const { status, body } = await create(world, { tags }, world.limited)
      assert.deepEqual([status, body.message], [403, 'You can only assign your own access rights tags.'])
    }
    assert.equal((await create(world, { tags: accessRight(world.east) }, world.limited)).status, 201)
  })

  test("cannot be given an unknown tag or another tenant's", async () => {
    const [world, other] = [await newWorld(), await newWorld()]
    for (const value of [crypto.randomUUID(), other.east]) {
      const { status, body } = await create(world, { tags: accessRight(value) })
      assert.equal(status, 400)
      assert.deepEqual(body.validationErrors, [
        { field: 'tags.0.value', message: 'This access rights tag does not exist.' },
      ])
    }
  })

  test('cannot be created by engineers and guests', async () => {
    const world = await newWorld()
    for (const role of ['LightingEngineer', 'BoilerEngineer', 'Guest'] as const)
      assert.equal((await create(world, {}, world.person[role])).status, 403, role)
    assert.equal((await list(world)).length, 7)
  })

  test('is created from these four fields only, each of its type', async () => {
    const world = await newWorld()
    const strange = [[], {}, null, 1, true, 'a\u0000b', '\ud800', 'x'.repeat(10_000), ['x']]
    const wrong: Record<string, unknown[]> = {
      name: [...strange, '', '   ', 'x'.repeat(101), 'two\nlines', 'un\u200bseen', '\u202eTom'],
      email: [
        ...strange,
        '',
        'x',
        'a@b',
        'a b@c.test',
        'аnn@north.test',
        'ann@nоrth.test',
        'a@b.test\r\nBcc: x@y.test',
      ],
      role: [...strange, 'guest', 'Owner', '', 'Мanager'],
      tags: [
        ...strange.filter((one) => !(Array.isArray(one) && one.length === 0)),
        [world.east],
        [{ type: 'AccessRight', value: 'reset' }],
        [{ type: 'Other', value: world.east }],
        [{ type: 'AccessRight', value: world.east, owner: 'me' }],
        [...accessRight(world.east), ...accessRight(world.west)],
      ],
    }
    for (const [field, values] of Object.entries(wrong))
      for (const value of values) {
        const { status, body } = await create(world, { [field]: value })
        assert.equal(status, 400, `${field} = ${JSON.stringify(value).slice(0, 60)}`)
        assert.ok(body.validationErrors.every((error: { field: string }) => error.field.startsWith(field)))
      }
    const smuggled = {
      tenant: 'x',
      tenant_id: 'x',
      id: crypto.randomUUID(),
      personId: 'x',
      canChange: true,
      __proto__x: 1,
    }
    for (const [field, value] of Object.entries(smuggled))
      assert.equal((await create(world, { [field]: value })).status, 400, field)
    assert.equal((await list(world)).length, 7)
  })
})

describe('changes', () => {
  test('of name and e-mail are recorded; the invitation follows the e-mail [core-7.3-5]', async () => {
    const world = await newWorld()
    const [first, second] = [newEmail(), newEmail()]
    const { id } = (await create(world, { email: first })).body
    const { status, body } = await put.details(world, id, { name: 'Ann Other', email: second })
    assert.equal(status, 204, JSON.stringify(body))
    const user = await find(world, second)
    assert.deepEqual([user.id, user.name, user.role], [id, 'Ann Other', 'Guest'])
    const [entry] = await audited(world, 'user details changed')
    assert.deepEqual(entry!.before, { name: 'Ann', email: first })
    assert.deepEqual(entry!.after, { name: 'Ann Other', email: second })
    assert.deepEqual((await mails(world)).map((mail) => mail.to).sort(), [first, second].sort())
    assert.deepEqual((await app.send(getSession, {}, first)).body.tenants, [])
    assert.equal((await app.send(getSession, {}, second)).body.tenants.length, 1)
    assert.equal((await put.details(world, id, { name: 'Ann Other', email: second })).status, 204)
    assert.equal((await audited(world, 'user details changed')).length, 1)
  })

  test('to an e-mail of another user, another account of a member, or the vendor are refused', async () => {
    const world = await newWorld()
    const id = await idOf(world, world.person.Guest)
    const change = (email: string) => put.details(world, id, { name: 'Guest', email })
    assert.equal((await change(world.person.LightingEngineer)).status, 409)
    assert.equal((await change('new@caretaker.example')).status, 403)
    const invited = (await create(world)).body.id
    await put.details(world, id, { name: 'Guest', email: newEmail() })
    assert.equal((await put.details(world, invited, { name: 'x', email: world.person.Guest })).status, 409)
  })

  test('of tags replace them, and apply at the next call [core-7.3-6]', async () => {
    const world = await newWorld()
    const id = await idOf(world, world.person.Guest)
    for (const tag of [world.east, world.west]) {
      assert.equal((await put.tags(world, id, [tag])).status, 204)
      assert.deepEqual((await find(world, world.person.Guest)).tags, [tag])
      const session = await app.send(getSession, {}, world.person.Guest)
      assert.deepEqual(session.body.tenants[0]!.tags, [tag])
    }
    const entries = await audited(world, 'user tags changed')
    assert.deepEqual(
      entries.map(({ before, after }) => [before!.accessRightsTags, after!.accessRightsTags]),
      [
        [['East Patch'], ['West Patch']],
        [[], ['East Patch']],
      ],
    )
  })

  test('to null remove all tags [core-7.3-7]', async () => {
    const world = await newWorld()
    const id = await idOf(world, world.limited)
    assert.equal((await put.tags(world, id, null)).status, 204)
    const user = await find(world, world.limited)
    assert.deepEqual([user.tags, user.accessRightsTag], [[], null])
  })

  test('to an unknown tag, or another tenant’s, are 400 and change nothing', async () => {
    const [world, other] = [await newWorld(), await newWorld()]
    const id = await idOf(world, world.limited)
    for (const tag of [crypto.randomUUID(), other.east]) assert.equal((await put.tags(world, id, [tag])).status, 400)
    assert.deepEqual((await find(world, world.limited)).tags, [world.east])
  })

  test('that give a tag while it is deleted never leave it on a user', async () => {
    const world = await newWorld()
    const id = await idOf(world, world.person.Guest)
    for (let round = 0; round < 8; round++) {
      const tag = await addAccessRightsTag(app, world.tenant, `Contested ${round}`)
      const [given, deleted] = await Promise.all([
        put.tags(world, id, [tag]),
        app.send(deleteAccessRightsTag, { params: { tenant: world.tenant, id: tag } }, world.person.Admin),
      ])
      assert.ok(
        (given.status === 204 && deleted.status === 409) || (given.status === 400 && deleted.status === 204),
        `${given.status} ${deleted.status}`,
      )
      await put.tags(world, id, null)
    }
  })

  test('of the role are recorded, and apply at the next call [core-7.3-8]', async () => {
    const world = await newWorld()
    const id = await idOf(world, world.person.Guest)
    assert.equal((await create(world, {}, world.person.Guest)).status, 403)
    assert.equal((await put.role(world, id, 'Manager')).status, 204)
    assert.equal((await find(world, world.person.Guest)).role, 'Manager')
    assert.equal((await create(world, {}, world.person.Guest)).status, 201)
    const [entry] = await audited(world, 'user role changed')
    assert.deepEqual([entry!.before, entry!.after], [{ role: 'Guest' }, { role: 'Manager' }])
    for (const role of ['Admin', 'Developer']) assert.equal((await put.role(world, id, role)).status, 403, role)
    assert.equal((await find(world, world.person.Guest)).role, 'Manager')
  })

  test('by deletion apply at once, also to pending invitations; the audit stays [core-7.3-9]', async () => {
    const world = await newWorld()
    const { Guest } = world.person
    assert.equal((await remove(world, await idOf(world, Guest))).status, 200)
    assert.ok(!(await list(world)).some((user) => user.email === Guest))
    assert.deepEqual((await app.send(getSession, {}, Guest)).body.tenants, [])
    assert.equal((await app.send(listUsers, { params: { tenant: world.tenant } }, Guest)).status, 404)
    const invited = newEmail()
    const { id } = (await create(world, { email: invited })).body
    await remove(world, id)
    assert.deepEqual((await app.send(getSession, {}, invited)).body.tenants, [])
    assert.equal((await remove(world, id)).status, 404)
    const [entry] = await audited(world, 'user deleted')
    assert.deepEqual([entry!.before!.email, entry!.after], [invited, null])
    assert.equal((await create(world, { email: Guest })).status, 201)
  })
})

describe('rights to change users', () => {
  /** Tries every change to one user as another user; returns the results. */
  const attempts = async (world: World, id: string, as: string) => ({
    details: await put.details(world, id, { name: 'Changed', email: newEmail() }, as),
    tags: await put.tags(world, id, [world.west], as),
    role: await put.role(world, id, 'Guest', as),
    reset: await reset(world, id, as),
    delete: await remove(world, id, as),
  })
  const allRefused = async (world: World, whom: string, as: string, text: string | RegExp) => {
    const before = await find(world, whom)
    for (const [what, { status, body }] of Object.entries(await attempts(world, before.id, as))) {
      assert.equal(status, 403, `${what}: ${JSON.stringify(body)}`)
      assert.match(body.message as string, new RegExp(text), what)
    }
    assert.deepEqual(await find(world, whom), before)
    assert.deepEqual(await mails(world), [])
  }

  test('below edit level are none', async () => {
    const world = await newWorld()
    for (const role of ['LightingEngineer', 'BoilerEngineer', 'Guest'] as const)
      await allRefused(world, world.limited, world.person[role], "^You don't have permission\\.$")
  })

  test('never include oneself, whatever the role', async () => {
    const world = await newWorld()
    for (const role of ['Manager', 'Admin', 'Developer'] as const)
      await allRefused(world, world.person[role], world.person[role], 'cannot change your own user')
  })

  test('never include users of a higher role', async () => {
    const world = await newWorld()
    await allRefused(world, world.person.Admin, world.manager, 'higher role')
    await allRefused(world, world.person.Developer, world.manager, 'higher role')
    await allRefused(world, world.person.Developer, world.person.Admin, 'higher role')
  })

  test('of a limited manager cover only users with the same restrictions', async () => {
    const world = await newWorld()
    await allRefused(world, world.person.Guest, world.limited, 'own access rights tags')
    const west = await member(world.tenant, newEmail(), 'Guest', [world.west])
    await allRefused(world, west, world.limited, 'own access rights tags')
    const east = await idOf(world, await member(world.tenant, newEmail(), 'Guest', [world.east]))
    assert.equal((await put.role(world, east, 'Manager', world.limited)).status, 204)
    assert.equal((await put.tags(world, east, null, world.limited)).status, 403)
    assert.equal((await put.tags(world, east, [world.west], world.limited)).status, 403)
    assert.equal((await remove(world, east, world.limited)).status, 200)
  })

  test('cover vendor staff only while SystemDebug is on [core-6-40 core-6-41]', async () => {
    const world = await newWorld()
    const staff = await member(world.tenant, `staff-${world.tenant}@caretaker.example`, 'Guest')
    await allRefused(world, staff, world.manager, 'Vendor staff cannot be changed')
    assert.equal((await find(world, staff)).canChange, false)
    const debugged = await newWorld(['SystemDebug'])
    const other = await member(debugged.tenant, `staff-${debugged.tenant}@caretaker.example`, 'Guest')
    assert.equal((await find(debugged, other)).canChange, true)
    assert.equal((await put.role(debugged, await idOf(debugged, other), 'LightingEngineer')).status, 204)
  })

  test("never include another tenant's users, who are not found", async () => {
    const [world, other] = [await newWorld(), await newWorld()]
    const id = await idOf(other, other.person.Guest)
    for (const [what, { status }] of Object.entries(await attempts(world, id, world.manager)))
      assert.equal(status, 404, what)
    assert.equal((await find(other, other.person.Guest)).role, 'Guest')
  })

  test('unknown fields, and invalid roles, tags and ids, are 400', async () => {
    const world = await newWorld()
    const id = await idOf(world, world.person.Guest)
    const strange = [[], {}, 1, true, 'a\u0000b', '\ud800', 'x'.repeat(10_000), undefined]
    for (const value of [...strange, null, 'guest', 'Owner', ['Guest']])
      assert.equal((await put.role(world, id, value)).status, 400, `role ${JSON.stringify(value)?.slice(0, 40)}`)
    for (const value of [{}, 1, true, 'reset', world.east, ['reset'], [null], [[world.east]], undefined])
      assert.equal((await put.tags(world, id, value)).status, 400, `tags ${JSON.stringify(value)}`)
    const details = { name: 'Ann', email: newEmail() }
    for (const field of ['name', 'email'])
      for (const value of [...strange, null])
        assert.equal(
          (await put.details(world, id, { ...details, [field]: value })).status,
          400,
          `${field} ${typeof value}`,
        )
    for (const smuggled of ['role', 'tags', 'tenant', 'tenant_id', 'personId', 'id'])
      assert.equal((await put.details(world, id, { ...details, [smuggled]: 'Manager' })).status, 400, smuggled)
    for (const wrong of ['x', '%00', 'a'.repeat(190)]) assert.equal((await remove(world, wrong)).status, 400, wrong)
    assert.deepEqual((await find(world, world.person.Guest)).role, 'Guest')
  })
})

describe('the last manager without restrictions', () => {
  const last = 'A client needs at least one manager without restrictions.'

  test('cannot be demoted, restricted or deleted, not even by a developer', async () => {
    const world = await newWorld()
    const id = await idOf(world, world.manager)
    // An invited user may never sign in.
    await create(world, { role: 'Manager' })
    for (const as of [world.person.Admin, world.person.Developer]) {
      const answers = [
        await put.role(world, id, 'Guest', as),
        await put.tags(world, id, [world.east], as),
        await remove(world, id, as),
      ]
      for (const { status, body } of answers) assert.deepEqual([status, body.message], [409, last])
    }
    assert.equal(
      (await put.details(world, id, { name: 'Renamed', email: world.manager }, world.person.Admin)).status,
      204,
    )
    const second = await member(world.tenant, newEmail(), 'Manager')
    assert.equal((await put.role(world, id, 'Guest', second)).status, 204)
  })

  test('two managers who demote, restrict or delete each other at once leave one of them', async () => {
    const world = await newWorld()
    for (let round = 0; round < 6; round++) {
      const other = await member(world.tenant, newEmail(), 'Manager')
      const [a, b] = [await idOf(world, world.manager), await idOf(world, other)]
      const change = [
        (id: string, as: string) => put.role(world, id, 'Guest', as),
        (id: string, as: string) => put.tags(world, id, [world.east], as),
        (id: string, as: string) => remove(world, id, as),
      ][round % 3]!
      const answers = await Promise.all([change(b, world.manager), change(a, other)])
      // The second is no longer a manager.
      assert.equal(answers.filter(({ status }) => status < 300).length, 1, answers.map(({ status }) => status).join())
      const managers = (await list(world, world.person.Admin)).filter(
        (user) => user.role === 'Manager' && user.tags.length === 0,
      )
      assert.equal(managers.length, 1)
      world.manager = managers[0]!.email!
    }
  })
})

describe('a password reset', () => {
  /** A member of the embedded identity provider whose account has a password. */
  async function accountHolder(world: World): Promise<{ email: string; id: string; account: string }> {
    const email = newEmail()
    const account = await ensureAccount(app.database.idp, email, 'Ann')
    const { id } = (await create(world, { email })).body
    assert.equal((await app.send(getSession, {}, email, { claims: { sub: account } })).status, 200)
    assert.equal((await find(world, email)).hasSignedIn, true)
    return { email, id, account }
  }

  test("e-mails a link that works once to the account's address, and is recorded without it", async () => {
    const world = await newWorld()
    const { email, id, account } = await accountHolder(world)
    // The e-mail in the tenant's records is not where the account link is sent.
    await put.details(world, id, { name: 'Ann', email: newEmail() })
    const { status, body } = await reset(world, id)
    assert.equal(status, 204, JSON.stringify(body))
    const [mail] = await mails(world)
    assert.equal(mail!.to, email)
    const token = /^http:\/\/localhost:8080\/account\/password\/([\w-]+)$/m.exec(mail!.text!)![1]!
    assert.equal((await findAccount(app.database.idp, account))!.hasPassword, false)
    assert.ok(await setPassword(app.database.idp, token, 'a long password'))
    assert.equal((await findAccount(app.database.idp, account))!.hasPassword, true)
    const [entry] = await audited(world, 'password reset sent')
    assert.deepEqual([entry!.subjectId, entry!.before, entry!.after], [id, null, null])
  })

  test('sends an invited user a new link', async () => {
    const world = await newWorld()
    const email = newEmail()
    const { id } = (await create(world, { email })).body
    assert.equal((await reset(world, id)).status, 204)
    const sent = await mails(world)
    assert.deepEqual(
      sent.map((mail) => mail.to),
      [email, email],
    )
  })

  test('of a user of another identity provider is refused with the reason', async () => {
    const world = await newWorld()
    const { status, body } = await reset(world, await idOf(world, world.person.Guest))
    assert.equal(status, 422)
    assert.match(body.message, /another identity provider/)
    assert.deepEqual(await mails(world), [])
  })

  test('with an external identity provider is refused with the reason, and invitations link to its sign-in', async () => {
    const external = await testApp({ OIDC_ISSUER: 'https://id.test', OIDC_AUDIENCE: 'x' }, app.database)
    try {
      const world = await newWorld()
      const send = (body: object) =>
        external.send(createUser, { params: { tenant: world.tenant }, body: body as never }, world.manager)
      await external.send(getSession, {}, world.manager)
      await app.database.owner.query(
        `update membership set person_id = (select id from person where issuer = 'https://id.test' and email = $1) where email = $1`,
        [world.manager],
      )
      const email = newEmail()
      const { status, body } = await send({ name: 'Ann', email, role: 'Guest', tags: [] })
      assert.equal(status, 201)
      const answer = await external.send(
        resetUserPassword,
        { params: { tenant: world.tenant, id: body.id } },
        world.manager,
      )
      assert.equal(answer.status, 422)
      assert.match(answer.body.message, /identity provider/)
      const [mail] = await mails(world)
      assert.match(mail!.text!, new RegExp(`^http://localhost:8080/${world.tenant}/Dashboard$`, 'm'))
      const { rowCount } = await app.database.owner.query('select from idp.account where email = $1', [email])
      assert.equal(rowCount, 0)
    } finally {
      await external.app.close()
    }
  })

  test('the mailbox is for developers', async () => {
    const world = await newWorld()
    for (const role of roles) {
      const { status } = await app.send(getMailbox, { params: { tenant: world.tenant } }, world.person[role])
      assert.equal(status, role === 'Developer' ? 200 : 403, role)
    }
  })
})
