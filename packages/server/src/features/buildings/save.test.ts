import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { Building } from '@caretaker/contract/buildings.ts'
import {
  addBuilding,
  getBuilding,
  getLatLong,
  getTenantBuildings,
  updateBuilding,
  updateFloorPosition,
} from '@caretaker/contract/buildings.ts'
import { placeOf, spotOf } from '@caretaker/rules/buildings/geometry.ts'
import type { Sent } from '@caretaker/contract/route.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'

let app: TestApp
const manager = 'manager@north.test'
const engineer = 'lighting@north.test'
const southern = 'manager@south.test'

beforeAll(async () => {
  app = await testApp()
  for (const tenant of ['north', 'south']) await app.addTenant(tenant)
  await app.addMember('north', manager, 'Manager')
  await app.addMember('north', engineer, 'LightingEngineer')
  await app.addMember('north', 'guest@north.test', 'Guest')
  await app.addMember('north', 'boilers@north.test', 'BoilerEngineer')
  await app.addMember('north', 'limited@north.test', 'Manager', [await addAccessRightsTag(app, 'north', 'East')])
  await app.addMember('south', southern, 'Manager')
})
afterAll(() => app.close())

type New = Sent<typeof addBuilding>['body']['building']
let counter = 0
const fresh = (more: Partial<New> = {}): New => ({
  ...{ name: `Mill Court ${++counter}`, lat: 53.72, lng: -1.87, floors: [{ name: '0' }], defaultFloor: '0' },
  ...more,
})
const add = (building: New, by = manager) => app.send(addBuilding, { body: { tenant: 'north', building } }, by)
const made = async (more: Partial<New> = {}) => (await add(fresh(more))).body.data!
const update = (building: Sent<typeof updateBuilding>['body']['building'], by = manager) =>
  app.send(updateBuilding, { body: { tenant: 'north', building } }, by)
const get = (building: string, by = manager) => app.send(getBuilding, { body: { tenant: 'north', building } }, by)
const faults = (answer: { body: object }) =>
  (answer.body as { validationErrors?: { field: string; message: string }[] }).validationErrors?.map(
    ({ field, message }) => `${field}: ${message}`,
  )
const floorsOf = ({ floors }: Pick<Building, 'floors'>) => floors.map(({ floor, name }) => ({ floor, name }))

describe('a building is added', () => {
  test('with its floors, and returned with its id; it has no postcode [est-3-1 est-3-2 est-3-4 est-7.1-4 est-7.1-7]', async () => {
    const { status, body } = await add({ ...fresh({ name: 'Beech Hill Court' }), building: 'beech-hill-court' })
    assert.equal(status, 200)
    const { buildingId, ...building } = body.data!
    assert.equal(building.building, buildingId)
    assert.deepEqual(Object.keys(building).sort(), [
      ...['address', 'building', 'defaultFloor', 'floors', 'lat', 'lng', 'name', 'version'],
    ])
    assert.deepEqual(building.floors[0], {
      ...{ floor: building.defaultFloor, number: 0, name: '0', lat: 53.72, lng: -1.87, width: 30, height: 30 },
      ...{ image: '', rotation: 0, hasFloorPlan: false, planId: null, version: 1 },
    })
    const { counts, ...found } = (await get(buildingId)).body.data!
    assert.deepEqual(found, building)
    assert.deepEqual(counts, [])
    for (const name of ['Beech Hill Court', 'beech-hill-court', ' BEECH  hill court'])
      assert.equal((await get(name)).body.data!.building, buildingId, name)
  })

  test('the postcode used to find it is its address until a better one is entered', async () => {
    const made = await add({ ...fresh(), address: 'ls1 4dy' })
    const { buildingId } = made.body.data!
    assert.equal(made.body.data!.address, 'LS1 4DY')
    assert.equal((await get(buildingId)).body.data!.address, 'LS1 4DY')
    const whole = await add({ ...fresh(), address: '9 Gibbet Street, Halifax  HX15TY' })
    assert.equal(whole.body.data!.address, '9 Gibbet Street, Halifax HX1 5TY')
  })

  test("an address that ends in an invalid postcode is refused with the form's message", async () => {
    for (const address of ['9 Gibbet Street, Halifax QQ1 5TY', 'qq15ty']) {
      const refused = await add({ ...fresh(), address })
      assert.equal(refused.status, 400, address)
      assert.match(JSON.stringify(refused.body), /Post code is invalid/)
    }
    assert.equal((await add({ ...fresh(), address: '9 Gibbet Street, Block A1' })).status, 200)
  })

  test('its first floor is 30 by 30 metres and not rotated by default [est-2.1-28 est-2.1-29]', async () => {
    const usual = (await made()).floors[0]!
    assert.deepEqual([usual.width, usual.height, usual.rotation], [30, 30, 0])
    const other = (await made({ floors: [{ name: 'G', width: 12.5, height: 80, rotation: -90 }], defaultFloor: null }))
      .floors[0]!
    assert.deepEqual([other.width, other.height, other.rotation], [12.5, 80, 270])
  })

  test('opens on the chosen floor, or else on the ground floor', async () => {
    const floors = ['Cellar', 'ground', 'Loft'].map((name) => ({ name }))
    const names = async (defaultFloor: string | null) => {
      const building = await made({ floors, defaultFloor })
      return building.floors.find(({ floor }) => floor === building.defaultFloor)!.name
    }
    assert.equal(await names('Loft'), 'Loft')
    assert.equal(await names(null), 'ground')
  })

  test('its name is unique in any spelling: of two at once one is added', async () => {
    await add(fresh({ name: 'St. Mary’s Place' }))
    for (const name of ['St. Mary’s Place', 'st  marys place', 'ST-MARYS-PLACE']) {
      const answer = await add(fresh({ name }))
      assert.equal(answer.status, 409, name)
      assert.deepEqual(faults(answer), ['building.name: Name is already being used'])
    }
    const both = await Promise.all(['Twin House', 'twin-house'].map((name) => add(fresh({ name }))))
    assert.deepEqual(
      both.map(({ status }) => status).sort((a, b) => a - b),
      [200, 409],
    )
    const mine = await app.send(
      addBuilding,
      { body: { tenant: 'south', building: fresh({ name: 'Twin House' }) } },
      southern,
    )
    assert.equal(mine.status, 200)
  })

  test('is refused without a name, a floor or a valid position, or with ambiguous floors', async () => {
    const wrong: [Partial<New>, string][] = [
      [{ name: '' }, 'building.name: Building name is required'],
      [{ name: ' - ' }, 'building.name: Building name is required'],
      [{ floors: [], defaultFloor: null }, 'building.floors: A building needs at least one floor'],
      [{ floors: [{ name: '0' }, { name: ' ' }] }, 'building.floors.1.name: Floor name is required'],
      [
        { floors: [{ name: 'G' }, { name: 'g' }], defaultFloor: 'G' },
        'building.floors.1.name: Two floors have this name',
      ],
      [{ defaultFloor: '7' }, 'building.defaultFloor: The default floor is not one of the floors'],
    ]
    for (const [more, fault] of wrong) {
      const answer = await add(fresh(more))
      assert.equal(answer.status, 400, fault)
      assert.deepEqual(faults(answer), [fault])
    }
    const bounds: Partial<New>[] = [
      { lat: 91 },
      { lng: -180.5 },
      { floors: [{ name: '0', width: 0 }] },
      { floors: [{ name: '0', height: 5000 }] },
      { floors: [{ name: '0', rotation: 1e9 }] },
    ]
    for (const more of bounds) assert.equal((await add(fresh(more))).status, 400, JSON.stringify(more))
  })
})

describe('a building is changed', () => {
  test('with its floors and default floor: they are renamed, added above, and removed [est-7.1-8]', async () => {
    const building = await made({ floors: [{ name: '0', width: 40 }, { name: '1' }] })
    const [ground, first] = floorsOf(building)
    const answer = await update({
      ...{ building: building.building, version: 1, lat: 53.7, lng: -1.8 },
      floors: [{ ...ground!, name: 'Ground' }, { name: 'Loft' }],
      defaultFloor: 'Loft',
    })
    assert.equal(answer.status, 200)
    const { counts, ...now } = (await get(building.building)).body.data!
    assert.deepEqual(now, answer.body.data)
    assert.deepEqual(counts, [])
    assert.deepEqual(
      now.floors.map(({ number, name, width }) => [number, name, width]),
      [
        [0, 'Ground', 40],
        [2, 'Loft', 40],
      ],
    )
    assert.equal(now.floors[0]!.floor, ground!.floor)
    assert.equal(now.defaultFloor, now.floors[1]!.floor)
    assert.deepEqual([now.lat, now.lng, now.version], [53.7, -1.8, 2])
    // The default floor is removed: the rule decides again.
    const last = await update({ building: building.building, floors: [ground!] })
    assert.equal(last.body.data!.defaultFloor, ground!.floor)
    assert.ok(!floorsOf(last.body.data!).some(({ floor }) => floor === first!.floor))
  })

  test('by one of two users at a time: the other is refused', async () => {
    const building = await made()
    const floors = floorsOf(building)
    const both = await Promise.all(
      ['One', 'Two'].map((name) => update({ building: building.building, version: 1, floors: [...floors, { name }] })),
    )
    assert.deepEqual(
      both.map(({ status }) => status).sort((a, b) => a - b),
      [200, 409],
    )
    assert.equal((await get(building.building)).body.data!.floors.length, 2)
  })

  test('but not to have no floor, one of another building, or a used name', async () => {
    const [building, other] = [await made(), await made()]
    const id = building.building
    const [floors, others] = [floorsOf(building), floorsOf(other)]
    assert.deepEqual(faults(await update({ building: id, floors: [] })), [
      'building.floors: A building needs at least one floor',
    ])
    assert.deepEqual(faults(await update({ building: id, floors: others })), [
      'building.floors.0.floor: The building has no such floor.',
    ])
    const twice = await update({ building: id, floors: [...floors, { ...floors[0]!, name: 'again' }] })
    assert.equal(twice.status, 400)
    const taken = await update({ building: id, name: other.name.toUpperCase(), floors })
    assert.equal(taken.status, 409)
    assert.deepEqual(faults(taken), ['building.name: Name is already being used'])
    assert.deepEqual(floorsOf((await get(id)).body.data!), floors)
  })

  test('its devices show its new name, and a floor with devices stays', async () => {
    const building = await made({ floors: [{ name: '0' }, { name: '1' }] })
    const [ground, first] = floorsOf(building)
    const light = await addDevice(app, 'north')
    await app.database.owner.query(
      `update device set building_id = $2, floor_id = $3 where tenant_id = 'north' and id = $1`,
      [light, building.building, first!.floor],
    )
    const refused = await update({ building: building.building, floors: [ground!] })
    assert.equal(refused.status, 400)
    assert.deepEqual(faults(refused), ['building.floors: These floors still have devices: 1 (1). Move them first.'])
    const home = await made({ floors: [{ name: '0' }, { name: '1' }] })
    const [low, high] = floorsOf(home)
    await app.database.owner.query(
      `insert into property (tenant_id, id, reference, building_id, floor_id) values ('north', gen_random_uuid(), 'UP', $1, $2)`,
      [home.building, high!.floor],
    )
    assert.deepEqual(faults(await update({ building: home.building, floors: [low!] })), [
      'building.floors: These floors still have properties: 1. Move them first.',
    ])
    await update({
      building: building.building,
      name: 'Renamed House',
      floors: [ground!, { ...first!, name: 'Attic' }],
    })
    const { rows } = await app.database.owner.query(
      `select building_name, floor_name from device where tenant_id = 'north' and id = $1`,
      [light],
    )
    assert.deepEqual(rows, [{ building_name: 'Renamed House', floor_name: 'Attic' }])
    assert.equal((await get('renamed-house')).status, 200)
    assert.deepEqual((await get(building.building)).body.data!.counts, [
      {
        floor: first!.floor,
        devices: 1,
        failed: 0,
        warning: 0,
        offline: 0,
        notPlaced: 1,
        notPlacedFailed: 0,
        listing: 'EmergencyLights',
      },
    ])
  })
})

describe('the plan of a floor', () => {
  const position = (more: object, by = manager) =>
    app.send(
      updateFloorPosition,
      { body: { tenant: 'north', width: 42, height: 21.5, rotation: 15, lat: 53.7, long: -1.9, ...more } as never },
      by,
    )

  test('is placed without moving any device [est-7.1-11]', async () => {
    const building = await made()
    const of = { building: building.building, floor: building.floors[0]!.floor }
    assert.equal((await position(of)).status, 200)
    const [floor] = (await get(building.building)).body.data!.floors
    const { width, height, rotation, lat, lng, version } = floor!
    assert.deepEqual(
      { width, height, rotation, lat, lng, version },
      { width: 42, height: 21.5, rotation: 15, lat: 53.7, lng: -1.9, version: 2 },
    )
    assert.equal((await position({ ...of, rotation: 360, version: 1 })).status, 409)
    assert.equal((await position({ ...of, rotation: 360, version: 2 })).body.data!.rotation, 0)
  })

  test('takes the devices on it along if wanted, those the user may place, each to its spot on the drawing', async () => {
    const building = await made()
    const { owner } = app.database
    const of = { building: building.building, floor: building.floors[0]!.floor }
    const plan = { lat: 53.7, lng: -1.9, width: 40, height: 20, rotation: 0 }
    const { lng: long, ...sides } = plan
    assert.equal((await position({ ...of, ...sides, long })).status, 200)
    const spots = { corner: { right: -20, down: -10 }, within: { right: 6, down: 3 }, outside: { right: 25, down: 0 } }
    const put = async (product: 'EM' | 'BX', spot: { right: number; down: number }) => {
      const id = await addDevice(app, 'north', { product })
      const { lat, lng } = placeOf(plan, spot)
      await owner.query(
        `update device set building_id = $2, floor_id = $3, latitude = $4, longitude = $5 where id = $1`,
        [id, of.building, of.floor, lat, lng],
      )
      return id
    }
    const [corner, within, outside] = [
      await put('EM', spots.corner),
      await put('EM', spots.within),
      await put('EM', spots.outside),
    ]
    const boiler = await put('BX', spots.within)
    const spotsOn = async (on: typeof plan) => {
      const { rows } = await owner.query<{ id: string; latitude: number; longitude: number }>(
        'select id, latitude, longitude from device where floor_id = $1',
        [of.floor],
      )
      const near = (metres: number) => Math.round(metres * 100) / 100 || 0
      return Object.fromEntries(
        rows.map(({ id, latitude, longitude }) => {
          const { right, down } = spotOf(on, { lat: latitude, lng: longitude })
          return [id, { right: near(right), down: near(down) }]
        }),
      )
    }
    const recorded = async (id: string) =>
      (
        await owner.query(
          `select person_name, action, before, after from audit_entry where subject_id = $1 and action = 'device moved'`,
          [id],
        )
      ).rows
    const next = { lat: 53.7004, lng: -1.9002, width: 80, height: 10, rotation: 30 }
    const { lng: east, ...rest } = next
    // A lighting engineer may not place boilers.
    assert.equal((await position({ ...of, ...rest, long: east, takesDevices: true }, engineer)).status, 200)
    const along = await spotsOn(next)
    assert.deepEqual(along[corner], { right: -40, down: -5 })
    assert.deepEqual(along[within], { right: 12, down: 1.5 })
    const stayed = await spotsOn(plan)
    assert.deepEqual([stayed[outside], stayed[boiler]], [spots.outside, spots.within])
    const [entry, ...more] = await recorded(within)
    assert.deepEqual([more, entry.action, Object.keys(entry.before)], [[], 'device moved', ['latitude', 'longitude']])
    assert.notDeepEqual(entry.before, entry.after)
    assert.deepEqual(await recorded(outside), [])
    // Moved back without the devices; an outdated change takes no devices along either.
    assert.equal((await position({ ...of, ...sides, long })).status, 200)
    assert.deepEqual(await spotsOn(next), along)
    const before = await spotsOn(plan)
    assert.equal((await position({ ...of, ...rest, long: east, takesDevices: true, version: 1 })).status, 409)
    assert.deepEqual(await spotsOn(plan), before)
  })

  test('is refused with an invalid size, rotation or place, or a floor of another building', async () => {
    const [building, other] = [await made(), await made()]
    const of = { building: building.building, floor: building.floors[0]!.floor }
    const wrong = [
      ...[{ width: 0 }, { width: -3 }, { height: 1e9 }, { rotation: 1e9 }, { lat: 91 }, { long: 181 }],
      ...[{ lat: null }, { rotation: 'NaN' }],
    ]
    for (const more of wrong) assert.equal((await position({ ...of, ...more })).status, 400, JSON.stringify(more))
    assert.equal((await position({ ...of, floor: other.floors[0]!.floor })).status, 404)
    assert.equal((await position({ ...of, building: randomUUID() })).status, 404)
    assert.deepEqual((await get(building.building)).body.data!.floors, building.floors)
  })
})

test('managers and lighting engineers change buildings, users who see them read them, limited users have none', async () => {
  const building = await made()
  const floors = floorsOf(building)
  const of = { building: building.building, floor: building.floors[0]!.floor }
  const place = { tenant: 'north', ...of, width: 20, height: 20, rotation: 0, lat: 53, long: -1 }
  const statuses = async (by: string) => [
    (await get(building.building, by)).status,
    (await add(fresh(), by)).status,
    (await update({ building: building.building, floors }, by)).status,
    (await app.send(updateFloorPosition, { body: place }, by)).status,
  ]
  assert.deepEqual(await statuses(engineer), [200, 200, 200, 200])
  for (const by of ['guest@north.test', 'boilers@north.test'])
    assert.deepEqual(await statuses(by), [200, 403, 403, 403], by)
  assert.deepEqual(await statuses('limited@north.test'), [403, 403, 403, 403])
})

test('a building of another client is not found', async () => {
  const building = await made()
  const floors = floorsOf(building)
  const tenant = 'south'
  const id = building.building
  const answers = [
    await app.send(getBuilding, { body: { tenant, building: id } }, southern),
    await app.send(getBuilding, { body: { tenant, building: building.name } }, southern),
    await app.send(getBuilding, { body: { tenant, building: randomUUID() } }, southern),
    await app.send(updateBuilding, { body: { tenant, building: { building: id, floors } } }, southern),
    await app.send(
      updateFloorPosition,
      { body: { tenant, building: id, floor: floors[0]!.floor!, width: 9, height: 9, rotation: 0, lat: 1, long: 1 } },
      southern,
    ),
  ]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [404, 404, 404, 404, 404],
  )
  const theirs = await app.send(getTenantBuildings, { body: { tenant } }, southern)
  assert.ok(!theirs.body.data!.some(({ building }) => building === id))
})

test("a postcode is located at the client's address with it, or its outward code, or not at all [est-7.1-2 est-7.1-3]", async () => {
  await app.addTenant('coded')
  await app.addMember('coded', 'manager@coded.test', 'Manager')
  const ask = async (postCode: string, tenant = 'coded', by = 'manager@coded.test') =>
    (await app.send(getLatLong, { body: { tenant, postCode } }, by)).body.data
  const centre = await ask('hx1 5tx')
  assert.ok(centre!.isApproximate && Math.abs(centre!.lat - 53.72) < 0.05 && Math.abs(centre!.lng + 1.87) < 0.05)
  // A building that was never moved adds no information.
  const unmoved = fresh({ lat: centre!.lat, lng: centre!.lng, address: 'HX1 5TX' })
  await app.send(addBuilding, { body: { tenant: 'coded', building: unmoved } }, 'manager@coded.test')
  assert.deepEqual(await ask('hx1 5tx'), centre)
  await inTenant(app.database.db, 'coded', (tx) =>
    tx
      .insertInto('building')
      .values({
        ...{ tenant_id: 'coded', id: randomUUID(), name: 'Gibbet House', postcode: 'HX1 5TX' },
        ...{ latitude: 53.7236, longitude: -1.8772 },
      })
      .execute(),
  )
  assert.deepEqual(await ask('HX15TX'), { lat: 53.7236, lng: -1.8772, isApproximate: false, credit: null })
  for (const wrong of ['HX1 5ZZZ', 'ZZ99 9ZZ', 'HX1', '']) assert.equal(await ask(wrong), null, wrong)
  // The data of one client is not used for another.
  assert.equal((await ask('HX1 5TX', 'north', manager))!.isApproximate, true)
})

test('addresses of buildings are left out where personal data is hidden', async () => {
  await app.addTenant('quiet', { features: ['HideCustomerPersonalData'] })
  await app.addMember('quiet', 'manager@quiet.test', 'Manager')
  for (const tenant of ['quiet', 'north'])
    await inTenant(app.database.db, tenant, (tx) =>
      tx
        .insertInto('building')
        .values({
          ...{ tenant_id: tenant, id: randomUUID(), name: 'Gibbet House', address: 'Gibbet Street, Halifax' },
          ...{ postcode: 'HX1 5TX', latitude: null, longitude: null },
        })
        .execute(),
    )
  const { body } = await app.send(
    getBuilding,
    { body: { tenant: 'quiet', building: 'gibbet house' } },
    'manager@quiet.test',
  )
  assert.equal(body.data!.address, null)
  assert.ok(!JSON.stringify(body).includes('HX1'))
  assert.equal((await get('Gibbet House')).body.data!.address, 'Gibbet Street, Halifax HX1 5TX')
})
