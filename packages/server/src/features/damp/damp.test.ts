import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import { getPropertyDamp, getPropertyDampCells } from '@caretaker/contract/damp.ts'
import { fetchProperties, exportProperties } from '@caretaker/contract/properties.ts'
import { pressingDampLevels } from '@caretaker/rules/properties/damp.ts'
import { openFeed, positionOf } from '../../changes/feed.ts'
import { makeDue } from '../../postgres/due.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { markForRecomputation, assessDamp } from './assess.ts'
import { ingestTelemetry, seriesCache } from '../telemetry/ingest.ts'

const tenant = 'north'
const manager = 'manager@north.test'
const hour = 3_600_000

let app: TestApp
let tag: string
beforeAll(async () => {
  app = await testApp()
  for (const id of [tenant, 'south'])
    await app.addTenant(id, { features: ['PropertyCentric'], capabilities: ['ViewProperties'] })
  await setFigures()
  tag = await addAccessRightsTag(app, tenant, 'East')
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, 'limited@north.test', 'Manager', [tag])
  await app.addMember('south', 'manager@south.test', 'Manager')
})
afterAll(() => app.close())

/** Winter weather outside: these tests pass in each month. */
const winter = { outside: 5 }
const setFigures = (damp: object = winter) =>
  app.database.owner.query(`update tenant set settings = settings || $1 where id = $2`, [{ damp }, tenant])
const within = <T>(work: Parameters<typeof inTenant<T>>[2]) => inTenant(app.database.db, tenant, work)

async function addHome(accessRightsTagId: string | null = null) {
  const id = randomUUID()
  await within((tx) =>
    tx
      .insertInto('property')
      .values({
        ...{ tenant_id: tenant, id, reference: id.slice(0, 8), latitude: null, longitude: null },
        access_rights_tag_id: accessRightsTagId,
      })
      .execute(),
  )
  return id
}

/** A room sensor without readings. */
async function addRoom(property: string, room: string, product = 'MD') {
  const id = await addDevice(app, tenant, { product: product as 'MD' })
  await within((tx) =>
    tx
      .updateTable('device')
      .set({ property_id: property, room })
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .execute(),
  )
  return id
}

/** A sensor that has read the same in its room each hour for this many hours up to now. */
async function addSensor(property: string, room: string, values: Record<string, number>, hours = 160, product = 'MD') {
  const id = await addRoom(property, room, product)
  const now = Date.now()
  const payload = Array.from({ length: hours }, (_, ago) => ({ ts: now - ago * hour, values }))
  await within((tx) => ingestTelemetry(tx, [{ deviceId: id, tenant, payload, receivedAt: new Date() }], seriesCache()))
  return id
}
/** Assesses what is due by now. */
async function assess(now = new Date(), id = tenant) {
  await inTenant(app.database.db, id, (tx) => makeDue(tx, 'assess damp', new Date(0)))
  return assessDamp(app.database.db, now)
}
const dampOf = (propertyId: string, email = manager, at = tenant) =>
  app.send(getPropertyDamp, { params: { tenant: at, propertyId } }, email)

test('each room has its risk and the reason, worst first, and the assumed weather is stated', async () => {
  const home = await addHome()
  await addSensor(home, 'Kitchen', { temperature: 20, humidity: 45 })
  await addSensor(home, 'Bedroom', { temperature: 15, humidity: 78 })
  await addSensor(home, 'Loft', { temperature: 15, humidity: 78 }, 40)
  await assess()
  const { body } = await dampOf(home)
  assert.equal(body.level, 'high')
  assert.deepEqual(
    body.rooms.map(({ room, level, meanTemperature, meanHumidity }) => [room, level, meanTemperature, meanHumidity]),
    [
      ['Bedroom', 'high', 15, 78],
      ['Kitchen', 'low', 20, 45],
      ['Loft', 'not assessed', null, null],
    ],
  )
  assert.match(body.rooms[0]!.reason, /^Cold surfaces were at 80 % humidity or more on 7 of the last 7 days\./)
  assert.equal(body.assumed, '5 °C outside is assumed because no device of the home measured it.')
})

test('room levels come in two-hour cells aligned with the assessments, for visible sensors, for at most a year', async () => {
  const home = await addHome(tag)
  await addSensor(home, 'Kitchen', { temperature: 20, humidity: 45 })
  const bedroom = await addSensor(home, 'Bedroom', { temperature: 15, humidity: 78 })
  await within((tx) =>
    tx
      .updateTable('device')
      .set({ access_rights_tag_id: tag })
      .where('tenant_id', '=', tenant)
      .where('id', '=', bedroom)
      .execute(),
  )
  await assess()
  const to = Math.ceil(Date.now() / hour) * hour
  const cells = (days: number, email = manager, at = tenant) =>
    app.send(
      getPropertyDampCells,
      {
        params: { tenant: at, propertyId: home },
        query: { from: new Date(to - days * 24 * hour).toISOString(), to: new Date(to).toISOString() } as never,
      },
      email,
    )
  const { body } = await cells(1)
  assert.deepEqual([body.hours, body.humidity, body.watchDays, body.highDays], [2, 80, 3, 5])
  const rooms = body.rooms.map((room) => [room.room, room.cells.length, ...new Set(room.cells)])
  assert.deepEqual(rooms, [
    ['Bedroom', 12, 'high'],
    ['Kitchen', 12, 'low'],
  ])
  // The strip ends with the present level on the page.
  const now = (await dampOf(home)).body.rooms.map(({ room, level }) => [room, level])
  assert.deepEqual(
    body.rooms.map(({ room, cells: all }) => [room, all.findLast((cell) => cell !== null)]),
    now,
  )
  assert.deepEqual(
    (await cells(1, 'limited@north.test')).body.rooms.map(({ room }) => room),
    ['Bedroom'],
  )
  assert.equal((await cells(35)).body.hours, 12)
  assert.deepEqual([(await cells(400)).status, (await cells(1, 'manager@south.test')).status], [400, 404])
  assert.equal((await cells(1, 'manager@south.test', 'south')).status, 404)
})

test('weather measured by a boiler of the property counts, and then nothing is assumed', async () => {
  const home = await addHome()
  await addSensor(home, 'Bedroom', { temperature: 18, humidity: 66 })
  await assess()
  assert.equal((await dampOf(home)).body.level, 'high')
  await addSensor(home, 'Kitchen', { outsideTemperature: 14 }, 160, 'BX')
  await within(markForRecomputation)
  await assess()
  const { body } = await dampOf(home)
  assert.deepEqual([body.level, body.assumed, body.rooms.length], ['low', null, 1])
})

test('a client has its own figures; impossible ones count as missing', async () => {
  const home = await addHome()
  await addSensor(home, 'Bedroom', { temperature: 18, humidity: 66 })
  const set = (damp: object) =>
    setFigures(damp)
      .then(() => within(markForRecomputation))
      .then(() => assess())
  await assess()
  assert.equal((await dampOf(home)).body.level, 'high')
  await set({ surfaceFactor: 0.95, outside: 12 })
  const { body } = await dampOf(home)
  assert.deepEqual([body.level, body.assumed?.slice(0, 24)], ['low', '12 °C outside is assumed'])
  await set({ ...winter, surfaceFactor: 0.4 })
  assert.equal((await dampOf(home)).body.level, 'high')
  await set({ ...winter, surfaceFactor: 7 })
  assert.match((await dampOf(home)).body.assumed!, /^The monthly mean outdoor temperature is assumed because/)
  await set(winter)
})

test('without measured weather, rooms are assessed with the monthly mean, which is stated; in other countries not at all', async () => {
  const [measured, unknown] = [await addHome(), await addHome()]
  for (const home of [measured, unknown]) await addSensor(home, 'Bedroom', { temperature: 18, humidity: 66 })
  await addSensor(measured, 'Kitchen', { outsideTemperature: 5 }, 160, 'BX')
  const shown = async (home: string) => {
    const { assumed, rooms } = (await dampOf(home)).body
    return { assumed, ...rooms.find(({ room }) => room === 'Bedroom')! }
  }
  const set = async (damp: object, zone: string) => {
    await setFigures(damp)
    await app.database.owner.query('update tenant set time_zone = $1 where id = $2', [zone, tenant])
    await within(markForRecomputation)
    await assess()
  }
  await set({}, 'Europe/London')
  const mean = await shown(unknown)
  assert.match(
    mean.reason,
    / Assumed outside temperature: about \d+ °C in [A-Z][a-z]+( and \d+ °C in [A-Z][a-z]+)? \(long-term mean\)\.$/,
  )
  assert.equal(
    mean.assumed,
    'The monthly mean outdoor temperature is assumed because no device of the home measured it.',
  )
  assert.notEqual(mean.level, 'not assessed')
  await set({}, 'Europe/Paris')
  const abroad = await shown(unknown)
  assert.equal(abroad.level, 'not assessed')
  assert.match(abroad.reason, /^The outside temperature is known for 0 of the last 168 hours/)
  assert.equal(abroad.assumed, 'The outdoor temperature is known only if a device in the property measures it.')
  const own = await shown(measured)
  assert.deepEqual([own.level, own.assumed], ['high', null])
  assert.doesNotMatch(own.reason, /assumed/)
  await set(winter, 'Europe/London')
})

test('a property without room sensors is not assessed', async () => {
  assert.deepEqual((await dampOf(await addHome())).body, {
    ...{ level: 'not assessed', isOfHiddenRoom: false, assessedAt: null, rooms: [], assumed: null },
  })
})

test('a hidden property is not found; a user who sees it but not its sensors gets the level on page and list, and nothing of the sensors', async () => {
  const [hidden, seen] = [await addHome(), await addHome(tag)]
  await addSensor(seen, 'Bedroom', { temperature: 15, humidity: 78 })
  await assess()
  assert.equal((await dampOf(hidden, 'limited@north.test')).status, 404)
  assert.equal((await dampOf(hidden, 'manager@south.test')).status, 404)
  assert.equal((await dampOf(hidden, 'manager@south.test', 'south')).status, 404)
  const { level } = (await dampOf(seen)).body
  assert.ok(pressingDampLevels.includes(level), level)
  assert.deepEqual((await dampOf(seen, 'limited@north.test')).body, {
    ...{ level, isOfHiddenRoom: true, assessedAt: null, rooms: [], assumed: null },
  })
  const listed = await app.send(fetchProperties, { body: { tenant, search: seen.slice(0, 8) } }, 'limited@north.test')
  assert.deepEqual(
    listed.body.data!.rows.map(({ damp, deviceCount }) => [damp, deviceCount]),
    [[level, 0]],
  )
  // The level of a room that they see is no worse than the property's.
  const own = await addSensor(seen, 'Kitchen', { temperature: 21, humidity: 35 })
  await app.database.owner.query('update device set access_rights_tag_id = $1 where id = $2', [tag, own])
  await assess()
  const damp = (await dampOf(seen, 'limited@north.test')).body
  assert.deepEqual([damp.level, damp.isOfHiddenRoom, damp.rooms.map((room) => room.level)], [level, true, ['low']])
  assert.equal((await dampOf(seen)).body.isOfHiddenRoom, false)
})

/** `count` equal hourly readings of a sensor, the first `before` hours ago: older than a device may send. */
async function reads(id: string, before: number, count: number, values: Record<string, number>) {
  const first = Math.floor(Date.now() / hour) * hour - before * hour
  for (const [metric, value] of Object.entries(values))
    await app.database.owner.query(
      `with one as (
        insert into series (tenant_id, device_id, metric) values ($1, $2, $3)
        on conflict (tenant_id, device_id, metric) do update set metric = excluded.metric returning id)
      insert into hourly select $1, id, at, 1, $4::float8, $4, $4, at, $4
        from one, generate_series($5::timestamptz, $6, interval '1 hour') at`,
      [tenant, id, metric, value, new Date(first), new Date(first + (count - 1) * hour)],
    )
}
const inHours = (count: number) => new Date(Math.floor(Date.now() / hour) * hour + count * hour + 8 * 60_000)
const homes = async (email = manager, at = tenant, more: object = {}) =>
  (await app.send(fetchProperties, { body: { tenant: at, ...more } }, email)).body.data!.rows

test('hourly assessments add up to a full computation, and state since when', async () => {
  const home = await addHome()
  const sensor = await addRoom(home, 'Bedroom')
  await reads(sensor, 500, 350, { temperature: 19, humidity: 50 })
  await assess(inHours(-150))
  const first = (await dampOf(home)).body
  assert.equal(first.level, 'low')
  assert.equal(first.assessedAt, new Date(Math.floor(Date.now() / hour) * hour - 150 * hour).toISOString())
  await reads(sensor, 150, 150, { temperature: 17, humidity: 84 })
  for (let at = -149; at <= 0; at++) await assess(inHours(at))
  const kept = (await dampOf(home)).body
  assert.equal(kept.rooms[0]!.level, 'high')
  const since = Date.parse(kept.rooms[0]!.since)
  assert.ok(since > Date.now() - 100 * hour && since < Date.now(), 'when the fifth day was humid')
  await within(markForRecomputation)
  await assess(inHours(0))
  assert.deepEqual((await dampOf(home)).body, kept)
})

test('late readings count when the room is recomputed', async () => {
  const home = await addHome()
  const sensor = await addSensor(home, 'Bedroom', { temperature: 19, humidity: 50 }, 60)
  await assess(inHours(0))
  assert.equal((await dampOf(home)).body.level, 'not assessed')
  await reads(sensor, 160, 100, { temperature: 19, humidity: 50 })
  let runs = 0
  for (; runs < 24 && (await dampOf(home)).body.level === 'not assessed'; runs++) await assess(inHours(1 + runs))
  assert.equal((await dampOf(home)).body.level, 'low')
})

test('the list has the worst room of each property, sorts and filters by it, and exports its label', async () => {
  const [good, bad, none] = [await addHome(), await addHome(), await addHome()]
  await addSensor(good, 'Kitchen', { temperature: 20, humidity: 45 })
  await addSensor(bad, 'Kitchen', { temperature: 20, humidity: 45 })
  const sensor = await addSensor(bad, 'Bedroom', { temperature: 15, humidity: 78 })
  await assess()
  const three: string[] = [good, bad, none]
  const ours = (rows: Awaited<ReturnType<typeof homes>>) =>
    rows.map(({ propertyId }) => propertyId).filter((id) => three.includes(id))
  const sorts = [{ fieldId: 'damp', descending: false }] as const
  assert.deepEqual(ours(await homes(manager, tenant, { sorts })), [bad, good, none])
  const filters = [{ fieldId: 'damp', filterOp: 'anyof' as const, value: ['high', 'severe'] }]
  const found = await homes(manager, tenant, { filters })
  assert.deepEqual(ours(found), [bad])
  const row = found.find(({ propertyId }) => propertyId === bad)!
  assert.deepEqual([row.damp, row.dampSince], ['high', (await dampOf(bad)).body.rooms[0]!.since])
  const open = (await homes()).find(({ propertyId }) => propertyId === none)!
  assert.deepEqual([open.damp, open.dampSince], ['not assessed', null], 'too little is known to call it good')
  const file = await app.send(
    exportProperties,
    { body: { tenant, columns: ['propertyReference', 'damp'], format: 'csv', filters } },
    manager,
  )
  assert.match(file.body as unknown as string, new RegExp(`${row.propertyReference}"?,"?High`))
  assert.deepEqual(ours(await homes('limited@north.test')), [], 'homes that are not in sight')
  assert.deepEqual(ours(await homes('manager@south.test', 'south')), [])
  // Its sensor is moved elsewhere.
  await within((tx) =>
    tx
      .updateTable('device')
      .set({ property_id: null })
      .where('tenant_id', '=', tenant)
      .where('id', '=', sensor)
      .execute(),
  )
  await assess()
  assert.equal((await homes()).find(({ propertyId }) => propertyId === bad)!.damp, 'low')
})

test('a room whose level becomes unknown without readings keeps its alert', async () => {
  const home = await addHome()
  const sensor = await addRoom(home, 'Bedroom')
  await reads(sensor, 468, 200, { temperature: 15, humidity: 78 })
  await assess(inHours(-268))
  const pressing = async () =>
    (
      await app.database.owner.query<{ level: string; since: Date | null }>(
        'select level, pressing_since as since from damp_room where device_id = $1',
        [sensor],
      )
    ).rows[0]!
  const before = await pressing()
  assert.ok(before.since)
  await assess(inHours(-168))
  assert.deepEqual(await pressing(), { level: 'not assessed', since: before.since })
  await reads(sensor, 168, 168, { temperature: 21, humidity: 40 })
  await assess(inHours(0))
  assert.deepEqual(await pressing(), { level: 'low', since: null })
})

test('a property changes with the risk of each of its rooms, even if its worst level stays', async () => {
  const home = await addHome()
  const [bedroom, lounge] = [await addRoom(home, 'Bedroom'), await addRoom(home, 'Lounge')]
  await reads(lounge, 468, 468, { temperature: 21, humidity: 40 })
  await reads(bedroom, 468, 200, { temperature: 15, humidity: 78 })
  await assess(inHours(-268))
  // The bedroom sensor stops: its risk stays, and the property has the level of the lounge.
  await assess(inHours(-168))
  const feed = openFeed()
  const before = await within((tx) => feed.now(tx))
  await reads(bedroom, 168, 168, { temperature: 21, humidity: 40 })
  await assess(inHours(0))
  const { rows } = await within((tx) => feed.since(tx, { position: positionOf(before) }, { subjects: ['property'] }))
  assert.ok(rows.some(({ ids }) => ids?.includes(home)))
})

test('the list has the level and day of the room that comes first on the page, also when that becomes another room', async () => {
  const home = await addHome()
  const sensors = [
    await addSensor(home, 'Attic', { temperature: 15, humidity: 78 }, 150),
    await addSensor(home, 'Study', { temperature: 15, humidity: 78 }, 190),
  ]
  const listed = async () => {
    const body = { tenant, listing: 'Properties' as const, search: home.slice(0, 8) }
    const [row] = (await app.send(fetchProperties, { body }, manager)).body.data!.rows
    const [first] = (await dampOf(home)).body.rooms
    assert.deepEqual([row!.damp, row!.dampSince], [first!.level, first!.since])
    return first!.room
  }
  await assess()
  assert.equal(await listed(), 'Study')
  // The first room is now in another property; the level of this one stays.
  await within((tx) =>
    tx
      .updateTable('device')
      .set({ property_id: null })
      .where('tenant_id', '=', tenant)
      .where('id', '=', sensors[1]!)
      .execute(),
  )
  await assess(new Date(Date.now() + hour))
  assert.equal(await listed(), 'Attic')
})

test('a client whose rooms have only thermometers is checked for frost each hour', async () => {
  const id = 'thermometers'
  await app.addTenant(id, { features: ['PropertyCentric'], capabilities: ['ViewProperties'] })
  const [home, device] = [randomUUID(), await addDevice(app, id, { product: 'MD' })]
  const now = new Date()
  const receive = (temperature: number, at: Date) =>
    inTenant(app.database.db, id, (tx) =>
      ingestTelemetry(
        tx,
        [{ deviceId: device, tenant: id, payload: [{ ts: +at, values: { temperature } }], receivedAt: at }],
        seriesCache(),
      ),
    )
  const hasFrost = async () => {
    const { rows } = await app.database.owner.query('select frost_since from property where id = $1', [home])
    return rows[0]!.frost_since !== null
  }
  await inTenant(app.database.db, id, async (tx) => {
    const place = { latitude: null, longitude: null, access_rights_tag_id: null }
    await tx
      .insertInto('property')
      .values({ tenant_id: id, id: home, reference: 'T-1', ...place })
      .execute()
    await tx.updateTable('device').set({ property_id: home }).where('tenant_id', '=', id).execute()
  })
  await receive(12, now)
  await assess(now, id)
  assert.equal(await hasFrost(), false)
  // Time alone makes the next assessment due.
  const later = new Date(+now + 2 * hour)
  await receive(3, later)
  await assessDamp(app.database.db, later)
  assert.equal(await hasFrost(), true)
})
