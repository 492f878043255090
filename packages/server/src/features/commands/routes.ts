import type { FastifyInstance } from 'fastify'
import { getDeviceCommands } from '@caretaker/contract/lighting.ts'
import { success } from '@caretaker/contract/refusal.ts'
import { serveTenant } from '../../http/serve.ts'
import { findDevice } from '../devices/store.ts'
import { listCommands } from './store.ts'

export function commandRoutes(app: FastifyInstance): void {
  serveTenant(app, getDeviceCommands, async ({ tx, actor, body }) => {
    const device = await findDevice(tx, actor, body.deviceId)
    return success(await listCommands(tx, device.id))
  })
}
