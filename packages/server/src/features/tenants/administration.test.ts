import assert from 'node:assert/strict'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { getAudit } from '@caretaker/contract/audit.ts'
import { getMailbox } from '@caretaker/contract/mailbox.ts'
import { listUsers } from '@caretaker/contract/people.ts'
import { getSession } from '@caretaker/contract/session.ts'
import { getAccessRightsTags } from '@caretaker/contract/tags.ts'
import { getTenantInfo } from '@caretaker/contract/tenants.ts'
import {
  addTenant,
  editTenant,
  getTenantSetup,
  inviteManager,
  joinTenant,
  listTenants,
  resumeTenant,
  setLicences,
  setLogo,
  setTimeZone,
  setUnknownMetrics,
  suspendTenant,
} from '@caretaker/contract/tenant-administration.ts'
import { roles } from '@caretaker/rules/identity/roles.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { warnOfReservedIds } from './reserved.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { pngOf } from '../../testing/photos.ts'

let app: TestApp
let round = 0
let id: string
const developer = 'developer@home.test'
const admin = 'admin@home.test'
const manager = 'manager@home.test'

beforeAll(async () => {
  app = await testApp()
  await app.addTenant('home')
  for (const role of roles) await app.addMember('home', `${role}@home.test`.toLowerCase(), role)
})
afterAll(() => app.close())
beforeEach(() => {
  id = `client-${++round}`
})

const add = (body: object = {}, as = admin) =>
  app.send(addTenant, { body: { id, name: 'Mill Homes', contact: 'ann@mill.test', ...body } }, as)
const setup = async (tenant = id, as = developer) => (await app.send(getTenantSetup, { params: { tenant } }, as)).body
const audited = async (tenant = id) => {
  const { rows } = await app.database.owner.query<{ action: string; person_name: string; after: object }>(
    'select action, person_name, after from audit_entry where tenant_id = $1 order by at, id',
    [tenant],
  )
  return rows
}
const memberHere = (email: string, role: (typeof roles)[number] = 'Manager') => app.addMember(id, email, role)

describe('a client', () => {
  test('is added with id, name and contact, and listed [est-3-8] [est-7.1-13] [est-1-17]', async () => {
    const { status, body } = await add()
    assert.deepEqual([status, body.data], [200, { id }])
    const { results } = (await app.send(listTenants, {}, admin)).body
    assert.deepEqual(
      results.find((one) => one.id === id),
      { id, name: 'Mill Homes', contact: 'ann@mill.test', suspension: null },
    )
    assert.deepEqual((await audited())[0], {
      action: 'client added',
      person_name: 'admin',
      after: { name: 'Mill Homes', contacts: 'ann@mill.test', timeZone: 'Europe/London' },
    })
    await memberHere(`boss@${id}.test`)
    const tags = await app.send(getAccessRightsTags, { params: { tenant: id } }, `boss@${id}.test`)
    assert.deepEqual(
      tags.body.map(({ displayName, protected: kept }) => [displayName, kept]),
      [['Default', true]],
    )
  })

  test('is not added twice, in any case, nor by two users at once', async () => {
    const answers = await Promise.all([add(), add({ id: id.toUpperCase() }), add({ id: ` ${id} ` })])
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409, 409],
    )
    const { body } = await add({ id: 'HOME' })
    assert.match(body.reason ?? body.message ?? '', /home already exists/)
  })

  test('cannot have an id that is invalid or an address of the portal', async () => {
    for (const bad of [
      '',
      'api',
      'OIDC',
      'login',
      'assets',
      'Dashboard',
      'settings',
      'a b',
      '../x',
      'a_b',
      'x'.repeat(41),
    ]) {
      const { status } = await add({ id: bad })
      assert.equal(status, 400, bad)
    }
    assert.equal((await add({ name: ' ' })).status, 400)
    assert.equal((await add({ more: 1 })).status, 400)
    assert.equal((await add({ name: 'x'.repeat(101) })).status, 400)
  })

  test('is edited by id: name and contact, and nothing of another [est-7.1-15]', async () => {
    await add()
    const edit = (body: object, as = admin) =>
      app.send(editTenant, { body: { id, name: 'Mill', contact: 'bob@mill.test', ...body } }, as)
    assert.equal((await edit({})).status, 200)
    const { name, contact } = await setup()
    assert.deepEqual([name, contact], ['Mill', 'bob@mill.test'])
    assert.deepEqual((await audited()).at(-1), {
      action: 'client changed',
      person_name: 'admin',
      after: { name: 'Mill', contacts: 'bob@mill.test' },
    })
    assert.equal((await edit({})).status, 200)
    assert.equal((await audited()).length, 2, 'what changes nothing is not told')
    assert.equal((await edit({ id: 'nowhere' })).status, 404)
    assert.equal((await edit({ id: `'; drop` })).status, 404)
    assert.equal((await edit({ name: '' })).status, 400)
    assert.equal((await setup('home')).name, 'home homes')
  })

  test('is read, added and changed by admins and developers only [est-6-13]', async () => {
    await add()
    const params = { tenant: id }
    for (const role of roles) {
      const as = `${role}@home.test`.toLowerCase()
      const staff = role === 'Admin' || role === 'Developer'
      const answers = [
        await app.send(listTenants, {}, as),
        await app.send(getTenantSetup, { params }, as),
        await app.send(editTenant, { body: { id, name: role, contact: '' } }, as),
        await app.send(setTimeZone, { params, body: { timeZone: 'Europe/Paris' } }, as),
        await app.send(setUnknownMetrics, { params, body: { areKept: true } }, as),
        await app.send(setLogo, { params, body: { logo: null } }, as),
        await app.send(inviteManager, { params, body: { name: 'A', email: `${role}@${id}.test` } }, as),
        await app.send(suspendTenant, { params, body: { reason: 'x' } }, as),
        await app.send(resumeTenant, { params }, as),
        await add({ id: `${id}-${role}`.toLowerCase() }, as),
      ]
      assert.ok(
        answers.every(({ status }) => (staff ? status < 300 : status === 403)),
        `${role}: ${answers.map(({ status }) => status).join()}`,
      )
      const body = { type: 'Managed Service', startOn: '2026-01-01', periodMonths: 12, total: 1 }
      const { status } = await app.send(setLicences, { params, body }, as)
      assert.equal(status, role === 'Developer' ? 204 : 403, role)
    }
    assert.equal((await app.send(getTenantSetup, { params: { tenant: 'nowhere' } }, developer)).status, 404)
    assert.equal((await app.send(listTenants, {})).status, 401)
  })
})

test('has a time zone by name, and an unknown one is refused', async () => {
  await add()
  const put = (timeZone: string) => app.send(setTimeZone, { params: { tenant: id }, body: { timeZone } }, developer)
  assert.equal((await put('europe/paris')).status, 204)
  assert.equal((await setup()).timeZone, 'Europe/Paris')
  assert.equal((await put('Europe/Atlantis')).status, 400)
  assert.equal((await audited()).at(-1)!.action, 'client changed')
})

test('has unknown metrics rejected unless it keeps them, and changes of that are recorded', async () => {
  await add()
  const put = (areKept: boolean) =>
    app.send(setUnknownMetrics, { params: { tenant: id }, body: { areKept } }, developer)
  assert.equal((await setup()).keepsUnknownMetrics, false)
  const before = (await audited()).length
  for (const areKept of [true, true, false]) {
    assert.equal((await put(areKept)).status, 204)
    assert.equal((await setup()).keepsUnknownMetrics, areKept)
  }
  assert.equal((await audited()).length, before + 2, 'what changes nothing is not recorded')
  assert.equal((await audited()).at(-1)!.action, 'client changed')
})

test('has a logo that is an image by its content, returned with the client', async () => {
  await add()
  await memberHere(`boss@${id}.test`)
  const picture = (type: string, content: string | Buffer) =>
    `data:image/${type};base64,${Buffer.from(content as string).toString('base64')}`
  const svg = picture('svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"><path></path></svg>')
  const dark = picture('svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"><line></line></svg>')
  const put = (logo: { light: string; dark: string | null } | null) =>
    app.send(setLogo, { params: { tenant: id }, body: { logo } }, developer)
  assert.equal((await put({ light: svg, dark })).status, 204)
  assert.deepEqual((await setup()).logo, { light: svg, dark })
  const info = () => app.send(getTenantInfo, { body: { tenant: id } }, `boss@${id}.test`)
  assert.deepEqual((await info()).body.data!.settings, { logo: { light: svg, dark } })
  const active =
    '<svg xmlns="http://www.w3.org/2000/svg" onload="a()"><script>a()</script><a href="javascript:a()"><path/></a></svg>'
  assert.equal((await put({ light: picture('svg+xml', active), dark: picture('png', pngOf([], 'GPS')) })).status, 204)
  const kept = (await setup()).logo!
  assert.equal(kept.light, picture('svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"><g><path></path></g></svg>'))
  const declared = `<!DOCTYPE svg [<!ENTITY ns_svg "http://www.w3.org/2000/svg">]><svg xmlns="&ns_svg;"><path/></svg>`
  assert.equal((await put({ light: picture('svg+xml', declared), dark: null })).status, 204)
  assert.equal((await setup()).logo!.light, svg)
  assert.ok(!Buffer.from(kept.dark.split(',')[1]!, 'base64').includes('GPS'))
  assert.equal((await put({ light: picture('png', pngOf([], '', [65_535, 65_535])), dark: null })).status, 413)
  for (const bad of [
    picture('png', '<svg/>'),
    picture('svg+xml', '<html><script>1</script></html>'),
    picture('webp', 'RIFF'),
    picture('svg+xml', 'hello'),
    picture('svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>'),
  ])
    assert.equal((await put({ light: bad, dark: null })).status, 415, bad)
  for (const bad of [
    'https://evil.test/x.png',
    picture('gif', 'GIF89a'),
    `data:image/png;base64,${'A'.repeat(140_000)}`,
  ])
    assert.equal((await put({ light: bad, dark: null })).status, 400)
  assert.equal((await put(null)).status, 204)
  assert.deepEqual((await info()).body.data!.settings, {})
})

test('gets its first manager by e-mail invitation, who counts as one', async () => {
  await add()
  const invite = (email: string) =>
    app.send(inviteManager, { params: { tenant: id }, body: { name: 'Ann Mill', email } }, developer)
  const email = `ann@${id}.test`
  assert.equal((await invite(email)).status, 204)
  assert.equal((await invite(email.toUpperCase())).status, 409)
  assert.deepEqual(
    (await setup()).managers.map(({ name, email: address, hasSignedIn }) => [name, address, hasSignedIn]),
    [['Ann Mill', email, false]],
  )
  const { tenants } = (await app.send(getSession, {}, email)).body
  assert.deepEqual(
    tenants.map((one) => [one.id, one.role]),
    [[id, 'Manager']],
  )
  assert.equal((await app.send(listUsers, { params: { tenant: id } }, email)).status, 200)
  await memberHere(developer, 'Developer')
  const mails = (await app.send(getMailbox, { params: { tenant: id } }, developer)).body.results
  assert.deepEqual(
    mails.map(({ to }) => to),
    [email],
  )
  assert.match(mails[0]!.text!, /\/account\/password\//)
  assert.deepEqual(
    (await audited()).map(({ action, person_name }) => [action, person_name]),
    [
      ['client added', 'admin'],
      ['user created', 'developer'],
    ],
  )
})

test("can be joined by the vendor's staff, with their own role, visible to its users", async () => {
  await add()
  await memberHere(`boss@${id}.test`)
  const join = (as: string, tenant = id) => app.send(joinTenant, { params: { tenant } }, as)
  const enters = async (as: string) => (await app.send(getTenantInfo, { body: { tenant: id } }, as)).status
  for (const role of roles) {
    const as = `${role}@home.test`.toLowerCase()
    const isStaff = role === 'Admin' || role === 'Developer'
    assert.equal(await enters(as), 404, role)
    // A second time changes nothing.
    for (const status of [204, 204]) assert.equal((await join(as)).status, isStaff ? status : 403, role)
    assert.equal(await enters(as), isStaff ? 200 : 404, role)
  }
  assert.equal((await join(developer, 'nowhere')).status, 404)
  assert.equal((await app.send(joinTenant, { params: { tenant: id } })).status, 401)
  const { results } = (await app.send(listUsers, { params: { tenant: id } }, `boss@${id}.test`)).body
  assert.deepEqual(
    results.map(({ email, role, tags }) => [email, role, tags]).filter(([, role]) => role !== 'Manager'),
    [
      [admin, 'Admin', []],
      [developer, 'Developer', []],
    ],
  )
  assert.deepEqual(
    (await audited()).map(({ action, person_name: who }) => [action, who]),
    [
      ['client added', 'admin'],
      ['user created', 'admin'],
      ['user created', 'developer'],
    ],
  )
  assert.deepEqual([(await setup()).isOwn, (await setup('home', admin)).isOwn], [true, true])
  await add({ id: `${id}-b` })
  assert.equal((await setup(`${id}-b`)).isOwn, false)
})

test('has licences per purchase, which are counted, added and removed, never from a property', async () => {
  await add()
  const batch = { type: 'Managed Service', startOn: '2026-03-31', periodMonths: 11 }
  const put = (total: number) => app.send(setLicences, { params: { tenant: id }, body: { ...batch, total } }, developer)
  assert.equal((await put(5)).status, 204)
  assert.deepEqual((await setup()).licences, [{ ...batch, endOn: '2027-02-28', total: 5, assigned: 0 }])
  await inTenant(app.database.db, id, async (tx) => {
    const home = { tenant_id: id, id: crypto.randomUUID(), reference: 'M-1' }
    await tx.insertInto('property').values(home).execute()
    await tx
      .updateTable('licence')
      .set({ property_id: home.id })
      .where('tenant_id', '=', id)
      .where('id', '=', (eb) => eb.selectFrom('licence').select('id').where('tenant_id', '=', id).limit(1))
      .execute()
  })
  const { status, body } = await put(0)
  assert.deepEqual([status, body.message], [409, '1 of these licences are assigned to properties.'])
  assert.equal((await put(1)).status, 204)
  assert.deepEqual((await setup()).licences, [{ ...batch, endOn: '2027-02-28', total: 1, assigned: 1 }])
  assert.deepEqual((await audited()).at(-1)!.after, { 'Managed Service, 2026-03-31, 11 months': 1 })
  for (const bad of [{ total: -1 }, { total: 1.5 }, { periodMonths: 0 }, { startOn: '2026-02-30' }, { type: '' }])
    assert.equal(
      (await app.send(setLicences, { params: { tenant: id }, body: { ...batch, total: 1, ...bad } }, developer)).status,
      400,
    )
})

test('is closed to its users while suspended, with reason and start, and then reopens', async () => {
  await add()
  const boss = `boss@${id}.test`
  await memberHere(boss)
  await memberHere(developer, 'Developer')
  const enter = (as = boss) => app.send(getTenantInfo, { body: { tenant: id } }, as)
  assert.equal((await enter()).status, 200)
  const params = { tenant: id }
  assert.equal((await app.send(suspendTenant, { params, body: { reason: 'Unpaid since May' } }, admin)).status, 204)
  const { status, body } = await enter()
  assert.deepEqual([status, body.message], [403, 'This client is suspended: Unpaid since May'])
  assert.equal((await enter(developer)).status, 200)
  assert.equal((await enter(manager)).status, 404)
  const { tenants } = (await app.send(getSession, {}, boss)).body
  assert.equal(tenants[0]!.suspension!.reason, 'Unpaid since May')
  const since = (await setup()).suspension!.since
  await app.send(suspendTenant, { params, body: { reason: 'Unpaid since June' } }, admin)
  assert.deepEqual((await setup()).suspension, { since, reason: 'Unpaid since June' })
  assert.equal((await app.send(resumeTenant, { params }, admin)).status, 204)
  assert.equal((await app.send(resumeTenant, { params }, admin)).status, 204)
  assert.equal((await enter()).status, 200)
  const { results } = (await app.send(getAudit, { params, query: {} }, developer)).body
  assert.deepEqual(
    results.map(({ action }) => action),
    ['client resumed', 'client suspended', 'call refused', 'client suspended', 'client added'],
  )
})

test('whose ID has since become a reserved address is named in the log at start', async () => {
  const { owner } = app.database
  await warnOfReservedIds(app.context)
  assert.ok(!app.logged.some((line) => line.includes('cannot be opened')))
  await owner.query(`insert into tenant (id, display_name) values ('login', 'Login Homes')`)
  try {
    await warnOfReservedIds(app.context)
    assert.match(app.logged.at(-1)!, /pages of the client login cannot be opened/)
  } finally {
    await owner.query(`delete from tenant where id = 'login'`)
  }
})
