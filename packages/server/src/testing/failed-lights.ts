import assert from 'node:assert/strict'
import { getBuilding, getTenantBuildingSummary } from '@caretaker/contract/buildings.ts'
import { getDeviceConditions } from '@caretaker/contract/conditions.ts'
import { getTenantDashboardData, getWorklist } from '@caretaker/contract/dashboard.ts'
import type { DeviceRow } from '@caretaker/contract/devices.ts'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import { getEmeredGroup, getEmeredGroups } from '@caretaker/contract/groups.ts'
import { exportInspectionSheet } from '@caretaker/contract/inspection.ts'
import { getMapDevices } from '@caretaker/contract/maps.ts'
import { getPartsList } from '@caretaker/contract/parts.ts'
import { getReport } from '@caretaker/contract/reports.ts'
import { signalsOf } from '@caretaker/rules/alerts/signals.ts'
import { dayAfter, dayAt } from '@caretaker/rules/calendar/days.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import { displayGroup, hasFailed } from '@caretaker/rules/devices/status.ts'
import type { TestApp } from './app.ts'
import { readXlsx } from './read-xlsx.ts'

/** Great Britain. */
const frame = { west: -11, south: 49, east: 3, north: 61 }

const isFailed = ({ deviceStatus }: { deviceStatus: string }) => hasFailed(deviceStatus)
const serialsOf = (rows: readonly DeviceRow[]) => rows.map(({ deviceSerial }) => deviceSerial).toSorted()

/**
 * Reads the failed lights of a client everywhere they are shown (list, dashboard, map, floor plans, buildings,
 * groups, report, parts list, sheets, alerts) and checks that they agree. Returns their serial numbers.
 */
export async function compareFailedLights(app: TestApp, tenant: string, who: string): Promise<string[]> {
  const rowsOf = async (listing: ListingName) => {
    const all: DeviceRow[] = []
    for (let page = 1; ; page++) {
      const body = { tenant, listing, page, pageSize: 100 } as never
      const { data } = (await app.send(fetchViewData, { body }, who)).body
      // A listing that the client does not have.
      if (!data) return all
      all.push(...(data.rows as DeviceRow[]))
      if (data.rows.length < 100) return all
    }
  }
  const lights = await rowsOf('EmergencyLights')
  const failed = lights.filter(isFailed)
  const serials = serialsOf(failed)
  const statusOf = new Map(lights.map((row) => [row.deviceId, row]))

  const { listings: counts } = (await app.send(getTenantDashboardData, { body: { tenant } }, who)).body.data!
  assert.equal(counts.EmergencyLights.fail, serials.length, 'dashboard')
  const { cases } = (await app.send(getWorklist, { body: { tenant } }, who)).body.data!
  assert.equal(cases.find((one) => one.case === 'failed lights')!.count, serials.length, 'cards of the dashboard')

  const others = await Promise.all(
    (Object.keys(listings) as ListingName[]).filter((name) => name in counts && name !== 'EmergencyLights').map(rowsOf),
  )
  const devices = [...lights, ...others.flat()]
  const summaries = (await app.send(getTenantBuildingSummary, { body: { tenant } }, who)).body.data!
  for (const { building, failedDeviceCount } of summaries) {
    const inside = devices.filter(({ deviceBuildingId }) => deviceBuildingId === building.building)
    assert.equal(failedDeviceCount, inside.filter(isFailed).length, building.name)
    const { data } = (await app.send(getBuilding, { body: { tenant, building: building.building } }, who)).body
    assert.equal(
      data!.counts.reduce((sum, floor) => sum + floor.failed, 0),
      failedDeviceCount,
      `floors of ${building.name}`,
    )
    for (const { floor, name } of data!.floors) await compareMap({ floor }, `${building.name}, ${name}`)
  }
  await compareMap({}, 'map')

  async function compareMap(part: { floor?: string }, label: string): Promise<void> {
    const body = { tenant, frame, zoom: 12, most: 100, ...part } as never
    const { counts: onMap, list, inFrame } = (await app.send(getMapDevices, { body }, who)).body.data!
    for (const one of list) {
      const row = statusOf.get(one.deviceId)
      if (row)
        assert.equal(displayGroup(one.deviceStatus), displayGroup(row.deviceStatus), `${label}: ${row.deviceSerial}`)
    }
    // The worst come first.
    const named = list.filter(isFailed).length
    const count = (onMap.device.Failed ?? 0) + (onMap.device.FailedDevice ?? 0)
    if (list.length === inFrame || named < list.length) assert.equal(named, count, label)
  }

  const { groups } = (await app.send(getEmeredGroups, { body: { tenant } }, who)).body.data!
  for (const { groupName } of groups) {
    const { members } = (await app.send(getEmeredGroup, { body: { tenant, groupName } }, who)).body.data!
    for (const { deviceId, deviceStatus } of members)
      assert.equal(displayGroup(deviceStatus), displayGroup(statusOf.get(deviceId)!.deviceStatus), groupName)
  }

  const authorization = `Bearer ${await app.token(who)}`
  const report = await app.app.inject({
    ...{ method: 'POST', url: getReport.path.replace('{tenant}', tenant), headers: { authorization } },
    payload: { reportType: 'FailedEmeredReport' },
  })
  const [head, ...lines] = readXlsx(report.rawPayload, 1).rows
  const serialAt = head!.indexOf('Serial')
  assert.deepEqual(lines.map((line) => line[serialAt]!).toSorted(), serials, 'report')

  const parts = (await app.send(getPartsList, { body: { tenant } as never }, who)).body.data!
  assert.deepEqual(
    [...new Set(parts.rows.flatMap((row) => row.lights.map(({ serial }) => serial)))].toSorted(),
    serials,
    'parts list',
  )

  for (const row of lights) {
    const { open } = (await app.send(getDeviceConditions, { body: { tenant, deviceId: row.deviceId } }, who)).body.data!
    const never = { state: null, dueSince: null }
    const signals = signalsOf({
      ...{ product: 'EM', connection: 'Connected', connectionSince: null, lastEnded: null, tagIds: [], isVoid: false },
      buildingId: null,
      ...{ records: { GasSafety: never, WaterTreatment: never }, testMissedSince: null, dampSince: null },
      open: open.map(({ kind, key, beganAt }) => ({ kind, key, began: Date.parse(beganAt), ended: null })),
    })
    const isAlerted = signals.some(({ key }) => key === 'lightFailed')
    assert.equal(isAlerted, isFailed(row), `alerts: ${row.deviceSerial} ${row.deviceStatus}`)
  }

  const today = dayAt(Date.now(), 'Europe/London')
  for (const [buildingId, inside] of Map.groupBy(lights, ({ deviceBuildingId }) => deviceBuildingId)) {
    if (!buildingId || !inside.some(({ deviceStatus }) => displayGroup(deviceStatus) === 'Passed')) continue
    const sheet = await app.app.inject({
      ...{ method: exportInspectionSheet.method, url: exportInspectionSheet.path, headers: { authorization } },
      payload: { tenant, buildingId, from: dayAfter(today, -300), to: today, format: 'xlsx' },
    })
    assert.equal(sheet.statusCode, 200, sheet.body)
    const open = readXlsx(sheet.rawPayload, 6).rows.filter((row) => row[4] === 'open')
    const withFault = new Set(open.map(([serial]) => serial))
    for (const row of inside.filter(isFailed)) assert.ok(withFault.has(row.deviceSerial), `sheet: ${row.deviceSerial}`)
    const failedTests = new Set(open.filter((row) => / failed in the /.test(row[2] ?? '')).map(([serial]) => serial))
    for (const row of inside.filter((one) => !isFailed(one)))
      assert.ok(!failedTests.has(row.deviceSerial), `sheet: ${row.deviceSerial} ${row.deviceStatus}`)
  }
  return serials
}
