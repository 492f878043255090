import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { MqttClient } from 'mqtt'
import { connectAsync } from 'mqtt'
import { afterAll, beforeAll, test } from 'vitest'
import { getBuilding } from '@caretaker/contract/buildings.ts'
import { getDeviceConditions } from '@caretaker/contract/conditions.ts'
import type { DeviceRow } from '@caretaker/contract/devices.ts'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import { exportInspectionSheet } from '@caretaker/contract/inspection.ts'
import { getAllDeviceTests } from '@caretaker/contract/lighting.ts'
import { getMapDevices } from '@caretaker/contract/maps.ts'
import { topic } from '@caretaker/contract/mqtt/topics.ts'
import { dayAfter, dayAt } from '@caretaker/rules/calendar/days.ts'
import { displayGroup } from '@caretaker/rules/devices/status.ts'
import { evidenceRows } from '@caretaker/rules/lighting/evidence-rows.ts'
import { groupKey } from '@caretaker/rules/lighting/groups.ts'
import { localTimeAt } from '@caretaker/rules/lighting/plan.ts'
import { minutesOf } from '@caretaker/rules/lighting/tests.ts'
import type { DeviceLink } from '../../mqtt/link.ts'
import { startDeviceLink } from '../../mqtt/device-link.ts'
import { ensurePartitions } from '../../postgres/partitions.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { compareFailedLights } from '../../testing/failed-lights.ts'
import { addDevice } from '../../testing/furnish/devices.ts'
import { readXlsx } from '../../testing/read-xlsx.ts'

const [tenant, manager, hour] = ['north', 'manager@north.test', 3_600_000]

let app: TestApp
let link: DeviceLink
let gateway: MqttClient
const [buildingId, floorId, groupId] = [randomUUID(), randomUUID(), randomUUID()]
const groupName = 'Beech Hill Court, all'
/** The light of each row, and when its test began. */
const lights = new Map<string, { id: string; serial: string; start: number }>()

const publish = (id: string, channel: 'tests' | 'state', payload: object) =>
  gateway.publishAsync(topic(id, channel), JSON.stringify(payload), { qos: 1 })

beforeAll(async () => {
  app = await testApp({ MQTT_PORT: '0' })
  await ensurePartitions(app.database.owner, new Date())
  await app.addTenant(tenant)
  await app.addMember(tenant, manager, 'Manager')
  link = await startDeviceLink(app.context)
  const key = randomUUID()
  const parentId = await addDevice(app, tenant, { product: 'MG', key })
  gateway = await connectAsync(link.url, { clientId: parentId, username: parentId, password: key, reconnectPeriod: 0 })
  await inTenant(app.database.db, tenant, (tx) =>
    tx.insertInto('building').values({ tenant_id: tenant, id: buildingId, name: 'Beech Hill Court' }).execute(),
  )
  await inTenant(app.database.db, tenant, async (tx) => {
    const floor = { tenant_id: tenant, id: floorId, building_id: buildingId, name: 'Ground', number: 0 }
    await tx.insertInto('floor').values(floor).execute()
    await tx
      .insertInto('light_group')
      .values({
        ...{ tenant_id: tenant, id: groupId, name: groupName, name_key: groupKey(groupName), building_id: buildingId },
        ...{ t180_start: localTimeAt(Date.now() + 24 * hour, 'UTC'), also_types: ['T5'], created_at: new Date() },
      })
      .execute()
  })
  for (const [at, [name, evidence]] of evidenceRows.entries()) {
    const serial = `EM2${String(at).padStart(6, '0')}X`
    const id = await addDevice(app, tenant, { serial, name, parentId })
    const start = Date.now() - 5 * hour - at * 1000
    lights.set(name, { id, serial, start })
    await inTenant(app.database.db, tenant, async (tx) => {
      await tx
        .updateTable('device')
        .set({
          ...{ building_id: buildingId, building_name: 'Beech Hill Court', floor_id: floorId, floor_name: 'Ground' },
          ...{ latitude: 53.7 + at / 1e5, longitude: -1.8 },
        })
        .where('tenant_id', '=', tenant)
        .where('id', '=', id)
        .execute()
      await tx
        .insertInto('light_group_member')
        .values({ tenant_id: tenant, device_id: id, group_id: groupId, added_at: new Date(0) })
        .execute()
      if (evidence.nominalVoltage || evidence.batteryType)
        await tx
          .insertInto('emergency_equipment')
          .values({
            ...{ tenant_id: tenant, device_id: id, battery_type: evidence.batteryType ?? null },
            battery_voltage: evidence.nominalVoltage ?? null,
          })
          .execute()
    })
    if (evidence.hasMainsReturned) await publish(id, 'state', { mains: true, mainsSince: start + 2 * hour })
    const { testType, word, componentStates, series, endedBy, failureStatus, emergencyStatus, durationResult } =
      evidence
    await publish(id, 'tests', {
      ...{ eventId: randomUUID(), testType, start, componentStates, series },
      ...(word && { result: word }),
      ...(endedBy && { endedBy }),
      statusBits: {
        ...(failureStatus !== undefined && { failure: failureStatus }),
        ...(emergencyStatus !== undefined && { emergency: emergencyStatus }),
        ...(durationResult !== undefined && { durationResult }),
      },
    })
  }
})
afterAll(async () => {
  await gateway.endAsync()
  await link.stop()
  await app.close()
})

/** The status group that results from a verdict for a light that was in order before. */
function groupOf([result]: string[], isRequired: boolean): string {
  if (result === 'Failed') return 'Failed'
  if (result === 'Degraded' || (result === 'Indeterminate' && isRequired)) return 'Warning'
  return 'Passed'
}

const listed = async () => {
  const body = { tenant, listing: 'EmergencyLights', pageSize: 100 } as never
  const { data } = (await app.send(fetchViewData, { body }, manager)).body
  return new Map((data!.rows as DeviceRow[]).map((row) => [row.deviceId, row]))
}

test('results sent over the device link get the verdict of the table, and the status that follows from it', async () => {
  const rows = await listed()
  for (const [name, evidence, verdict] of evidenceRows) {
    const { id } = lights.get(name)!
    const tests = (await app.send(getAllDeviceTests, { body: { tenant, deviceId: id } }, manager)).body.data!
    assert.deepEqual(
      tests.map(({ result, reason }) => [result, reason]),
      verdict[0] === 'missed' ? [] : [verdict],
      name,
    )
    const isRequired = evidence.testType === 'T0' || evidence.testType === 'T180'
    const row = rows.get(id)!
    assert.equal(displayGroup(row.deviceStatus), groupOf(verdict, isRequired), `${name}: ${row.deviceStatus}`)
    const { status, open } = (await app.send(getDeviceConditions, { body: { tenant, deviceId: id } }, manager)).body
      .data!
    assert.equal(status, row.deviceStatus, name)
    // Every status except Passed has a reason and a start.
    assert.equal(open.length > 0, displayGroup(status) !== 'Passed', name)
  }
})

test('failed lights are the same in list, dashboard, map, plan, group, report, parts list, sheet and alerts', async () => {
  const failed = evidenceRows.filter(([, , [result]]) => result === 'Failed').map(([name]) => lights.get(name)!)
  const serials = failed.map(({ serial }) => serial).toSorted()
  assert.ok(serials.length > 15)
  assert.deepEqual(await compareFailedLights(app, tenant, manager), serials)

  const { failed: onMap, list } = await failedOnMap()
  assert.equal(onMap, serials.length)
  assert.deepEqual(list.toSorted(), serials)
  const building = (await app.send(getBuilding, { body: { tenant, building: buildingId } }, manager)).body.data!
  assert.deepEqual(
    building.counts.map((floor) => [floor.failed, floor.devices]),
    [[serials.length, evidenceRows.length]],
  )
  const authorization = `Bearer ${await app.token(manager)}`
  const today = dayAt(Date.now(), 'Europe/London')
  const sheet = await app.app.inject({
    ...{ method: exportInspectionSheet.method, url: exportInspectionSheet.path, headers: { authorization } },
    payload: { tenant, buildingId, from: dayAfter(today, -30), to: today, format: 'xlsx' },
  })
  assert.equal(sheet.statusCode, 200, sheet.body)
  const faults = readXlsx(sheet.rawPayload, 6).rows.filter((row) => / failed in the /.test(row[2] ?? ''))
  assert.deepEqual([...new Set(faults.map(([serial]) => serial!))].toSorted(), serials)
})

/** The failed lights on the map and floor plan: their count, and the listed names. */
async function failedOnMap(): Promise<{ failed: number; list: string[] }> {
  const frame = { west: -2, south: 53, east: -1, north: 54 }
  const body = { tenant, frame, zoom: 12, most: 100, floor: floorId }
  const { counts, list } = (await app.send(getMapDevices, { body: body as never }, manager)).body.data!
  const serialOf = new Map([...lights.values()].map(({ id, serial }) => [id, serial]))
  return {
    failed: (counts.device.Failed ?? 0) + (counts.device.FailedDevice ?? 0),
    list: list.flatMap((one) => (displayGroup(one.deviceStatus) === 'Failed' ? [serialOf.get(one.deviceId)!] : [])),
  }
}

test('a message with other content does not change a stored test, and is recorded on the page of its light', async () => {
  const { id, start } = lights.get('full curve')!
  const [known] = (await app.send(getAllDeviceTests, { body: { tenant, deviceId: id } }, manager)).body.data!
  const [, evidence] = evidenceRows.find(([name]) => name === 'full curve')!
  const again = { eventId: known!.eventId, testType: 'T180', start, componentStates: {}, result: 'Passed' }
  await publish(id, 'tests', { ...again, series: evidence.series, statusBits: {} })
  await publish(id, 'tests', { ...again, result: 'Failed', series: [] })
  const after = (await app.send(getAllDeviceTests, { body: { tenant, deviceId: id } }, manager)).body.data!
  assert.deepEqual(after, [known])
  const { rows } = await app.database.owner.query(
    'select reason, count::int, field from refused_message where device_id = $1',
    [id],
  )
  assert.deepEqual(rows, [{ reason: 'other content', count: 1, field: 'eventId' }])
})

test('a failure with a wrong clock counts as received now and stays; a pass with one clears nothing', async () => {
  const key = randomUUID()
  const light = await addDevice(app, tenant, { key })
  const client = await connectAsync(link.url, { clientId: light, username: light, password: key, reconnectPeriod: 0 })
  const send = (start: number, result: string, durationResult: number) =>
    client.publishAsync(
      topic(light, 'tests'),
      JSON.stringify({
        ...{ eventId: randomUUID(), testType: 'T180', start, result, componentStates: {}, series: [] },
        statusBits: { failure: 0, emergency: 0b110, durationResult },
      }),
      { qos: 1 },
    )
  const open = async () =>
    (await app.send(getDeviceConditions, { body: { tenant, deviceId: light } }, manager)).body.data!.open
  await send(Date.now() - minutesOf.T180 * 60_000 * 2, 'Passed', 95)
  assert.deepEqual(await open(), [])
  const before = Date.now()
  await send(946_684_980_000, 'Failed', 60)
  const [failure] = await open()
  assert.equal(failure!.kind, 'testFailed')
  assert.ok(Date.parse(failure!.beganAt) >= before - 1000)
  await send(Date.now() + 100 * 24 * hour, 'Passed', 95)
  assert.deepEqual((await open()).map(({ kind }) => kind).toSorted(), ['testFailed', 'testNotProven'])
  const [newest] = (await app.send(getAllDeviceTests, { body: { tenant, deviceId: light } }, manager)).body.data!
  assert.match(newest!.reason, /clock is wrong/)
  assert.ok(newest!.reportedStart)
  await client.endAsync()
})
