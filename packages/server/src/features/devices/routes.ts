import type { FastifyInstance } from 'fastify'
import {
  exportListing,
  fetchViewData,
  getBoiler,
  getEmered,
  getFieldChoices,
  getNetworkingDevice,
  selectListing,
  shouldUpdateDevice,
  shouldUpdateView,
} from '@caretaker/contract/devices.ts'
import { success } from '@caretaker/contract/refusal.ts'
import { detailSubjects, reachChanged } from '@caretaker/rules/changes/changes.ts'
import { dateOf, positionOf, seenIn } from '../../changes/feed.ts'
import { serveTenant } from '../../http/serve.ts'
import { listRoutes } from '../../lists/routes.ts'
import { wantedOf } from '../../lists/wanted.ts'
import { findView } from '../views/store.ts'
import { changedDevices } from './changed.ts'
import { deviceList } from './list.ts'
import { selectable } from './selection.ts'
import { deviceInFull, findDevice } from './store.ts'

export function deviceRoutes(app: FastifyInstance): void {
  const calls = { page: fetchViewData, choices: getFieldChoices, file: exportListing }
  listRoutes(app, calls, deviceList, findView)

  serveTenant(app, selectListing, async ({ tx, actor, body }) =>
    success(await selectable(tx, actor, await wantedOf(deviceList, tx, actor, body, findView))),
  )

  serveTenant(app, shouldUpdateView, async ({ tx, actor, body }) => {
    const found = await app.feed.since(tx, seenIn(body), { subjects: ['device', 'reach'] })
    const deviceIds = await changedDevices(tx, actor, body.deviceTypes, found)
    // Others are in sight of a limited user now, or no longer.
    const reach = body.deviceTypes.length > 0 && found.rows.some((change) => reachChanged(actor, change))
    return success({ shouldUpdate: deviceIds.length > 0 || reach, deviceIds })
  })

  serveTenant(app, getEmered, async ({ tx, actor, body }) =>
    success(await deviceInFull(tx, actor, body.deviceId, 'EmergencyLights')),
  )
  serveTenant(app, getBoiler, async ({ tx, actor, body }) =>
    success(await deviceInFull(tx, actor, body.deviceId, 'Boilers')),
  )
  serveTenant(app, getNetworkingDevice, async ({ tx, actor, body }) =>
    success(await deviceInFull(tx, actor, body.deviceId, 'NetworkingDevices')),
  )

  serveTenant(app, shouldUpdateDevice, async ({ tx, actor, body }) => {
    const device = await findDevice(tx, actor, body.deviceId)
    const { everything, rows, now } = await app.feed.since(tx, seenIn(body), {
      subjects: [],
      details: { subjects: ['device', ...detailSubjects], of: [device.id] },
    })
    const shouldUpdate = everything || rows.length > 0
    return success({ shouldUpdate, updatedAt: dateOf(now), position: positionOf(now) })
  })
}
