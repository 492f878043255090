import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { getPropertyDamp } from '@caretaker/contract/damp.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/two-tenants.ts'
import { ingestTelemetry, seriesCache } from '../telemetry/ingest.ts'

const tenant = 'north'
const manager = 'manager@north.test'
const hour = 3_600_000

let app: TestApp
let tag: string
before(async () => {
  app = await testApp()
  for (const id of [tenant, 'south'])
    await app.addTenant(id, { features: ['PropertyCentric'], capabilities: ['ViewProperties'] })
  tag = await addAccessRightsTag(app, tenant, 'East')
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, 'limited@north.test', 'Manager', [tag])
  await app.addMember('south', 'manager@south.test', 'Manager')
})
after(() => app.close())

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

/** A sensor in a room that has read the same each hour for so many hours. */
async function addSensor(property: string, room: string, values: Record<string, number>, hours = 160, product = 'MD') {
  const id = await addDevice(app, tenant, { product: product as 'MD' })
  await within((tx) =>
    tx
      .updateTable('device')
      .set({ property_id: property, room })
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .execute(),
  )
  const now = Date.now()
  const payload = Array.from({ length: hours }, (_, ago) => ({ ts: now - ago * hour, values }))
  await within((tx) => ingestTelemetry(tx, [{ deviceId: id, tenant, payload, receivedAt: new Date() }], seriesCache()))
  return id
}
const dampOf = (propertyId: string, email = manager, at = tenant) =>
  app.send(getPropertyDamp, { params: { tenant: at, propertyId } }, email)

test('each room has its risk and the reason, the worst first, and what is assumed of the weather is said', async () => {
  const home = await addHome()
  await addSensor(home, 'Kitchen', { temperature: 20, humidity: 45 })
  await addSensor(home, 'Bedroom', { temperature: 15, humidity: 78 })
  await addSensor(home, 'Loft', { temperature: 15, humidity: 78 }, 40)
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

test('the weather that a boiler of the home measures counts, and then nothing is assumed', async () => {
  const home = await addHome()
  await addSensor(home, 'Bedroom', { temperature: 18, humidity: 66 })
  assert.equal((await dampOf(home)).body.level, 'high')
  await addSensor(home, 'Kitchen', { outsideTemperature: 14 }, 160, 'BX')
  const { body } = await dampOf(home)
  assert.deepEqual([body.level, body.assumed, body.rooms.length], ['low', null, 1])
})

test('an organisation has figures of its own; those that cannot be are as none', async () => {
  const home = await addHome()
  await addSensor(home, 'Bedroom', { temperature: 18, humidity: 66 })
  const set = (damp: object) =>
    app.database.owner.query(`update tenant set settings = settings || $1 where id = $2`, [{ damp }, tenant])
  assert.equal((await dampOf(home)).body.level, 'high')
  await set({ surfaceFactor: 0.95, outside: 12 })
  const { body } = await dampOf(home)
  assert.deepEqual([body.level, body.assumed?.slice(0, 24)], ['low', '12 °C outside is assumed'])
  await set({ surfaceFactor: 7 })
  assert.equal((await dampOf(home)).body.level, 'high')
  await set({})
})

test('a home without sensors of air is not assessed', async () => {
  assert.deepEqual((await dampOf(await addHome())).body, { level: 'not assessed', rooms: [], assumed: null })
})

test('who does not see the home finds nothing, and who sees the home but not its sensors learns nothing of them', async () => {
  const [hidden, seen] = [await addHome(), await addHome(tag)]
  await addSensor(seen, 'Bedroom', { temperature: 15, humidity: 78 })
  assert.equal((await dampOf(hidden, 'limited@north.test')).status, 404)
  assert.equal((await dampOf(hidden, 'manager@south.test')).status, 404)
  assert.equal((await dampOf(hidden, 'manager@south.test', 'south')).status, 404)
  assert.deepEqual((await dampOf(seen, 'limited@north.test')).body.rooms, [])
})
