import type { FastifyInstance } from 'fastify'
import { getAllDeviceTests } from '@caretaker/contract/lighting.ts'
import { success } from '@caretaker/contract/refusal.ts'
import { serveTenant } from '../../http/serve.ts'
import { findDevice } from '../devices/store.ts'
import { listTests } from './store.ts'

export function lightingRoutes(app: FastifyInstance): void {
  serveTenant(app, getAllDeviceTests, async ({ tx, actor, body }) => {
    const device = await findDevice(tx, actor, body.deviceId)
    return success(await listTests(tx, device.id))
  })
}
