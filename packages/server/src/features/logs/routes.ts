import type { FastifyInstance } from 'fastify'
import { getDeviceLogs } from '@caretaker/contract/logs.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { serveTenant } from '../../http/serve.ts'
import { findDevice } from '../devices/store.ts'
import { listLog } from './store.ts'

export function logRoutes(app: FastifyInstance): void {
  serveTenant(app, getDeviceLogs, async ({ tx, actor, body: { deviceId, ...wanted } }) => {
    const device = await findDevice(tx, actor, deviceId)
    if (!can(actor, 'see device history', device)) throw refuse('forbidden')
    return success(await listLog(tx, device.id, { ...wanted, hidePersonal: hidesPersonalData(actor) }))
  })
}
