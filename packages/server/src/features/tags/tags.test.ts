import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { getAudit } from '@caretaker/contract/audit.ts'
import { getEmered, shouldUpdateDevice } from '@caretaker/contract/devices.ts'
import {
  createAccessRightsTag,
  deleteAccessRightsTag,
  getAccessRightsTags,
  getTenantTags,
  setDeviceAccessRightsTag,
  tenantCreateTag,
  tenantDeleteTag,
  tenantUpdateTag,
} from '@caretaker/contract/tags.ts'
import type { AuditAction } from '@caretaker/rules/audit/audit.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'

const tenant = 'north'
const manager = 'manager@north.test'
const admin = 'admin@north.test'
const people = { engineer: 'LightingEngineer', boiler: 'BoilerEngineer', guest: 'Guest' } as const
const below = Object.keys(people).map((name) => `${name}@north.test`)
const limited = 'limited@north.test'
const bad = [[], {}, null, 1, true, 'a\u0000b', '\ud800', ['x'], 'x'.repeat(10_000)]

let app: TestApp
let patch: string
beforeAll(async () => {
  app = await testApp()
  for (const id of ['north', 'south']) await app.addTenant(id)
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, admin, 'Admin')
  for (const [name, role] of Object.entries(people)) await app.addMember(tenant, `${name}@north.test`, role)
  patch = await addAccessRightsTag(app, tenant, 'East Patch')
  await app.addMember(tenant, limited, 'Manager', [patch])
})
afterAll(() => app.close())

const entries = async (action: AuditAction) =>
  (await app.send(getAudit, { params: { tenant }, query: { action } }, admin)).body.results

describe('tags of the tenant', () => {
  const create = (name: unknown, email = manager, more: object = {}) =>
    app.send(tenantCreateTag, { body: { tenant, name, ...more } as never }, email)
  const remove = (id: unknown, email = manager) => app.send(tenantDeleteTag, { body: { tenant, id } as never }, email)
  const rename = (id: unknown, name: unknown, email = manager, more: object = {}) =>
    app.send(tenantUpdateTag, { body: { tenant, id, name, ...more } as never }, email)
  const list = async () => (await app.send(getTenantTags, { body: { tenant } }, manager)).body.data!
  const names = async () => (await list()).tags.map((tag) => tag.name)

  test('a tag is created, listed with id and name, and recorded [core-3-8 core-7.1-5 core-7.1-6 dev-3ent-8]', async () => {
    const { status, body } = await create('DampWatch')
    assert.equal(status, 200)
    assert.equal(body.isSuccessful, true)
    assert.deepEqual(
      (await list()).tags.filter((tag) => tag.name === 'DampWatch'),
      [{ id: body.data!.id, name: 'DampWatch' }],
    )
    const [entry] = await entries('tag created')
    assert.deepEqual([entry!.userName, entry!.subject, entry!.after], ['manager', 'DampWatch', { name: 'DampWatch' }])
  })

  test('alerts are listed with the delay and unit of each and the tag they are defined on [core-3-10 core-7.1-5]', async () => {
    const id = (await create('WithAlert')).body.data!.id
    const alertId = crypto.randomUUID()
    await inTenant(app.database.db, tenant, (tx) =>
      tx
        .insertInto('alert_definition')
        .values({ tenant_id: tenant, id: alertId, tag_id: id, delay: 5, delay_unit: 'mins' })
        .execute(),
    )
    assert.deepEqual((await list()).alerts, [{ alertId, tagId: id, tagName: 'WithAlert', delay: 5, delayUnit: 'mins' }])
    await remove(id)
    assert.deepEqual((await list()).alerts, [])
  })

  test('a deleted tag is removed from its devices, whose pages are refreshed [core-7.1-7]', async () => {
    const { id } = (await create('Phase2')).body.data!
    const deviceId = await addDevice(app, tenant)
    await inTenant(app.database.db, tenant, (tx) =>
      tx.insertInto('device_tag').values({ tenant_id: tenant, device_id: deviceId, tag_id: id }).execute(),
    )
    const device = async () => (await app.send(getEmered, { body: { tenant, deviceId } }, manager)).body.data!
    assert.deepEqual((await device()).tagNames, ['Phase2'])
    const { updatedAt } = (await app.send(shouldUpdateDevice, { body: { tenant, deviceId, date: 0 } }, manager)).body
      .data!
    const { status, body } = await remove(id)
    assert.deepEqual([status, body.isSuccessful], [200, true])
    assert.ok(!(await names()).includes('Phase2'))
    assert.deepEqual((await device()).tagIds, [])
    const poll = await app.send(shouldUpdateDevice, { body: { tenant, deviceId, date: updatedAt } }, manager)
    assert.equal(poll.body.data!.shouldUpdate, true)
    assert.deepEqual((await entries('tag deleted'))[0]!.before, { name: 'Phase2' })
    assert.equal((await remove(id)).status, 404)
  })

  test('a renamed tag has its new name on its devices, whose pages are refreshed, and is recorded', async () => {
    const { id } = (await create('Phase3')).body.data!
    const deviceId = await addDevice(app, tenant)
    await inTenant(app.database.db, tenant, (tx) =>
      tx.insertInto('device_tag').values({ tenant_id: tenant, device_id: deviceId, tag_id: id }).execute(),
    )
    const device = async () => (await app.send(getEmered, { body: { tenant, deviceId } }, manager)).body.data!
    const changed = async (date: string | number) =>
      (await app.send(shouldUpdateDevice, { body: { tenant, deviceId, date } }, manager)).body.data!
    const { updatedAt } = await changed(0)
    const { status, body } = await rename(id, 'Phase4')
    assert.deepEqual([status, body.data], [200, { id, name: 'Phase4' }])
    assert.ok((await names()).includes('Phase4') && !(await names()).includes('Phase3'))
    assert.deepEqual([(await device()).tags, (await device()).tagNames], [[id], ['Phase4']])
    assert.equal((await changed(updatedAt)).shouldUpdate, true)
    const [entry] = await entries('tag renamed')
    assert.deepEqual([entry!.before, entry!.after], [{ name: 'Phase3' }, { name: 'Phase4' }])
    // A change of case is a change; the identical name is not.
    assert.equal((await rename(id, 'PHASE4')).body.data!.name, 'PHASE4')
    const recorded = (await entries('tag renamed')).length
    assert.equal((await rename(id, 'PHASE4')).body.isSuccessful, true)
    assert.equal((await entries('tag renamed')).length, recorded)
    await remove(id)
    assert.equal((await rename(id, 'Phase5')).status, 404)
  })

  test('an invalid name is refused with the reason', async () => {
    await create('Solar')
    const { id } = (await create('Renamed')).body.data!
    const wrong: [string, number, string][] = [
      ['', 400, 'Tag name is required!'],
      ['Night test', 400, 'No spaces in tag'],
      ['Night-test', 400, 'Tag name can only have letters and numbers'],
      ['Sоlar', 400, 'Tag name can only have letters and numbers'],
      ['T'.repeat(21), 400, 'Tag name can only 20 characters'],
      ['solar', 200, 'Tag name has already been used'],
    ]
    for (const [name, expected, text] of wrong) {
      for (const { status, body } of [await create(name), await rename(id, name)])
        assert.deepEqual([status, body.isSuccessful, body.message], [expected, false, text], name)
    }
    assert.ok((await names()).includes('Renamed'))
    assert.equal((await create('T'.repeat(20))).body.isSuccessful, true)
  })

  test('of two users who create the same tag at once, one is refused', async () => {
    const answers = await Promise.all([create('Twice'), create('TWICE'), create('twice')])
    assert.equal(answers.filter(({ body }) => body.isSuccessful).length, 1)
    assert.ok(answers.every(({ status }) => status === 200))
  })

  test('only managers create tags, only those without restrictions rename and delete them', async () => {
    const { id } = (await create('Kept')).body.data!
    for (const email of below) {
      assert.equal((await create('Never', email)).status, 403, email)
      assert.equal((await rename(id, 'Never', email)).status, 403, email)
      assert.equal((await remove(id, email)).status, 403, email)
    }
    assert.equal((await create('Limited', limited)).status, 200)
    assert.equal((await rename(id, 'Never', limited)).status, 403)
    assert.equal((await remove(id, limited)).status, 403)
    assert.ok((await names()).includes('Kept') && !(await names()).includes('Never'))
  })

  test('a tag is created from a name only, and deleted by id only', async () => {
    for (const value of bad) {
      assert.equal((await create(value)).status, 400, JSON.stringify(value).slice(0, 40))
      assert.equal((await remove(value)).status, 400, JSON.stringify(value).slice(0, 40))
      assert.equal((await rename(value, 'Smuggled')).status, 400, JSON.stringify(value).slice(0, 40))
      assert.equal((await rename(crypto.randomUUID(), value)).status, 400, JSON.stringify(value).slice(0, 40))
    }
    for (const more of [{ id: crypto.randomUUID() }, { tenant_id: 'south' }, { owner: 'me' }])
      assert.equal((await create('Smuggled', manager, more)).status, 400)
    assert.equal((await rename(crypto.randomUUID(), 'Smuggled', manager, { owner: 'me' })).status, 400)
    assert.ok(!(await names()).includes('Smuggled'))
  })
})

describe('access rights tags', () => {
  const list = async () => (await app.send(getAccessRightsTags, { params: { tenant } }, manager)).body
  const create = (displayName: unknown, email = manager, more: object = {}) =>
    app.send(createAccessRightsTag, { params: { tenant }, body: { displayName, ...more } as never }, email)
  const remove = (id: string, email = manager) => app.send(deleteAccessRightsTag, { params: { tenant, id } }, email)
  const has = async (displayName: string) => (await list()).some((tag) => tag.displayName === displayName)

  test('one is created, listed with id, displayName and protected flag, and recorded [core-3-9 core-7.2-1 core-7.2-2 dev-3ent-9 est-6-9 est-7.3-10 est-3-38]', async () => {
    const { status, body } = await create('  West   Patch ')
    assert.equal(status, 201)
    assert.deepEqual(body, { id: body.id, displayName: 'West Patch', protected: false })
    assert.deepEqual(
      (await list()).filter((tag) => tag.id === body.id),
      [body],
    )
    assert.equal((await entries('access rights tag created'))[0]!.subject, 'West Patch')
  })

  test('a name that the tenant has already is 409, in any case; another tenant may have it too [core-8-26 est-8-3]', async () => {
    await app.addMember('south', 'manager@south.test', 'Manager')
    await create('Zoë Patch')
    for (const name of ['Zoë Patch', 'zoË patch', 'Zoe\u0308 Patch ']) {
      const { status, body } = await create(name)
      assert.deepEqual([status, body.message], [409, 'Access Rights Tag already exists'], name)
    }
    assert.equal((await list()).filter((tag) => /^zo/i.test(tag.displayName)).length, 1)
    const elsewhere = { params: { tenant: 'south' }, body: { displayName: 'Zoë Patch' } }
    assert.equal((await app.send(createAccessRightsTag, elsewhere, 'manager@south.test')).status, 201)
  })

  test('two users who create the same one at once: one gets 409', async () => {
    const answers = await Promise.all([create('At once'), create('at once')])
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201, 409]))
  })

  test('a device is given a tag made by this call, finds it in this list, and loses it by this call [dev-7lum-7]', async () => {
    const { id } = (await create('Shared Patch')).body
    const deviceId = await addDevice(app, tenant)
    const carried = async () =>
      (await app.send(getEmered, { body: { tenant, deviceId } }, manager)).body.data!.accessRightsTag
    const body = { accessRightsTagId: (await list()).find((tag) => tag.displayName === 'Shared Patch')!.id }
    assert.equal(
      (await app.send(setDeviceAccessRightsTag, { params: { tenant, deviceId }, body }, manager)).status,
      204,
    )
    assert.deepEqual(await carried(), { id, displayName: 'Shared Patch' })
    assert.equal((await remove(id)).status, 204)
    assert.equal(await carried(), null)
  })

  test('below manager level nothing is created or deleted [core-6-30 est-6-9]', async () => {
    const id = await addAccessRightsTag(app, tenant, 'Kept Patch')
    for (const email of below) {
      assert.equal((await create('Nobody’s', email)).status, 403, email)
      assert.equal((await remove(id, email)).status, 403, email)
    }
    assert.ok((await has('Kept Patch')) && !(await has('Nobody’s')))
  })

  test('a manager who is limited by one creates and deletes none [core-6-31 est-6-9]', async () => {
    const id = await addAccessRightsTag(app, tenant, 'Spared Patch')
    assert.equal((await create('Limited’s', limited)).status, 403)
    assert.equal((await remove(id, limited)).status, 403)
    assert.ok((await has('Spared Patch')) && !(await has('Limited’s')))
  })

  test('a deleted one is removed from devices and properties, and later deletions find none [core-7.2-3 est-7.3-10]', async () => {
    const id = await addAccessRightsTag(app, tenant, 'Old Patch')
    const deviceId = await addDevice(app, tenant, { accessRightsTagId: id })
    const property = crypto.randomUUID()
    await inTenant(app.database.db, tenant, (tx) =>
      tx
        .insertInto('property')
        .values({
          tenant_id: tenant,
          id: property,
          reference: 'N-1',
          access_rights_tag_id: id,
          latitude: null,
          longitude: null,
        })
        .execute(),
    )
    const { status, body } = await remove(id)
    assert.equal(status, 204, JSON.stringify(body))
    assert.ok(!(await has('Old Patch')))
    const device = await app.send(getEmered, { body: { tenant, deviceId } }, manager)
    assert.equal(device.body.data!.accessRightsTag, null)
    const { rows } = await app.database.owner.query('select access_rights_tag_id as tag from property where id = $1', [
      property,
    ])
    assert.deepEqual(rows, [{ tag: null }])
    assert.deepEqual((await entries('access rights tag deleted'))[0]!.before, { displayName: 'Old Patch' })
    assert.equal((await remove(id)).status, 410)
    assert.equal((await remove(id.toUpperCase())).status, 410)
    assert.equal((await remove(crypto.randomUUID())).status, 404)
  })

  test('a protected one stays [core-6-33 est-5-40]', async () => {
    const id = await addAccessRightsTag(app, tenant, 'Default')
    await app.database.owner.query('update access_rights_tag set protected = true where id = $1', [id])
    const { status, body } = await remove(id)
    assert.equal(status, 403)
    assert.match(body.message, /protected/)
    assert.deepEqual((await list())[0], { id, displayName: 'Default', protected: true })
  })

  test('one that a user has stays, including invited users, and the answer gives the reason', async () => {
    const id = await addAccessRightsTag(app, tenant, 'Carried Patch')
    await app.addMember(tenant, 'carrier@north.test', 'Guest', [id])
    const { status, body } = await remove(id)
    assert.equal(status, 409)
    assert.match(body.message, /^1 user has this access rights tag/)
    assert.ok(await has('Carried Patch'))
  })

  test('assigning one while it is deleted never leaves it on a device', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await addAccessRightsTag(app, tenant, `Contested ${round}`)
      const deviceId = await addDevice(app, tenant)
      const [deleted, given] = await Promise.all([
        remove(id),
        app.send(setDeviceAccessRightsTag, { params: { tenant, deviceId }, body: { accessRightsTagId: id } }, manager),
      ])
      assert.equal(deleted.status, 204)
      assert.ok([204, 400].includes(given.status), `${given.status}`)
      const device = await app.send(getEmered, { body: { tenant, deviceId } }, manager)
      assert.equal(device.body.data!.accessRightsTag, null)
    }
  })

  test('a name is one visible line of at most 50 characters', async () => {
    for (const value of [...bad, '', '   ', 'x'.repeat(51), 'East\nPatch', 'East\u200bPatch', 'East\u202ePatch'])
      assert.equal((await create(value)).status, 400, JSON.stringify(value).slice(0, 40))
    for (const more of [{ protected: true }, { id: crypto.randomUUID() }, { tenant: 'south' }])
      assert.equal((await create('Smuggled', manager, more)).status, 400, JSON.stringify(more))
    assert.equal((await create('x'.repeat(50))).status, 201)
    assert.equal((await remove('nonsense')).status, 400)
    assert.ok(!(await has('Smuggled')))
  })
})

describe("a device's access rights tag", () => {
  const put = (deviceId: string, accessRightsTagId: unknown, email = manager, more: object = {}) =>
    app.send(
      setDeviceAccessRightsTag,
      { params: { tenant, deviceId }, body: { accessRightsTagId, ...more } as never },
      email,
    )
  const tagOf = async (deviceId: string) =>
    (await app.send(getEmered, { body: { tenant, deviceId } }, manager)).body.data!.accessRightsTag

  test('is set, changed and removed, each time recorded, and visible to the polls [core-7.2-5 core-7.2-6]', async () => {
    const deviceId = await addDevice(app, tenant, { serial: 'EM1000777X' })
    const north = await addAccessRightsTag(app, tenant, 'North Patch')
    const { updatedAt } = (await app.send(shouldUpdateDevice, { body: { tenant, deviceId, date: 0 } }, manager)).body
      .data!
    assert.equal((await put(deviceId, patch)).status, 204)
    assert.deepEqual(await tagOf(deviceId), { id: patch, displayName: 'East Patch' })
    const poll = await app.send(shouldUpdateDevice, { body: { tenant, deviceId, date: updatedAt } }, manager)
    assert.equal(poll.body.data!.shouldUpdate, true)
    assert.equal((await put(deviceId, north)).status, 204)
    assert.deepEqual(await tagOf(deviceId), { id: north, displayName: 'North Patch' })
    assert.equal((await put(deviceId, null)).status, 204)
    assert.equal(await tagOf(deviceId), null)
    assert.equal((await put(deviceId, null)).status, 204)
    const recorded = (await entries('device access rights tag changed')).filter(
      (entry) => entry.subject === 'EM1000777X',
    )
    assert.deepEqual(
      recorded.map(({ before, after }) => [before!.accessRightsTag, after!.accessRightsTag]),
      [
        ['North Patch', null],
        ['East Patch', 'North Patch'],
        [null, 'East Patch'],
      ],
    )
  })

  test('cannot be an unknown tag or that of another tenant', async () => {
    const deviceId = await addDevice(app, tenant, { accessRightsTagId: patch })
    const foreign = await addAccessRightsTag(app, 'south', 'Foreign Patch')
    for (const id of [crypto.randomUUID(), foreign]) {
      const { status, body } = await put(deviceId, id)
      assert.equal(status, 400)
      assert.equal(body.validationErrors[0].field, 'accessRightsTagId')
    }
    assert.equal((await tagOf(deviceId))!.id, patch)
  })

  test('cannot be set by engineers, guests and limited users, for whom other devices are hidden', async () => {
    const deviceId = await addDevice(app, tenant, { accessRightsTagId: patch })
    for (const email of [...below, limited]) assert.equal((await put(deviceId, null, email)).status, 403, email)
    assert.equal((await tagOf(deviceId))!.id, patch)
    const foreign = await addDevice(app, 'south')
    assert.equal((await put(foreign, null)).status, 404)
    assert.equal((await put(crypto.randomUUID(), null)).status, 404)
  })

  test('can be set by an engineer with the capability, on devices of their area', async () => {
    await app.addTenant('able', { capabilities: ['EditAccessRightsTags'] })
    await app.addMember('able', 'engineer@able.test', 'LightingEngineer')
    const light = await addDevice(app, 'able')
    const module = await addDevice(app, 'able', { product: 'BX' })
    const set = (deviceId: string) =>
      app.send(
        setDeviceAccessRightsTag,
        { params: { tenant: 'able', deviceId }, body: { accessRightsTagId: null } },
        'engineer@able.test',
      )
    assert.equal((await set(light)).status, 204)
    assert.equal((await set(module)).status, 404)
  })

  test('is set by an id or null only', async () => {
    const deviceId = await addDevice(app, tenant)
    for (const value of [...bad.filter((one) => one !== null), undefined, 'reset', ''])
      assert.equal((await put(deviceId, value)).status, 400, String(JSON.stringify(value)).slice(0, 40))
    assert.equal((await put(deviceId, patch, manager, { tenant: 'south' })).status, 400)
    assert.equal((await put('nonsense', patch)).status, 400)
  })
})
