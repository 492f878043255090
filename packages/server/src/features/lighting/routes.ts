import type { FastifyInstance } from 'fastify'
import { getAllDeviceTests, runT0Test } from '@caretaker/contract/lighting.ts'
import { success } from '@caretaker/contract/refusal.ts'
import { serveTenant } from '../../http/serve.ts'
import { order } from '../commands/order.ts'
import { findDevice } from '../devices/store.ts'
import { listTests } from './store.ts'

export function lightingRoutes(app: FastifyInstance): void {
  serveTenant(app, runT0Test, async ({ tx, actor, person, form }) => {
    const commandId = await order(tx, { actor, person }, 'flick test', form.deviceId)
    return success({ status: 'queued' as const, commandId }, 'Flick test queued')
  })

  serveTenant(app, getAllDeviceTests, async ({ tx, actor, body }) => {
    const device = await findDevice(tx, actor, body.deviceId)
    return success(await listTests(tx, device.id))
  })
}
