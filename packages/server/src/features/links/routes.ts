import type { FastifyInstance } from 'fastify'
import { getBcmConnectedDevice, getDeviceBySerial } from '@caretaker/contract/links.ts'
import { success } from '@caretaker/contract/refusal.ts'
import { serveTenant } from '../../http/serve.ts'
import { associatedBcm, bcmOrGateway, deviceBySerial } from './store.ts'

export function handoverRoutes(app: FastifyInstance): void {
  serveTenant(app, getDeviceBySerial, async ({ tx, actor, body }) => {
    const device = await deviceBySerial(tx, actor, body.serialNumber)
    const through = body.bcmOrGatewayId ? await bcmOrGateway(tx, actor, body.bcmOrGatewayId) : null
    return success({ ...device, bcmOrGateway: through })
  })

  serveTenant(app, getBcmConnectedDevice, async ({ tx, actor, body }) =>
    success({ bcmId: await associatedBcm(tx, actor, body.deviceId) }),
  )
}
