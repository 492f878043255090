import type { FastifyInstance } from 'fastify'
import {
  fetchViewData,
  getBoiler,
  getEmered,
  getNetworkingDevice,
  getTenantDashboardData,
  shouldUpdateDevice,
  shouldUpdateView,
} from '@caretaker/contract/devices.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import { summaryFamilies } from '@caretaker/rules/devices/products.ts'
import { hasLevel } from '@caretaker/rules/identity/can.ts'
import { levels } from '@caretaker/rules/identity/roles.ts'
import { listings } from '@caretaker/rules/views/listings.ts'
import { serveTenant } from '../../http/serve.ts'
import { changedDevices, countFamilies, deviceChangedAt, deviceInFull, findDevice, listDevices } from './store.ts'

const nothing = { total: 0, pass: 0, warn: 0, fail: 0, inventory: 0, installed: 0 }

export function deviceRoutes(app: FastifyInstance): void {
  serveTenant(app, getTenantDashboardData, async ({ tx, actor }) => {
    const counts = await countFamilies(tx, actor)
    const entries = summaryFamilies.map((family) => [family, counts.get(family) ?? nothing] as const)
    return success(Object.fromEntries(entries) as Record<(typeof summaryFamilies)[number], typeof nothing>)
  })

  serveTenant(app, fetchViewData, async ({ tx, actor, body }) => {
    if (!hasLevel(actor, listings[body.listing].area, levels.read)) throw refuse('forbidden')
    return success(await listDevices(tx, actor, body))
  })

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
