import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, test, vi } from 'vitest'
import { getAudit } from '@caretaker/contract/audit.ts'
import { viewingEndedText, viewingHeader, viewingText } from '@caretaker/contract/calls/people.ts'
import { streamChanges } from '@caretaker/contract/changes.ts'
import { deleteUser, endViewing, listUsers, startViewing, updateUserRole } from '@caretaker/contract/people.ts'
import {
  addProperty,
  exportProperties,
  fetchProperties,
  getProperty,
  moveProperty,
} from '@caretaker/contract/properties.ts'
import { getPersonalDataReads } from '@caretaker/contract/reads.ts'
import { getSession } from '@caretaker/contract/session.ts'
import { getTenantInfo } from '@caretaker/contract/tenants.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { changed } from '../../changes/changed.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { makeKey } from '../../testing/api-key.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { endExpiredViews } from './viewing-ends.ts'

let app: TestApp
let round = 0
let tenant: string
let manager: string
let guest: string
let guestId: string
let home: string
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
beforeEach(async () => {
  tenant = `t${++round}`
  await app.addTenant(tenant, { features: ['PropertyCentric'], capabilities: ['ViewProperties'] })
  manager = await member('Manager')
  guest = await member('Guest')
  guestId = await idOf(guest)
  home = randomUUID()
  await inTenant(app.database.db, tenant, (tx) =>
    tx
      .insertInto('property')
      .values({ tenant_id: tenant, id: home, reference: 'NG-1', address1: '1 Mill Lane', postcode: 'LS6 1AB' })
      .execute(),
  )
})

/** A member who has signed in. */
async function member(role: Role, tags: string[] = [], name: string = role.toLowerCase()): Promise<string> {
  const email = `${name}@${tenant}.test`
  await app.addMember(tenant, email, role, tags)
  assert.equal((await app.send(getSession, {}, email)).status, 200)
  return email
}
const idOf = async (email: string) =>
  (
    await app.database.owner.query<{ id: string }>('select id from membership where tenant_id = $1 and email = $2', [
      tenant,
      email,
    ])
  ).rows[0]!.id

const start = (id = guestId, who = manager) => app.send(startViewing, { params: { tenant, id } }, who)
async function begun(id = guestId, who = manager) {
  const { status, body } = await start(id, who)
  assert.equal(status, 201, JSON.stringify(body))
  return { viewingId: body.viewingId, headers: { [viewingHeader]: `${tenant}/${body.viewingId}` } }
}

test('a manager sees the client with the role and tags of the member', async () => {
  const east = await addAccessRightsTag(app, tenant, 'East')
  const limited = await member('Guest', [east], 'limited')
  const { headers } = await begun(await idOf(limited))
  const { body } = await app.send(getSession, {}, manager, { headers })
  assert.deepEqual(
    body.tenants.map(({ role, tags }) => [role, tags]),
    [['Guest', [east]]],
  )
  const page = async (bend = {}) =>
    (await app.send(fetchProperties, { body: { tenant } }, manager, bend)).body.data!.total
  assert.deepEqual([await page(), await page({ headers })], [1, 0])
  assert.equal(
    (await app.send(getProperty, { params: { tenant, propertyId: home } }, manager, { headers })).status,
    404,
  )
  const { body: users } = await app.send(listUsers, { params: { tenant } }, manager, { headers })
  assert.ok(users.results.every(({ email, canChange }) => email === null && !canChange))
})

test('calls of the same moment with and without a view are answered each with their own rights', async () => {
  const east = await addAccessRightsTag(app, tenant, 'East')
  const limited = await member('Guest', [east], 'limited')
  const { headers } = await begun(await idOf(limited))
  const send = (bend = {}) => app.send(fetchProperties, { body: { tenant } }, manager, bend)
  const answers = await Promise.all([send(), send({ headers }), send(), send({ headers })])
  assert.deepEqual(
    answers.map(({ body }) => body.data!.total),
    [1, 0, 1, 0],
  )
})

test('every change is refused with the name, on the server', async () => {
  const { headers } = await begun()
  const sent = { params: { tenant, propertyId: home }, body: { buildingId: null, floorId: null, version: 1 } as never }
  const moved = await app.send(moveProperty, sent, manager, { headers })
  assert.deepEqual([moved.status, moved.body.message], [403, viewingText('guest')])
  for (const [route, call] of [
    [addProperty, { params: { tenant }, body: {} }],
    [updateUserRole, { params: { tenant, id: guestId }, body: { role: 'Manager' } }],
    [deleteUser, { params: { tenant, id: guestId } }],
    [startViewing, { params: { tenant, id: guestId } }],
    [endViewing, { params: { tenant, viewingId: randomUUID() } }],
  ] as const)
    assert.equal((await app.send(route as typeof deleteUser, call as never, manager, { headers })).status, 403)
  const exported = { body: { tenant, listing: 'Properties' as const, columns: ['propertyReference' as const] } }
  assert.equal(
    (await app.send(exportProperties, exported, manager, { headers })).status,
    200,
    'an export that writes nothing',
  )
  assert.equal((await app.send(getTenantInfo, { body: { tenant } }, manager)).status, 200)
})

test('a call that would write although it reads is refused by the database', async () => {
  const { headers } = await begun()
  const { beginViewed, refuseWrite } = await import('../../http/viewing.ts')
  const { rows } = await app.database.owner.query<{ id: string; name: string }>(
    'select id, name from person where email = $1',
    [manager],
  )
  const [, id] = headers[viewingHeader]!.split('/')
  const person = { ...rows[0]!, viewing: { tenant, id: id! } } as never as Parameters<typeof beginViewed>[1]
  const writing = inTenant(app.database.db, tenant, async (tx) => {
    await beginViewed(tx, person, app.context.config)
    await tx.updateTable('property').set({ reference: 'x' }).where('tenant_id', '=', tenant).execute()
  }).catch((error: unknown) => refuseWrite(error, person.viewing))
  await assert.rejects(writing, new RegExp(viewingText('guest')))
})

test('reads are recorded for the manager, with the name of the user viewed as', async () => {
  const { headers } = await begun()
  assert.equal(
    (await app.send(getProperty, { params: { tenant, propertyId: home } }, manager, { headers })).status,
    200,
  )
  await app.app.services.reads.flush()
  const { body } = await app.send(
    getPersonalDataReads,
    { params: { tenant }, query: { propertyId: home } as never },
    manager,
  )
  assert.deepEqual(
    body.results.map(({ name, viewingAs }) => [name, viewingAs]),
    [['manager', 'guest']],
  )
})

test('beginning and end are in the audit', async () => {
  const admin = await member('Admin')
  const { viewingId } = await begun()
  for (const status of [204, 404])
    assert.equal((await app.send(endViewing, { params: { tenant, viewingId } }, manager)).status, status)
  const { body } = await app.send(getAudit, { params: { tenant }, query: {} as never }, admin)
  assert.deepEqual(
    body.results
      .filter(({ action }) => action.startsWith('viewing'))
      .map((one) => [one.action, one.subject, one.userName]),
    [
      ['viewing as user ended', 'guest', 'manager'],
      ['viewing as user started', 'guest', 'manager'],
    ],
  )
})

describe('a view ends', () => {
  /** Whether each recorded end was an expiry. */
  const ends = async () => {
    const { rows } = await app.database.owner.query<{ expired: boolean }>(
      `select (after->>'isExpired')::boolean as expired from audit_entry
       where tenant_id = $1 and action = 'viewing as user ended'`,
      [tenant],
    )
    return rows.map(({ expired }) => expired)
  }
  const read = (headers: Record<string, string>) =>
    app.send(fetchProperties, { body: { tenant } }, manager, { headers })
  const isOver = async (headers: Record<string, string>) => {
    const { status, body } = await read(headers)
    assert.deepEqual([status, body.message], [403, viewingEndedText])
    assert.equal((await app.send(getSession, {}, manager, { headers })).status, 403)
  }

  test('when it is stopped, and when another begins', async () => {
    const first = await begun()
    const second = await begun()
    await isOver(first.headers)
    assert.equal((await read(second.headers)).status, 200)
    await app.send(endViewing, { params: { tenant, viewingId: second.viewingId } }, manager)
    await isOver(second.headers)
  })

  test('after 30 minutes', async () => {
    const { headers, viewingId } = await begun()
    await app.database.owner.query(`update viewing set ends_at = now() - interval '1 second' where id = $1`, [
      viewingId,
    ])
    await isOver(headers)
  })

  test('when the member is removed, also at the same moment as it begins', async () => {
    const { headers } = await begun()
    const [removed, again] = await Promise.all([
      app.send(deleteUser, { params: { tenant, id: guestId } }, manager),
      start(),
    ])
    assert.equal(removed.status, 200)
    assert.ok([201, 404].includes(again.status), String(again.status))
    await isOver(headers)
    if (again.status === 201) await isOver({ [viewingHeader]: `${tenant}/${again.body.viewingId}` })
  })

  test('when the member gains rights, and when the manager loses theirs', async () => {
    const admin = await member('Admin')
    const change = (id: string, role: 'Manager' | 'Guest') =>
      app.send(updateUserRole, { params: { tenant, id }, body: { role } }, admin)
    const { headers } = await begun()
    await change(guestId, 'Manager')
    await isOver(headers)
    await change(guestId, 'Guest')
    await isOver(headers)
    const again = await begun()
    await member('Manager', [], 'other')
    await change(await idOf(manager), 'Guest')
    await isOver(again.headers)
    await change(await idOf(manager), 'Manager')
    await isOver(again.headers)
    assert.deepEqual(await ends(), [false, false])
  })

  test('with any change of what the member may do', async () => {
    const { headers } = await begun()
    await app.database.owner.query(
      `insert into tenant_feature (tenant_id, feature) values ($1, 'ManageResidentAccess')`,
      [tenant],
    )
    await isOver(headers)
  })

  test('and its end is in the audit: when the member is removed, and after it has expired', async () => {
    await begun()
    assert.equal((await app.send(deleteUser, { params: { tenant, id: guestId } }, manager)).status, 200)
    assert.deepEqual(await ends(), [false])
    const { viewingId } = await begun(await idOf(await member('Guest', [], 'other')))
    assert.equal(await endExpiredViews(app.database.db), 0)
    await app.database.owner.query(`update viewing set ends_at = now() - interval '1 second' where id = $1`, [
      viewingId,
    ])
    await app.database.owner.query(`update due set due_at = 'epoch' where work = 'end views' and tenant_id = $1`, [
      tenant,
    ])
    assert.equal(await endExpiredViews(app.database.db), 1)
    assert.deepEqual(new Set(await ends()), new Set([false, true]))
  })

  test('in another client, and for another person', async () => {
    await app.addTenant(`${tenant}-other`, { features: ['PropertyCentric'], capabilities: ['ViewProperties'] })
    await app.addMember(`${tenant}-other`, manager, 'Manager')
    const { headers } = await begun()
    const elsewhere = await app.send(fetchProperties, { body: { tenant: `${tenant}-other` } }, manager, { headers })
    assert.deepEqual([elsewhere.status, elsewhere.body.message], [403, viewingEndedText])
    const other = await member('Manager', [], 'other')
    assert.equal((await app.send(fetchProperties, { body: { tenant } }, other, { headers })).status, 403)
  })
})

test('the live stream has the rights of the member, and ends with the view', async () => {
  const east = await addAccessRightsTag(app, tenant, 'East')
  const [hidden, shown] = [await addDevice(app, tenant), await addDevice(app, tenant, { accessRightsTagId: east })]
  const { viewingId, headers } = await begun(await idOf(await member('Guest', [east], 'limited')))
  await app.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.app.server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}${streamChanges.path.replace('{tenant}', tenant)}`
  const authorization = `Bearer ${await app.token(manager)}`
  const response = await fetch(url, { headers: { ...headers, authorization }, signal: AbortSignal.timeout(20_000) })
  assert.equal(response.status, 200)
  let heard = ''
  const decoder = new TextDecoder()
  const ended = (async () => {
    for await (const chunk of response.body!) heard += decoder.decode(chunk as Uint8Array, { stream: true })
  })()
  const change = (...ids: string[]) => inTenant(app.database.db, tenant, (tx) => changed(tx, 'device', ids))
  await change(hidden, shown)
  await vi.waitFor(() => assert.ok(heard.includes(shown)), 10_000)
  assert.ok(!heard.includes(hidden))
  assert.equal((await app.send(endViewing, { params: { tenant, viewingId } }, manager)).status, 204)
  await change(shown)
  await ended
})

describe('a view is refused', () => {
  test('as a user with equal or higher rights, with other restrictions, or of another client', async () => {
    const other = await member('Manager', [], 'other')
    const admin = await member('Admin')
    for (const email of [other, admin, manager]) assert.equal((await start(await idOf(email))).status, 403, email)
    const east = await addAccessRightsTag(app, tenant, 'East')
    const limited = await member('Manager', [east], 'limited')
    assert.equal((await start(guestId, limited)).status, 403)
    const guestOfEast = await member('Guest', [east], 'east')
    assert.equal((await start(await idOf(guestOfEast), limited)).status, 201)
    assert.equal((await start(randomUUID())).status, 404)
    await app.addTenant(`${tenant}-other`)
    await app.addMember(`${tenant}-other`, `stranger@${tenant}.test`, 'Manager')
    assert.equal((await start(guestId, `stranger@${tenant}.test`)).status, 404)
  })

  test('as vendor staff, recognised by e-mail or by a role in another client', async () => {
    const staff = `staff@${app.context.config.vendorDomain}`
    await app.addMember(tenant, staff, 'Guest')
    assert.equal((await start(await idOf(staff))).status, 403)
    await app.addTenant(`${tenant}-other`)
    await app.addMember(`${tenant}-other`, guest, 'Developer')
    assert.equal((await app.send(getSession, {}, guest)).status, 200)
    assert.equal((await start()).status, 403)
  })

  test.each(['Guest', 'LightingEngineer', 'BoilerEngineer'] as const)('to %s', async (role) => {
    const who = await member(role, [], `own-${role.toLowerCase()}`)
    assert.equal((await start(guestId, who)).status, 403)
  })

  test('to an API key', async () => {
    const key = await makeKey(app, tenant, manager)
    const bend = { headers: { authorization: `Bearer ${key}` } }
    assert.equal((await app.send(startViewing, { params: { tenant, id: guestId } }, manager, bend)).status, 403)
    const { headers } = await begun()
    const both = { headers: { ...bend.headers, ...headers } }
    assert.equal((await app.send(fetchProperties, { body: { tenant } }, manager, both)).status, 403)
  })
})
