import type { FastifyInstance } from 'fastify'
import { getBoiler, getEmered, getNetworkingDevice, shouldUpdateDevice } from '@caretaker/contract/devices.ts'
import { success } from '@caretaker/contract/refusal.ts'
import { serveTenant } from '../../http/serve.ts'
import { deviceChangedAt, deviceInFull, findDevice } from './store.ts'

export function deviceRoutes(app: FastifyInstance): void {
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
