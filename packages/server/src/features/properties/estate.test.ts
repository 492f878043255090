import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import {
  addProperty,
  archiveProperty,
  bringBackProperty,
  fetchProperties,
  getArchivedProperties,
  getProperty,
  moveProperty,
} from '@caretaker/contract/properties.ts'
import { getProperties } from '@caretaker/contract/dashboard.ts'
import { sql } from 'kysely'
import { changed } from '../../changes/changed.ts'
import { record } from '../../projections/record.ts'
import { outsideTransaction } from '../../postgres/scope.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { holdDevices } from '../devices/held.ts'
import type { NewPlace } from '../../devices/place.ts'
import { placeDevice } from '../../devices/place.ts'
import { refreshHomeStatuses } from './refresh-statuses.ts'

const tenant = 'north'
const manager = 'manager@north.test'
let app: TestApp

beforeAll(async () => {
  app = await testApp()
  for (const id of [tenant, 'south'])
    await app.addTenant(id, { features: ['PropertyCentric'], capabilities: ['ViewProperties'] })
  await app.addTenant('private', {
    features: ['PropertyCentric', 'HideCustomerPersonalData'],
    capabilities: ['ViewProperties'],
  })
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember('south', 'manager@south.test', 'Manager')
  await app.addMember('private', 'manager@private.test', 'Manager')
  await app.addMember(tenant, 'boilers@north.test', 'BoilerEngineer')
  await app.addMember(tenant, 'guest@north.test', 'Guest')
  await app.addMember(tenant, 'limited@north.test', 'Manager', [await addAccessRightsTag(app, tenant, 'East')])
})
afterAll(() => app.close())

const address = { address1: '1 Elm Road', town: 'Leeds', postcode: 'LS6 2BD' }
const add = (propertyReference: string, who = manager, at = tenant) =>
  app.send(addProperty, { params: { tenant: at }, body: { propertyReference, ...address } }, who)
const added = async (reference: string) => {
  const { status, body } = await add(reference)
  assert.equal(status, 201, JSON.stringify(body))
  return { tenant, propertyId: body.propertyId }
}
const listed = async () => {
  const { body } = await app.send(
    fetchProperties,
    { body: { tenant, listing: 'Properties', page: 1, pageSize: 100 } },
    manager,
  )
  return body.data!.rows.map(({ propertyReference }) => propertyReference)
}
const counted = async () =>
  (await app.send(getProperties, { params: { tenant }, query: { page: 1, pageSize: 100 } }, manager)).body.total
const actions = async (id: string) => {
  const { rows } = await app.database.owner.query<{ action: string }>(
    `select action from audit_entry where tenant_id = $1 and subject_id = $2 order by at, id`,
    [tenant, id],
  )
  return rows.map(({ action }) => action)
}

/** The ids of a new building and its only floor. */
async function buildingNamed(name: string): Promise<string[]> {
  const { rows } = await app.database.owner.query<{ building: string; floor: string }>(
    `with b as (insert into building (tenant_id, id, name, compared_name) values ($1, gen_random_uuid(), $2, lower($2)) returning id)
     insert into floor (tenant_id, id, building_id, name, number) select $1, gen_random_uuid(), id, 'Ground', 0 from b
     returning building_id as building, id as floor`,
    [tenant, name],
  )
  return [rows[0]!.building, rows[0]!.floor]
}

describe('the life of a property', () => {
  test('a manager adds a property by its address; a reference is unique, also among archived properties', async () => {
    const home = await added('E-1')
    const { body } = await app.send(getProperty, { params: home }, manager)
    assert.deepEqual(
      [body.propertyReference, body.address1, body.town, body.postcode, body.voidStatus, body.awaabsLawStatus],
      ['E-1', '1 Elm Road', 'Leeds', 'LS6 2BD', 'NotVoid', 'None'],
    )
    assert.ok((await listed()).includes('E-1'))
    assert.deepEqual(await actions(home.propertyId), ['property added'])
    const again = await add('E-1')
    assert.equal(again.status, 422)
    assert.match(JSON.stringify(again.body), /E-1 is already in use/)
    const wrong = await app.send(
      addProperty,
      { params: { tenant }, body: { propertyReference: 'x'.repeat(31), postcode: 'LS' } },
      manager,
    )
    assert.equal(wrong.status, 400)
    assert.match(JSON.stringify(wrong.body), /Postcode must be valid.*Property reference must be under 30 characters/)
  })

  test('an archived property leaves lists and counts, keeps its audit, and can be restored', async () => {
    const home = await added('E-2')
    const before = await counted()
    const archived = await app.send(archiveProperty, { params: home, body: { version: 1 } }, manager)
    assert.equal(archived.status, 200)
    assert.ok(archived.body.archivedAt)
    assert.ok(!(await listed()).includes('E-2'))
    assert.equal(await counted(), before - 1)
    const { body } = await app.send(getArchivedProperties, { params: { tenant }, query: {} }, manager)
    assert.deepEqual(
      body.results.map(({ propertyReference, address: line }) => [propertyReference, line]),
      [['E-2', '1 Elm Road, Leeds']],
    )
    const found = async (search: string) =>
      (await app.send(getArchivedProperties, { params: { tenant }, query: { search } }, manager)).body.results.length
    assert.deepEqual(await Promise.all(['e-2', 'elm ROAD', ' ', 'oak', '%'].map(found)), [1, 1, 1, 0, 0])
    assert.equal((await app.send(getProperty, { params: home }, manager)).status, 200)
    // A user with an outdated version is refused.
    assert.equal((await app.send(bringBackProperty, { params: home, body: { version: 1 } }, manager)).status, 409)
    const back = await app.send(bringBackProperty, { params: home, body: { version: 2 } }, manager)
    assert.equal(back.body.archivedAt, null)
    assert.ok((await listed()).includes('E-2'))
    assert.deepEqual(await actions(home.propertyId), ['property added', 'property archived', 'property brought back'])
  })

  test('a property with a device cannot be archived, and moves with it to another building', async () => {
    const home = await added('E-3')
    const device = await addDevice(app, tenant, { product: 'TH' })
    await app.database.owner.query('update device set property_id = $1 where id = $2', [home.propertyId, device])
    const refused = await app.send(archiveProperty, { params: home, body: {} }, manager)
    assert.equal(refused.status, 422)
    assert.match(JSON.stringify(refused.body), /A device is in this property/)
    const { rows } = await app.database.owner.query<{ building: string; floor: string }>(
      `with b as (insert into building (tenant_id, id, name) values ('north', gen_random_uuid(), 'Quay House') returning id)
       insert into floor (tenant_id, id, building_id, name, number) select 'north', gen_random_uuid(), id, 'G', 0 from b
       returning building_id as building, id as floor`,
    )
    const [{ building: buildingId, floor: floorId }] = rows as [{ building: string; floor: string }]
    const moved = await app.send(moveProperty, { params: home, body: { buildingId, floorId } }, manager)
    assert.equal(moved.status, 200, JSON.stringify(moved.body))
    const place = await app.database.owner.query('select building_name, floor_name from device where id = $1', [device])
    assert.deepEqual(place.rows, [{ building_name: 'Quay House', floor_name: 'G' }])
    assert.deepEqual(await actions(home.propertyId), ['property added', 'property moved'])
    const nowhere = { buildingId: home.propertyId, floorId: null }
    assert.equal((await app.send(moveProperty, { params: home, body: nowhere }, manager)).status, 400)
  })

  test('a property without devices moves too; devices added later take its location unless they have their own', async () => {
    const home = await added('E-6')
    const [quay] = await buildingNamed('Quay Side')
    const [mill, ground] = await buildingNamed('Mill House')
    const standing = async (buildingId: string | null, floorId: string | null) =>
      (await app.send(moveProperty, { params: home, body: { buildingId, floorId } }, manager)).body.building
    assert.deepEqual(await standing(quay!, null), { id: quay, name: 'Quay Side', floorId: null, floorName: null })
    const there = { id: mill, name: 'Mill House', floorId: ground, floorName: 'Ground' }
    assert.deepEqual(await standing(mill!, ground!), there)
    const { rows } = await app.database.owner.query(
      `select before, after from audit_entry where subject_id = $1 and action = 'property moved' order by at`,
      [home.propertyId],
    )
    assert.deepEqual(rows.at(-1), {
      before: { building: 'Quay Side', floor: null },
      after: { building: 'Mill House', floor: 'Ground' },
    })
    // A floor of another building, and one that does not exist.
    for (const wrong of [
      { buildingId: quay!, floorId: ground! },
      { buildingId: null, floorId: ground! },
      { buildingId: home.propertyId, floorId: null },
    ])
      assert.equal((await app.send(moveProperty, { params: home, body: wrong }, manager)).status, 400)
    const put = async (place: NewPlace) => {
      const id = await addDevice(app, tenant, { product: 'TH' })
      await inTenant(app.database.db, tenant, async (tx) => {
        const { rows: people } = await sql<{ id: string }>`select id from person where email = ${manager}`.execute(tx)
        const device = (await holdDevices(tx, [id])).get(id)!
        await placeDevice(tx, { id: people[0]!.id, name: 'Manager' }, device, place)
      })
      const found = await app.database.owner.query('select building_name, floor_name from device where id = $1', [id])
      return Object.values(found.rows[0] as object)
    }
    assert.deepEqual(await put({ propertyId: home.propertyId }), ['Mill House', 'Ground'])
    assert.deepEqual(await put({ propertyId: home.propertyId, buildingId: quay! }), ['Quay Side', null])
    assert.equal(await standing(null, null), null)
  })

  test('the list is sorted and filtered by the worst status of the devices that the user sees', async () => {
    const east = (
      await app.database.owner.query<{ id: string }>('select id from access_rights_tag where tenant_id = $1', [tenant])
    ).rows[0]!.id
    const homes: Record<string, string> = {}
    for (const [name, statuses] of [
      ['S-1', ['Ok', 'FailedEquipment']],
      ['S-2', ['Ok']],
      ['S-3', []],
      ['S-4', ['PreventativeMaintenance']],
    ] as const) {
      homes[name] = (await added(name)).propertyId
      await app.database.owner.query('update property set access_rights_tag_id = $1 where id = $2', [east, homes[name]])
      for (const status of statuses) {
        // The limited user does not see the failed device of S-1.
        const seen = status === 'FailedEquipment' ? {} : { accessRightsTagId: east }
        const id = await addDevice(app, tenant, { product: 'MD', status, ...seen })
        await app.database.owner.query('update device set property_id = $1 where id = $2', [homes[name], id])
        await inTenant(app.database.db, tenant, (tx) => changed(tx, 'device', [id]))
      }
    }
    await refreshHomeStatuses(app.database.db)
    const asked = async (bend: object, who = manager) => {
      const body = { tenant, search: 's-', pageSize: 25, ...bend } as never
      const { status, body: answer } = await app.send(fetchProperties, { body }, who)
      assert.equal(status, 200, JSON.stringify(answer))
      return answer.data!.rows.map((row) => row.propertyReference)
    }
    const byStatus = (descending: boolean) => ({ sorts: [{ fieldId: 'status', descending }] })
    const failed = { filters: [{ fieldId: 'status', filterOp: 'anyof', value: ['FailedEquipment'] }] }
    const without = { filters: [{ fieldId: 'status', filterOp: 'present', value: false }] }
    assert.deepEqual(await asked(byStatus(false)), ['S-1', 'S-4', 'S-2', 'S-3'])
    assert.deepEqual(await asked(byStatus(true)), ['S-3', 'S-2', 'S-4', 'S-1'])
    assert.deepEqual(await asked(failed), ['S-1'])
    assert.deepEqual(await asked(without), ['S-3'])
    const limited = 'limited@north.test'
    assert.deepEqual((await asked(byStatus(false), limited))[0], 'S-4')
    const asLimited = async () => {
      assert.deepEqual(await asked(failed, limited), [])
      assert.deepEqual(await asked(without, limited), ['S-3'])
    }
    await asLimited()
    // As the previous version left it: the worst of all devices, and no status set.
    await app.database.owner.query('update property set status_set = null where tenant_id = $1', [tenant])
    await asLimited()
    await inTenant(app.database.db, tenant, (tx) => changed(tx, 'property', [homes['S-1']!]))
    await refreshHomeStatuses(app.database.db)
    await asLimited()
    // A device that becomes hidden stops counting at once, and one that becomes visible counts at once.
    const maintained = { filters: [{ fieldId: 'status', filterOp: 'anyof', value: ['PreventativeMaintenance'] }] }
    const sees = async (isSeen: boolean) => {
      const { rows } = await app.database.owner.query<{ id: string }>(
        'update device set access_rights_tag_id = $1 where property_id = $2 returning id',
        [isSeen ? east : null, homes['S-4']],
      )
      await inTenant(app.database.db, tenant, async (tx) =>
        record(
          tx,
          rows.map(({ id }) => ({ type: 'DeviceTagDeleted', deviceId: id })),
        ),
      )
      assert.deepEqual(await asked(maintained, limited), isSeen ? ['S-4'] : [])
    }
    assert.deepEqual(await asked(maintained, limited), ['S-4'])
    await sees(false)
    await sees(true)
    // One property repaired, one without its device, and one that is locked: the job skips it without waiting.
    await app.database.owner.query(`update device set status = 'Ok', severity = 2 where property_id = $1`, [
      homes['S-1'],
    ])
    await app.database.owner.query('update device set property_id = null where property_id = $1', [homes['S-2']])
    await inTenant(app.database.db, tenant, async (tx) => {
      await changed(tx, 'device', [homes['S-1']!])
    })
    await inTenant(app.database.db, tenant, async (tx) => {
      await sql`select from property where tenant_id = ${tenant} and id = ${homes['S-2']} for no key update`.execute(tx)
      await outsideTransaction(() => refreshHomeStatuses(app.database.db))
    })
    assert.deepEqual(await asked(failed), [])
    assert.deepEqual(await asked(without), ['S-3'])
    await refreshHomeStatuses(app.database.db, new Date(Date.now() + 1000))
    assert.deepEqual(await asked(without), ['S-2', 'S-3'])
    // After properties changed, the job runs again, and finds nothing left.
    await refreshHomeStatuses(app.database.db, new Date(Date.now() + 2000))
    const { rows } = await app.database.owner.query(`select from due where work = 'settle homes' and tenant_id = $1`, [
      tenant,
    ])
    assert.equal(rows.length, 0)
  })

  test('users who are not managers of all properties are refused, and another client’s property is not found', async () => {
    const home = await added('E-4')
    for (const who of ['boilers@north.test', 'guest@north.test', 'limited@north.test']) {
      const calls = [
        add('E-5', who),
        app.send(archiveProperty, { params: home, body: {} }, who),
        app.send(bringBackProperty, { params: home, body: {} }, who),
        app.send(moveProperty, { params: home, body: { buildingId: null } }, who),
        app.send(getArchivedProperties, { params: { tenant }, query: {} }, who),
      ]
      for (const { status } of await Promise.all(calls)) assert.equal(status, 403, who)
    }
    assert.equal((await add('P-1', 'manager@private.test', 'private')).status, 403)
    const foreign = { ...home, tenant: 'south' }
    for (const route of [archiveProperty, bringBackProperty])
      assert.equal((await app.send(route, { params: foreign, body: {} }, 'manager@south.test')).status, 404)
  })
})
