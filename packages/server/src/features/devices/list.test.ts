import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import type { DeviceRow } from '@caretaker/contract/devices.ts'
import { fetchViewData, shouldUpdateDevice, shouldUpdateView } from '@caretaker/contract/devices.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import { deviceStatuses, severityOf } from '@caretaker/rules/devices/status.ts'
import type { Sort } from '@caretaker/rules/lists/filters.ts'
import { inNaturalOrder } from '@caretaker/rules/texts/natural-order.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addDevice } from '../../testing/furnish/devices.ts'
import { setStatus } from '../../testing/statuses.ts'

let app: TestApp
const manager = 'manager@north.test'
const tenant = 'north'
beforeAll(async () => {
  app = await testApp()
  await app.addTenant(tenant)
  await app.addMember(tenant, manager, 'Manager')
  for (let at = 0; at < 251; at++)
    await addDevice(app, tenant, {
      status: deviceStatuses[at % deviceStatuses.length]! as DeviceStatus,
      name: `Light ${(at * 7) % 50}`,
    })
  await addDevice(app, tenant, { product: 'MG', name: 'no light' })
})
afterAll(() => app.close())

type Body = { page?: number; sorts?: Sort[] }
const page = async (wanted: Body = {}) => {
  const { body } = await app.send(fetchViewData, { body: { tenant, listing: 'EmergencyLights', ...wanted } }, manager)
  return body.data!
}
const everyPage = async (wanted: Body) =>
  (await Promise.all([1, 2, 3].map((at) => page({ ...wanted, page: at })))).flatMap((one) => one.rows)

test('a listing has 100 rows a page, and only its own products', async () => {
  const [first, second, third] = await Promise.all([1, 2, 3].map((at) => page({ page: at })))
  assert.deepEqual(
    [first, second, third].map((one) => one!.rows.length),
    [100, 100, 51],
  )
  assert.equal(first!.total, 251)
  assert.ok(!JSON.stringify([first, second, third]).includes('no light'))
})

test('a page past the end is the last one', async () => {
  const past = await page({ page: 99 })
  assert.equal(past.page, 3)
  assert.equal(past.rows.length, 51)
})

test('without a chosen sort the highest severity comes first, over all pages', async () => {
  const severities = (await everyPage({})).map((row) => severityOf(row.deviceStatus))
  assert.deepEqual(
    severities,
    [...severities].sort((a, b) => b - a),
  )
  assert.equal(new Set(severities).size, 5)
})

const keys = {
  status: (row) => -severityOf(row.deviceStatus),
  serial: (row) => row.deviceSerial,
  name: (row) => row.deviceDisplayName,
  connection: (row) => row.deviceConnectionState,
  building: (row) => row.deviceBuildingName ?? '',
  floor: (row) => row.deviceBuildingFloor ?? '',
} satisfies Record<string, (row: DeviceRow) => string | number>
const listingSorts = Object.keys(keys) as (keyof typeof keys)[]
const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0)
const inOrder = (a: string | number, b: string | number) =>
  typeof a === 'string' && typeof b === 'string' ? inNaturalOrder(a, b) : compare(a, b)

test('every sort gives all rows once in natural order, page by page, in both directions', async () => {
  const all = await everyPage({})
  const byName = await page({ sorts: [{ fieldId: 'name', descending: false }] })
  assert.deepEqual(
    [...new Set(byName.rows.map((row) => row.deviceDisplayName))].slice(0, 12),
    Array.from({ length: 12 }, (_, at) => `Light ${at}`),
  )
  for (const sort of listingSorts)
    for (const descending of [false, true]) {
      const way = descending ? -1 : 1
      const expected = all.toSorted(
        (a, b) => way * inOrder(keys[sort](a), keys[sort](b)) || way * compare(a.deviceSerial, b.deviceSerial),
      )
      const got = await everyPage({ sorts: [{ fieldId: sort, descending }] })
      assert.deepEqual(
        got.map((row) => row.deviceSerial),
        expected.map((row) => row.deviceSerial),
        `${sort} ${descending}`,
      )
    }
})

test('a row has the fields of the specification [dev-2list-28 dev-2list-29]', async () => {
  const { rows } = await page()
  for (const field of [
    'deviceId',
    'deviceProductId',
    'deviceStatus',
    'deviceSerial',
    'deviceDisplayName',
    'deviceConnectionState',
    'deviceInWholesale',
    'deviceBuildingId',
    'deviceBuildingFloor',
    'deviceBuildingAddress',
    'deviceGeoLatitude',
    'deviceGeoLongitude',
    'userHasReadOnlyAccess',
    'userCanUpdateAccessRightsTag',
  ])
    assert.ok(field in rows[0]!, field)
  assert.equal(rows[0]!.deviceProductId, 'EM')
})

test('both polls report a changed status, and neither an unchanged one [core-7.1-15 dev-7views-7 dev-7actions-14]', async () => {
  const [row] = (await page({ sorts: [{ fieldId: 'serial', descending: false }] })).rows
  const view = (date: Date) =>
    app.send(shouldUpdateView, { body: { tenant, deviceTypes: ['EM'], date: date.toISOString() } }, manager)
  const one = (date: Date) =>
    app.send(shouldUpdateDevice, { body: { tenant, deviceId: row!.deviceId, date: date.toISOString() } }, manager)
  const { rows } = await app.database.owner.query<{ now: Date }>('select clock_timestamp() as now')
  const start = rows[0]!.now
  assert.deepEqual((await view(start)).body.data, { shouldUpdate: false, deviceIds: [] })
  assert.equal((await one(start)).body.data!.shouldUpdate, false)
  await inTenant(app.database.db, tenant, (tx) =>
    setStatus(tx, row!.deviceId, row!.deviceStatus === 'Ok' ? 'FailedDevice' : 'Ok'),
  )
  assert.deepEqual((await view(start)).body.data, { shouldUpdate: true, deviceIds: [row!.deviceId] })
  assert.equal((await one(start)).body.data!.shouldUpdate, true)
})
