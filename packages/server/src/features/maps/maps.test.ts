import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import {
  getMapBuilding,
  getMapBuildings,
  getMapBuildingsExtent,
  getMapDevices,
  getMapDevicesExtent,
  getMapSketch,
} from '@caretaker/contract/maps.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'

let app: TestApp
const ids: Record<string, string> = {}
const manager = 'manager@north.test'
const limited = 'limited@north.test'
const world = { west: -180, south: -90, east: 180, north: 90 }

beforeAll(async () => {
  app = await testApp({ CARETAKER_DEMO: 'on' })
  for (const id of ['north', 'south']) await app.addTenant(id)
  const east = await addAccessRightsTag(app, 'north', 'East')
  await app.addMember('north', manager, 'Manager')
  await app.addMember('north', limited, 'Manager', [east])
  await app.addMember('north', 'boilers@north.test', 'BoilerEngineer')
  await app.addMember('south', 'manager@south.test', 'Manager')
  const { owner } = app.database
  const place = async (tenant: string, name: string, lat: number | null, lng: number | null) => {
    const { rows } = await owner.query(
      `insert into building (tenant_id, id, name, latitude, longitude) values ($1, gen_random_uuid(), $2, $3, $4) returning id`,
      [tenant, name, lat, lng],
    )
    ids[name] = rows[0].id
  }
  await place('north', 'Alder House', 53.8, -1.5)
  await place('north', 'Birch House', 53.8004, -1.5)
  await place('north', 'Fiji House', -17, 179.9)
  await place('north', 'Tonga House', -17, -179.9)
  await place('north', 'Unplaced House', null, null)
  await place('south', 'South House', 53.8, -1.5)
  const floor = await owner.query(
    `insert into floor (tenant_id, id, building_id, number, name) values ('north', gen_random_uuid(), $1, 0, 'Ground') returning id`,
    [ids['Alder House']],
  )
  ids['ground'] = floor.rows[0].id
  let serial = 0
  for (const [name, product, where, status, connection, building] of [
    ['bad', 'EM', [53.8, -1.5], 'FailedEquipment', 'Connected', 'Alder House'],
    ['gone', 'EM', [53.80005, -1.5], 'Ok', 'NotConnected', 'Alder House'],
    ['fine', 'EL', [53.8004, -1.5], 'Ok', 'Connected', 'Birch House'],
    ['boiler', 'MG', [54.8, -1.5], 'Ok', 'Connected', null],
    // Third-party devices are a restricted type.
    ['theirs', 'ADEY', [53.8, -1.5], 'FailedDevice', 'NotConnected', null],
    ['nowhere', 'EM', [null, null], 'FailedEquipment', 'Connected', 'Alder House'],
    ['fiji', 'EM', [-17, 179.9], 'Ok', 'Connected', 'Fiji House'],
  ] as const) {
    ids[name] = await addDevice(app, 'north', {
      product,
      name,
      serial: `${product}2${String(serial++).padStart(6, '0')}X`,
      status,
      ...(name === 'boiler' && { accessRightsTagId: east }),
    })
    await owner.query(
      `update device set latitude = $2, longitude = $3, connection_status = $4, building_id = $5, floor_id = $6 where id = $1`,
      [ids[name], ...where, connection, building && ids[building], name === 'gone' ? ids['ground'] : null],
    )
  }
})
afterAll(() => app.close())

const ask = (email: string, more: object = {}) =>
  app.send(getMapDevices, { body: { tenant: 'north', frame: world, zoom: 3, ...more } as never }, email)
const devices = async (email: string, more: object = {}) => {
  const { status, body } = await ask(email, more)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data!
}
const namesOf = (points: readonly { deviceName: string }[]) => points.map(({ deviceName }) => deviceName).toSorted()

test('nearby devices form a cluster with counts and place; a distant one is single', async () => {
  const map = await devices(manager, { zoom: 12 })
  assert.deepEqual(namesOf(map.points), ['boiler', 'fiji'])
  assert.equal(map.clusters.length, 1)
  const [cluster] = map.clusters
  assert.equal(cluster!.count, 3)
  assert.deepEqual(cluster!.counts.device, { Passed: 2, Warning: 0, NotInstalled: 0, Failed: 1, FailedDevice: 0 })
  assert.equal(cluster!.counts.connection.NotConnected, 1)
  assert.ok(Math.abs(cluster!.extent.south - 53.8) < 1e-6 && Math.abs(cluster!.extent.north - 53.8004) < 1e-6)
  assert.equal(map.inFrame, 5)
  // The further zoomed out, the fewer are single.
  const far = await devices(manager, { zoom: 0 })
  assert.deepEqual(
    far.clusters.map(({ count }) => count),
    [4],
  )
})

test('above zoom 16 each is single, and the list is worst first as requested', async () => {
  const frame = { west: -1.51, south: 53.79, east: -1.49, north: 53.81 }
  const map = await devices(manager, { zoom: 17, frame })
  assert.deepEqual(map.clusters, [])
  assert.deepEqual(namesOf(map.points), ['bad', 'fine', 'gone'])
  assert.equal(map.inFrame, 3)
  assert.deepEqual(
    map.list.map(({ deviceName }) => deviceName),
    ['bad', 'gone', 'fine'],
  )
  const reached = await devices(manager, { zoom: 17, frame, by: 'connection' })
  assert.deepEqual(
    reached.list.map(({ deviceName }) => deviceName),
    ['gone', 'bad', 'fine'],
  )
  const floor = await devices(manager, { zoom: 17, frame, building: ids['Alder House'], floor: ids['ground'] })
  assert.deepEqual(namesOf(floor.points), ['gone'])
})

test('a frame may cross the date line', async () => {
  const map = await devices(manager, { frame: { west: 179, south: -20, east: -179, north: -10 } })
  assert.deepEqual(namesOf(map.list), ['fiji'])
  const { body } = await app.send(
    getMapBuildings,
    { body: { tenant: 'north', zoom: 8, frame: { west: 179, south: -20, east: -179, north: -10 } } },
    manager,
  )
  const [cluster] = body.data!.clusters
  assert.equal(cluster!.count, 2)
  assert.ok(cluster!.extent.west > cluster!.extent.east, 'it goes over the line itself')
})

test('impossible frames and zooms are refused', async () => {
  for (const wrong of [
    { frame: { ...world, south: 10, north: 0 } },
    { frame: { ...world, north: 91 } },
    { frame: { ...world, west: -181 } },
    { frame: { west: 0, south: 0, east: 1 } },
    { zoom: 22 },
    { zoom: -1 },
    { zoom: 'near' },
    { floor: 'ground' },
  ])
    assert.equal((await ask(manager, wrong)).status, 400, JSON.stringify(wrong))
})

test('users see only their own devices, also in cluster counts', async () => {
  const few = await devices(limited)
  assert.deepEqual([namesOf(few.list), few.inFrame], [['boiler'], 1])
  assert.deepEqual(few.clusters, [])
  assert.deepEqual(namesOf((await devices('boilers@north.test')).list), ['boiler'])
  assert.equal((await ask('manager@south.test')).status, 404)
  const theirs = await app.send(
    getMapDevices,
    { body: { tenant: 'south', frame: world, zoom: 3 } },
    'manager@south.test',
  )
  assert.equal(theirs.body.data!.inFrame, 0)
})

test('a building shows the worst device that the user sees in it; limited users have no building map', async () => {
  const asked = (email: string, zoom = 17) =>
    app.send(getMapBuildings, { body: { tenant: 'north', frame: world, zoom } }, email)
  const { points, list, counts, inFrame } = (await asked(manager)).body.data!
  assert.deepEqual(
    list.map(({ name }) => name),
    ['Alder House', 'Birch House', 'Fiji House', 'Tonga House'],
  )
  assert.equal(points.length, 4)
  const alder = list[0]!
  assert.deepEqual([alder.devices, alder.deviceStatus, alder.connectionStatus], [3, 'Failed', 'NotConnected'])
  const tonga = list.at(-1)!
  assert.deepEqual([tonga.devices, tonga.deviceStatus, tonga.connectionStatus], [0, null, null])
  assert.deepEqual([counts.device.Failed, counts.device.Passed, inFrame], [1, 2, 4])
  const boilers = (await asked('boilers@north.test')).body.data!
  assert.ok(boilers.list.every(({ devices }) => devices === 0))
  assert.equal((await asked(limited)).status, 403)
  assert.equal((await asked('manager@south.test')).status, 404)
})

test('totals and extent are independent of the frame, and limited to what the user sees', async () => {
  const extent = async (email: string, more: object = {}) =>
    (await app.send(getMapDevicesExtent, { body: { tenant: 'north', ...more } as never }, email)).body.data!
  assert.deepEqual(await extent(manager), {
    total: 5,
    extent: { west: -1.5, south: -17, east: 179.9, north: 54.8 },
  })
  assert.equal((await extent(manager, { building: ids['Alder House'], floor: ids['ground'] })).total, 1)
  assert.deepEqual(await extent(limited), { total: 1, extent: { west: -1.5, south: 54.8, east: -1.5, north: 54.8 } })
  const buildings = (tenant: string, email: string) => app.send(getMapBuildingsExtent, { body: { tenant } }, email)
  assert.equal((await buildings('north', manager)).body.data!.total, 4)
  assert.equal((await buildings('north', limited)).status, 403)
  assert.equal((await buildings('north', 'manager@south.test')).status, 404)
  // A selection of them: those without a place, or of another client, are left out.
  const only = ['Tonga House', 'Unplaced House', 'South House'].map((name) => ids[name]!)
  const named = await app.send(getMapBuildingsExtent, { body: { tenant: 'north', only } }, manager)
  assert.deepEqual(
    [named.body.data!.total, named.body.data!.extent!.west, named.body.data!.extent!.east],
    [1, -179.9, -179.9],
  )
  const shown = await app.send(getMapBuildings, { body: { tenant: 'north', frame: world, zoom: 3, only } }, manager)
  const { inFrame, points, clusters } = shown.body.data!
  assert.deepEqual([inFrame, points.map(({ name }) => name), clusters], [1, ['Tonga House'], []])
  const theirs = await app.send(getMapDevicesExtent, { body: { tenant: 'south' } }, 'manager@south.test')
  assert.deepEqual(theirs.body.data, { total: 0, extent: null })
})

test('search results are listed wherever they are, worst first, limited to what the user sees; the map stays as it is', async () => {
  const frame = { west: -1.51, south: 53.79, east: -1.49, north: 53.81 }
  const map = await devices(manager, { zoom: 17, frame, find: 'FI' })
  assert.deepEqual(namesOf(map.list), ['fiji', 'fine'])
  assert.equal(map.inFrame, 3)
  assert.deepEqual((await devices(manager, { zoom: 17, frame, find: '%' })).list, [])
  assert.deepEqual((await devices(limited, { find: 'fiji' })).list, [])
  const buildings = await app.send(
    getMapBuildings,
    { body: { tenant: 'north', frame, zoom: 17, find: 'tonga h' } },
    manager,
  )
  assert.deepEqual(
    buildings.body.data!.list.map(({ name }) => name),
    ['Tonga House'],
  )
  assert.equal((await ask(manager, { find: ' ' })).status, 400)
})

test('the list is as long as requested, up to a thousand rows', async () => {
  assert.deepEqual(
    (await devices(manager, { most: 2 })).list.map(({ deviceName }) => deviceName),
    ['bad', 'gone'],
  )
  assert.equal((await devices(manager, { most: 2, find: 'fi' })).list.length, 2)
  assert.equal((await devices(manager, { most: 1000 })).list.length, 5)
  for (const most of [0, 1001, 1.5]) assert.equal((await ask(manager, { most })).status, 400, String(most))
})

test('each item that is not fine has its reason as in the listing, and each has its floor', async () => {
  const { list } = await devices(manager)
  const places = Object.fromEntries(
    list.map((one) => [one.deviceName, [one.deviceStatusReason, one.buildingId, one.floorId]]),
  )
  assert.deepEqual(places['gone'], [null, ids['Alder House'], ids['ground']])
  assert.deepEqual(places['fiji'], [null, ids['Fiji House'], null])
  assert.deepEqual(places['bad'], ['Broken', ids['Alder House'], null])
})

test('a building opens with its floors by id or name; limited users get floors on which they see a device', async () => {
  const { owner } = app.database
  const { rows } = await owner.query(
    `insert into floor (tenant_id, id, building_id, number, name) values ('north', gen_random_uuid(), $1, 1, 'First') returning id`,
    [ids['Alder House']],
  )
  const opened = (email: string, building: string, tenant = 'north') =>
    app.send(getMapBuilding, { body: { tenant, building } }, email)
  const floorsFor = async (email: string) => {
    const { status, body } = await opened(email, 'alder house')
    return status === 200
      ? [body.data!.defaultFloor, ...body.data!.floors.map(({ name, index, devices }) => [name, index, devices])]
      : status
  }
  assert.deepEqual(await floorsFor(manager), [ids['ground'], ['Ground', 0, 1], ['First', 1, 0]])
  assert.equal((await opened(manager, ids['Alder House']!)).body.data!.name, 'Alder House')
  // None of its floors is visible: as if it did not exist.
  assert.equal(await floorsFor(limited), 404)
  await owner.query('update device set building_id = $2, floor_id = $3 where id = $1', [
    ...[ids['boiler'], ids['Alder House'], rows[0].id],
  ])
  assert.deepEqual(await floorsFor(limited), [null, ['First', 1, 1]])
  assert.equal((await opened(limited, ids['Birch House']!)).status, 404)
  assert.equal((await opened(manager, ids['South House']!)).status, 404)
  assert.equal((await opened('manager@south.test', ids['Alder House']!)).status, 404)
  assert.equal((await opened('manager@south.test', ids['Alder House']!, 'south')).status, 404)
  await owner.query('update device set building_id = null, floor_id = null where id = $1', [ids['boiler']])
})

test('only a demo has made-up streets around its buildings', async () => {
  const frame = { west: -1.51, south: 53.79, east: -1.49, north: 53.81 }
  const drawn = async (server: TestApp, email: string, more: object = { frame }) =>
    (await server.send(getMapSketch, { body: { tenant: 'north', ...more } }, email)).body.data!.features
  const sketched = async (server: TestApp, email: string) => (await drawn(server, email)).length
  assert.ok((await sketched(app, manager)) > 20)
  assert.equal(await sketched(app, limited), 0)
  // Zoomed out, their towns.
  const country = Map.groupBy(await drawn(app, manager, {}), ({ properties }) => properties.kind)
  assert.ok(country.get('town')!.length >= 2)
  assert.equal(country.get('house'), undefined)
  assert.deepEqual(await drawn(app, limited, {}), [])
  const real = await testApp({ CARETAKER_DEMO: 'off' })
  try {
    await real.addTenant('north')
    await real.addMember('north', manager, 'Manager')
    assert.equal(await sketched(real, manager), 0)
    assert.deepEqual(await drawn(real, manager, {}), [])
  } finally {
    await real.close()
  }
})
