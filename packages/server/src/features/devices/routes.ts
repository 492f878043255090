import type { FastifyInstance } from 'fastify'
import { getDeviceConditions } from '@caretaker/contract/conditions.ts'
import {
  exportListing,
  fetchViewData,
  getFieldChoices,
  getDevicesWithoutFloor,
  getFloorDevices,
  getMapPoints,
  getNetworkingDevice,
  getThirdPartyDevice,
  shouldUpdateDevice,
  shouldUpdateView,
  updateDeviceBuildingLocation,
  updateDeviceGeoLocation,
} from '@caretaker/contract/devices.ts'
import { exportPartsList, getPartsList } from '@caretaker/contract/parts.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import { detailSubjects, reachChanged } from '@caretaker/rules/changes/changes.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { datedName } from '@caretaker/rules/files/csv.ts'
import { inOrder } from '@caretaker/rules/conditions/conditions.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { familyOf } from '@caretaker/rules/devices/products.ts'
import { isBcm } from '@caretaker/rules/links/handover.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { Recorded } from '../../audit/audit.ts'
import { dateOf, positionOf, seenIn } from '../../changes/feed.ts'
import { sendTable } from '../../http/send-table.ts'
import { serveTenant } from '../../http/serve.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { oneOfFew } from '../../lists/export.ts'
import { zoneOf } from '../../lists/read.ts'
import { xlsxType, xlsxWorkbook } from '../../spreadsheets/xlsx.ts'
import { listRoutes } from '../../lists/routes.ts'
import { endedConditions, openConditions } from '../conditions/store.ts'
import { asCondition } from '../conditions/condition-answer.ts'
import { findView } from '../views/store.ts'
import { idsBelow } from './below.ts'
import { changedDevices } from './changed.ts'
import { childrenOf } from './children.ts'
import { deviceList } from './list.ts'
import { partsSheets, partsWanted, partsWorkbook } from './parts.ts'
import { holdDevice } from './held.ts'
import { devicesWithoutFloor, floorDevices, mapPoints, placeOnMap } from './map.ts'
import type { NewPlace, SeenPlace } from '../../devices/place.ts'
import { expectSeen, placeDevice } from '../../devices/place.ts'
import { deviceVersion, expectDeviceVersion } from '../../devices/version.ts'
import type { KnownDevice } from './store.ts'
import { deviceInFull, findDevice } from './store.ts'

/** How many ended conditions are shown. */
const endedShown = 100

/** The devices whose data a page shows: for a module or heat pump also those connected to it. */
async function devicesOnPage(tx: TenantTx, { id, product }: KnownDevice): Promise<string[]> {
  const isHeating = isBcm(product) || familyOf(product) === 'airSourceHeatPump'
  return isHeating ? [id, ...(await idsBelow(tx, id))] : [id]
}

interface Caller {
  tx: TenantTx
  actor: Actor
  person: Recorded
}

async function moved(
  { tx, actor, person }: Caller,
  { deviceId, version, ...place }: NewPlace & { deviceId: string; version?: number | undefined },
  seen?: SeenPlace,
) {
  const device = await holdDevice(tx, actor, deviceId)
  if (!can(actor, 'place device', device)) throw refuse('forbidden')
  if (seen) await expectSeen(tx, deviceId, seen)
  await expectDeviceVersion(tx, deviceId, version)
  await placeDevice(tx, person, device, place)
  return success({ deviceId, version: await deviceVersion(tx, deviceId) })
}

export function deviceRoutes(app: FastifyInstance): void {
  const calls = { page: fetchViewData, choices: getFieldChoices, file: exportListing }
  listRoutes(app, calls, deviceList, findView)

  serveTenant(app, getPartsList, async ({ tx, actor, body }) =>
    success({ ...(await partsWanted(tx, actor, body)), at: new Date().toISOString() }),
  )

  serveTenant(
    app,
    exportPartsList,
    async ({ tx, actor, person, body, reply }) => {
      const zone = await zoneOf(tx)
      const [byBuilding, forTheVan] = partsWorkbook((await partsWanted(tx, actor, body)).rows)
      const file = { name: datedName(dayAt(Date.now(), zone), 'parts-list.xlsx'), type: xlsxType }
      const { sheets, bytes } = xlsxWorkbook(partsSheets, zone)
      async function* inTurn() {
        sheets[0]!.end(byBuilding)
        yield forTheVan
      }
      return oneOfFew(tx, person.id, () => sendTable(reply, file, { rows: sheets[1]!, bytes }, inTurn()))
    },
    'repeatable read',
  )

  serveTenant(app, shouldUpdateView, async ({ tx, actor, body }) => {
    const found = await app.feed.since(tx, seenIn(body), { subjects: ['device', 'reach'] })
    const deviceIds = await changedDevices(tx, actor, body.deviceTypes, found)
    // A limited user may now see other devices than before.
    const reach = body.deviceTypes.length > 0 && found.rows.some((change) => reachChanged(actor, change))
    return success({ shouldUpdate: deviceIds.length > 0 || reach, deviceIds })
  })

  serveTenant(app, getNetworkingDevice, async ({ tx, actor, body }) => {
    const device = await deviceInFull(tx, actor, body.deviceId, 'NetworkingDevices')
    return success({ ...device, ...(await childrenOf(tx, actor, device.deviceId)) })
  })

  serveTenant(app, getThirdPartyDevice, async ({ tx, actor, body }) =>
    success(await deviceInFull(tx, actor, body.deviceId, 'ThirdParty')),
  )

  serveTenant(app, getMapPoints, async ({ tx, actor, body }) => {
    const chosen = body.deviceId && (await findDevice(tx, actor, body.deviceId)).id
    return success(await mapPoints(tx, actor, chosen ? await placeOnMap(tx, chosen) : undefined))
  })

  serveTenant(app, updateDeviceBuildingLocation, async (caller) => moved(caller, caller.body))
  serveTenant(app, updateDeviceGeoLocation, async (caller) => {
    const { seen, ...place } = caller.body
    return moved(caller, place, seen)
  })
  serveTenant(app, getFloorDevices, async ({ tx, actor, body }) => success(await floorDevices(tx, actor, body)))
  serveTenant(app, getDevicesWithoutFloor, async ({ tx, actor, body }) =>
    success(await devicesWithoutFloor(tx, actor, body)),
  )

  serveTenant(app, getDeviceConditions, async ({ tx, actor, body }) => {
    const device = await findDevice(tx, actor, body.deviceId)
    const maySet = can(actor, 'set condition', device)
    const { status, statusSince } = device
    const open = inOrder((await openConditions(tx, [device.id])).get(device.id) ?? [])
    const ended = await endedConditions(tx, device.id, endedShown)
    return success({
      status,
      since: statusSince.toISOString(),
      open: open.map((one) => asCondition(one, maySet)),
      ended: ended.map((one) => asCondition(one, maySet)),
    })
  })

  serveTenant(app, shouldUpdateDevice, async ({ tx, actor, body }) => {
    const device = await findDevice(tx, actor, body.deviceId)
    const { everything, rows, now } = await app.feed.since(tx, seenIn(body), {
      subjects: [],
      details: { subjects: ['device', ...detailSubjects], of: await devicesOnPage(tx, device) },
    })
    const shouldUpdate = everything || rows.length > 0
    return success({ shouldUpdate, updatedAt: dateOf(now), position: positionOf(now) })
  })
}
