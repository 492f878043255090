import type { FastifyInstance } from 'fastify'
import {
  exportListing,
  fetchViewData,
  getBoiler,
  getEmered,
  getFieldChoices,
  getNetworkingDevice,
  shouldUpdateDevice,
  shouldUpdateView,
} from '@caretaker/contract/devices.ts'
import { success } from '@caretaker/contract/refusal.ts'
import { serveTenant } from '../../http/serve.ts'
import { listRoutes } from '../../lists/routes.ts'
import { findView } from '../views/store.ts'
import { changedDevices } from './changed.ts'
import { deviceList } from './list.ts'
import { deviceChangedAt, deviceInFull, findDevice } from './store.ts'

export function deviceRoutes(app: FastifyInstance): void {
  const calls = { page: fetchViewData, choices: getFieldChoices, file: exportListing }
  listRoutes(app, calls, deviceList, findView)

  serveTenant(app, shouldUpdateView, async ({ tx, actor, body }) => {
    const deviceIds = await changedDevices(tx, actor, body.deviceTypes, body.date)
    return success({ shouldUpdate: deviceIds.length > 0, deviceIds })
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
    const changedAt = await deviceChangedAt(tx, device.id)
    return success({ shouldUpdate: changedAt > body.date, updatedAt: changedAt.toISOString() })
  })
}
