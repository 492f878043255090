import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import { addTagToDevice } from '@caretaker/contract/actions.ts'
import { createAlertDefinition, getAlerts } from '@caretaker/contract/alerts.ts'
import { addConnection, addSensors, getNewSensors, sendUplink } from '@caretaker/contract/connections.ts'
import { getPropertyDamp } from '@caretaker/contract/damp.ts'
import {
  exportListing,
  fetchViewData,
  getMapPoints,
  getThirdPartyDevice,
  updateDeviceBuildingLocation,
  updateDeviceGeoLocation,
} from '@caretaker/contract/devices.ts'
import { getPropertyDevices } from '@caretaker/contract/properties.ts'
import { getMonthlyReport } from '@caretaker/contract/reports.ts'
import { tenantCreateTag } from '@caretaker/contract/tags.ts'
import { getPropertyMetrics } from '@caretaker/contract/telemetry.ts'
import { wholeClient } from '@caretaker/rules/alerts/scope.ts'
import { openFeed } from '../../changes/feed.ts'
import { makeDue } from '../../postgres/due.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addDevice } from '../../testing/furnish/devices.ts'
import { watchTenant } from '../alerts/watch.ts'
import { assessDamp } from '../damp/assess.ts'
import { sweepConnections } from '../devices/ingest.ts'

// A connection's sensor is a device like any other, wherever a user meets devices and their readings.

const tenant = 'north'
const manager = 'manager@north.test'
const stranger = 'manager@south.test'
const hour = 3_600_000
const property = randomUUID()
const reference = 'NG-1'
let app: TestApp
let deviceId: string

beforeAll(async () => {
  app = await testApp()
  for (const id of [tenant, 'south'])
    await app.addTenant(id, { features: ['PropertyCentric'], capabilities: ['ViewProperties'] })
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember('south', stranger, 'Manager')
  const { owner } = app.database
  // Winter weather outside: the test passes in each month.
  await owner.query(`update tenant set settings = settings || '{"damp":{"outside":5}}' where id = $1`, [tenant])
  await owner.query(
    `insert into property (tenant_id, id, reference, address1, postcode) values ($1, $2, $3, '1 Elm Road', 'LS6 1AB')`,
    [tenant, property, reference],
  )
  const paths = { deviceKey: 'id', time: 'at', values: 'v', items: 'items', maker: 'maker', model: 'model' }
  const { body } = await app.send(
    addConnection,
    { params: { tenant }, body: { kind: 'generic-json', name: 'Climate', paths } } as never,
    manager,
  )
  const items = Array.from({ length: 160 }, (_, ago) => ({
    ...{ id: 'bedroom', at: Date.now() - ago * hour, v: { temperature: 15, humidity: 78 } },
  }))
  const response = await app.app.inject({
    ...{ method: 'POST', url: sendUplink.path.replace('{connectionId}', body.connection.id) },
    headers: { 'x-connection-key': body.key!, 'content-type': 'application/json' },
    payload: JSON.stringify({ maker: 'Acme', model: 'Climate', items }),
  })
  assert.equal(response.statusCode, 202, response.body)
  const { results } = (await app.send(getNewSensors, { params: { tenant }, query: {} as never }, manager)).body
  const sensors = [{ sensorId: results[0]!.id, room: 'Bedroom', name: 'Bedroom climate' }]
  const added = await app.send(addSensors, { params: { tenant }, body: { propertyId: property, sensors } }, manager)
  deviceId = added.body.added[0]!.deviceId
})
afterAll(() => app.close())

test('it is in the list of API Integration, in its export, and has a page and tags', async () => {
  const listed = async (of: string, email: string) =>
    (
      await app.send(fetchViewData, { body: { tenant: of, listing: 'ThirdParty' } as never }, email)
    ).body.data!.rows.map((row) => row.deviceId)
  assert.deepEqual(await listed(tenant, manager), [deviceId])
  assert.deepEqual(await listed('south', stranger), [])
  const { method, path: url } = exportListing
  const file = await app.app.inject({
    ...{ method, url, headers: { authorization: `Bearer ${await app.token(manager)}` } },
    payload: { tenant, listing: 'ThirdParty', columns: ['name'] },
  })
  assert.equal(file.body, '\uFEFF"Name"\r\n"Bedroom climate"\r\n')
  const tag = (await app.send(tenantCreateTag, { body: { tenant, name: 'Damp' } }, manager)).body.data!
  assert.equal((await app.send(addTagToDevice, { body: { tenant, deviceId, tagId: tag.id } }, manager)).status, 200)
  const { data } = (await app.send(getThirdPartyDevice, { body: { tenant, deviceId } }, manager)).body
  assert.deepEqual([data!.deviceName, data!.room, data!.tagIds], ['Bedroom climate', 'Bedroom', [tag.id]])
  const foreign = { body: { tenant: 'south', deviceId } }
  assert.equal((await app.send(getThirdPartyDevice, foreign, stranger)).status, 404)
})

test('it is placed on the map by users who may edit it, unlike a display-only device of the same type', async () => {
  await app.addMember(tenant, 'guest@north.test', 'Guest')
  const display = await addDevice(app, tenant, { product: 'ADEY', name: 'Display only' })
  const place = (id: string, email: string, of = tenant) =>
    app.send(updateDeviceGeoLocation, { body: { tenant: of, deviceId: id, latitude: 53.8, longitude: -1.5 } }, email)
  assert.equal((await place(deviceId, 'guest@north.test')).status, 403)
  assert.equal((await place(deviceId, stranger, 'south')).status, 404)
  assert.equal((await place(display, manager)).status, 403)
  assert.equal((await place(deviceId, manager)).status, 200)
  await app.database.owner.query('update device set latitude = 53.8, longitude = -1.5 where id = $1', [display])
  const { points } = (await app.send(getMapPoints, { body: { tenant } }, manager)).body.data!
  assert.deepEqual(
    points.map((point) => point.deviceName),
    ['Bedroom climate'],
  )
  const move = (room: string, email: string) =>
    app.send(updateDeviceBuildingLocation, { body: { tenant, deviceId, propertyId: property, location: room } }, email)
  assert.equal((await move('Loft', 'guest@north.test')).status, 403)
  assert.equal((await move('Bedroom', manager)).status, 200)
  const isOfConnection = async (id: string) =>
    (await app.send(getThirdPartyDevice, { body: { tenant, deviceId: id } }, manager)).body.data!.isOfConnection
  assert.deepEqual([await isOfConnection(deviceId), await isOfConnection(display)], [true, false])
  await app.database.owner.query('delete from device where id = $1', [display])
})

test('its readings are in the chart of its property, and its room is assessed for damp and in the report', async () => {
  const params = { tenant, propertyId: property }
  const { results } = (await app.send(getPropertyDevices, { params }, manager)).body
  assert.deepEqual(
    results.map((device) => device.deviceId),
    [deviceId],
  )
  const range = {
    from: new Date(Date.now() - 24 * hour).toISOString(),
    to: new Date(Date.now() + hour).toISOString(),
  }
  const chart = await app.send(
    getPropertyMetrics,
    { params: { tenant }, query: { propertyId: property, metricKey: 'temperature', ...range } } as never,
    manager,
  )
  assert.equal(chart.status, 200, JSON.stringify(chart.body))
  assert.match(JSON.stringify(chart.body), new RegExp(deviceId))
  await inTenant(app.database.db, tenant, (tx) => makeDue(tx, 'assess damp', new Date(0)))
  await assessDamp(app.database.db, new Date())
  const damp = (await app.send(getPropertyDamp, { params }, manager)).body
  assert.deepEqual(
    damp.rooms.map(({ room, level, meanHumidity }) => [room, level, meanHumidity]),
    [['Bedroom', 'high', 78]],
  )
  const now = new Date()
  const asked = {
    tenant,
    reportType: 'DampAndMould',
    year: now.getUTCFullYear(),
    month: now.getUTCMonth() + 1,
  } as const
  const url = getMonthlyReport.path.replace(/\{(\w+)\}/g, (_, name: keyof typeof asked) => String(asked[name]))
  const report = await app.app.inject({
    ...{ method: 'GET', url: `${url}?format=csv` },
    headers: { authorization: `Bearer ${await app.token(manager)}` },
  })
  assert.equal(report.statusCode, 200, report.body)
  assert.match(report.body, new RegExp(reference))
})

test('when it is silent, an alert rule about third-party devices raises an alert', async () => {
  const rule = {
    ...{ tagTenant: tenant, scope: { ...wholeClient, families: ['thirdParty'] }, delay: 0, delayUnit: 'mins' },
    ...{ notificationType: 'NONE', notificationTarget: '' },
    ...{ triggerType: 'CONNECTIONSTATUS', triggerCondition: 'NotConnected' },
  }
  const created = await app.send(createAlertDefinition, { body: rule as never }, manager)
  assert.equal(created.status, 200, JSON.stringify(created.body))
  const feed = openFeed()
  await watchTenant(app.context, feed, tenant, Date.now())
  const later = new Date(Date.now() + 72 * hour)
  assert.ok((await sweepConnections(app.database.db, later)) > 0)
  await watchTenant(app.context, feed, tenant, +later)
  await watchTenant(app.context, feed, tenant, +later + hour)
  const { alerts } = (await app.send(getAlerts, { body: { tenant, state: 'open' } }, manager)).body.data!
  assert.deepEqual(
    alerts.map((alert) => [alert.deviceName, alert.covers]),
    [['Bedroom climate', 'Third-party devices']],
  )
})
