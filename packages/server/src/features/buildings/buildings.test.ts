import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import { getBuilding, getTenantBuildings, getTenantBuildingSummary } from '@caretaker/contract/buildings.ts'
import { getMapBuildings } from '@caretaker/contract/maps.ts'
import { routes } from '@caretaker/contract/routes.ts'
import type { ConnectionStatus } from '@caretaker/rules/devices/connection.ts'
import { connectionStates } from '@caretaker/rules/devices/connection.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'

let app: TestApp
const manager = 'manager@north.test'
const limited = 'limited@north.test'
const alder = randomUUID()
const birch = randomUUID()

async function addBuilding(tenant: string, id: string, name: string, floors: [number: number, name: string][]) {
  await inTenant(app.database.db, tenant, async (tx) => {
    await tx.insertInto('building').values({ tenant_id: tenant, id, name, latitude: 53.8, longitude: -1.5 }).execute()
    for (const [number, floor] of floors)
      await tx
        .insertInto('floor')
        .values({ tenant_id: tenant, id: randomUUID(), building_id: id, number, name: floor })
        .execute()
  })
}

async function addTo(
  building: string,
  status: DeviceStatus,
  connection: ConnectionStatus = connectionStates.online,
  product: Product = 'EM',
) {
  const id = await addDevice(app, 'north', { status, product })
  await app.database.owner.query(
    `update device set building_id = $2, connection_status = $3 where tenant_id = 'north' and id = $1`,
    [id, building, connection],
  )
}

beforeAll(async () => {
  app = await testApp()
  for (const tenant of ['north', 'south']) await app.addTenant(tenant)
  await app.addMember('north', manager, 'Manager')
  await app.addMember('north', limited, 'Manager', [await addAccessRightsTag(app, 'north', 'East')])
  await addBuilding('north', birch, 'birch house', [])
  await addBuilding('north', alder, 'Alder House', [
    [1, '1st'],
    [-1, 'Basement'],
    [0, 'Ground'],
  ])
  await addBuilding('south', randomUUID(), 'Another', [])
  await addTo(alder, 'Ok')
  await addTo(alder, 'FailedEquipment')
  await addTo(alder, 'FailedDevice', connectionStates.offline)
  // Offline in another listing than the lights, so no single listing has all offline devices.
  await addTo(alder, 'Installed', connectionStates.offline, 'MG')
  await addTo(alder, 'Inventory', connectionStates.neverconnected)
  // In the group of devices that are not installed, regardless of letter case.
  await addTo(alder, 'DISPOSED', connectionStates.neverconnected)
})
afterAll(() => app.close())

const ofNorth = { body: { tenant: 'north' } }

test('the buildings of the tenant only, by name, each with its floors from the lowest up [core-7.1-11 est-7.1-9]', async () => {
  const { body } = await app.send(getTenantBuildings, ofNorth, manager)
  assert.deepEqual(
    body.data!.map(({ name }) => name),
    ['Alder House', 'birch house'],
  )
  const [first, second] = body.data!
  assert.deepEqual(
    { ...first, floors: first!.floors.map(({ number, name }) => `${number} ${name}`) },
    {
      building: alder,
      name: 'Alder House',
      lat: 53.8,
      lng: -1.5,
      floors: ['-1 Basement', '0 Ground', '1 1st'],
      defaultFloor: first!.floors[1]!.floor,
      address: '',
      version: 1,
    },
  )
  assert.equal(second!.defaultFloor, null)
})

test('a summary of each building: all, failed, warning, offline and not installed devices [core-7.1-10 dev-3ent-15 est-3-3 est-7.1-10]', async () => {
  const { body } = await app.send(getTenantBuildingSummary, ofNorth, manager)
  assert.deepEqual(body.data, [
    {
      building: { building: alder, name: 'Alder House' },
      address: '',
      listings: { all: null, failed: 'EmergencyLights', warning: 'NetworkingDevices', offline: null },
      deviceCount: 6,
      failedDeviceCount: 2,
      warningDeviceCount: 1,
      offlineDeviceCount: 2,
      notInstalledDeviceCount: 2,
    },
    {
      building: { building: birch, name: 'birch house' },
      address: '',
      listings: { all: null, failed: null, warning: null, offline: null },
      deviceCount: 0,
      failedDeviceCount: 0,
      warningDeviceCount: 0,
      offlineDeviceCount: 0,
      notInstalledDeviceCount: 0,
    },
  ])
})

test('the readable devices of a building are counted alike in the list, on its floors and on the map', async () => {
  const lift = await addDevice(app, 'south', { status: 'FailedDevice', product: 'LM' })
  const [floor, otherBuilding] = [randomUUID(), randomUUID()]
  await app.addMember('south', 'manager@south.test', 'Manager')
  await app.addMember('south', 'boilers@south.test', 'BoilerEngineer')
  await addBuilding('south', otherBuilding, 'Lift House', [])
  await app.database.owner.query(
    "insert into floor (tenant_id, id, building_id, number, name) values ('south', $1, $2, 0, '0')",
    [floor, otherBuilding],
  )
  const light = await addDevice(app, 'south', { status: 'FailedEquipment', product: 'EM' })
  await app.database.owner.query(
    `update device set building_id = $1, floor_id = $2 where tenant_id = 'south' and id = any($3::uuid[])`,
    [otherBuilding, floor, [lift, light]],
  )
  const frame = { west: -2, south: 53, east: -1, north: 54 }
  const countsFor = async (email: string) => {
    const rows = (await app.send(getTenantBuildingSummary, { body: { tenant: 'south' } }, email)).body.data!
    const row = rows.find(({ building }) => building.building === otherBuilding)!
    const { counts } = (await app.send(getBuilding, { body: { tenant: 'south', building: otherBuilding } }, email)).body
      .data!
    const { list } = (await app.send(getMapBuildings, { body: { tenant: 'south', frame, zoom: 18 } }, email)).body.data!
    const shown = list.find(({ building }) => building === otherBuilding)!
    return [
      [row.deviceCount, row.failedDeviceCount],
      [counts[0]?.devices ?? 0, counts[0]?.failed ?? 0],
      [shown.devices, shown.counts.device.Failed + shown.counts.device.FailedDevice],
    ]
  }
  // A lift monitor is in no listing, but is counted in its building.
  assert.deepEqual(await countsFor('manager@south.test'), [
    [2, 2],
    [2, 2],
    [2, 2],
  ])
  const [list, ...others] = await countsFor('boilers@south.test')
  for (const other of others) assert.deepEqual(other, list)
  assert.ok(list![0]! < 2)
})

test('limited users have no buildings', async () => {
  for (const route of [getTenantBuildings, getTenantBuildingSummary])
    assert.equal((await app.send(route, ofNorth, limited)).status, 403)
})

const formType = 'application/x-www-form-urlencoded'

/** The calls about buildings and tenants (estate specification, 7.1) that take JSON. */
const actions = ['GetLatLong', 'AddBuilding', 'GetBuilding', 'UpdateBuilding', 'GetTenantBuildings'].concat([
  ...['GetTenantBuildingSummary', 'UpdateFloorPosition', 'AddTenant', 'EditTenant'],
])

test('calls about buildings and tenants are actions, to which only JSON is posted [est-7.1-1]', async () => {
  const paths = Object.values(routes).flatMap(({ path }) => (actions.includes(path.split('/')[2] ?? '') ? [path] : []))
  assert.ok(paths.length >= 7)
  const headers = { authorization: `Bearer ${await app.token(manager)}` }
  for (const url of paths) {
    const asked = async (request: object) => (await app.app.inject({ url, headers, ...request } as never)).statusCode
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'])
      assert.equal(await asked({ method, query: { tenant: 'north' } }), 405, `${method} ${url}`)
    // It is parsed as JSON, so only its content may be wrong.
    const json = await asked({ method: 'POST', payload: { tenant: 'north' } })
    assert.ok([200, 400, 403].includes(json), `${url} ${json}`)
    const form = { method: 'POST', payload: 'tenant=north', headers: { ...headers, 'content-type': formType } }
    assert.equal(await asked(form), 415, url)
  }
})
