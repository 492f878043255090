import type { FastifyInstance } from 'fastify'
import { getBoilerFaults } from '@caretaker/contract/faults.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import { listingOf } from '@caretaker/rules/devices/list.ts'
import { serveTenant } from '../../http/serve.ts'
import { findDevice } from '../devices/store.ts'
import { autofillsBelow, listFaults } from './store.ts'

export function faultRoutes(app: FastifyInstance): void {
  serveTenant(app, getBoilerFaults, async ({ tx, actor, body: { deviceId, from, to } }) => {
    const device = await findDevice(tx, actor, deviceId)
    if (listingOf(device.product) !== 'Boilers') throw refuse('not found')
    const ids = [device.id, ...(await autofillsBelow(tx, actor, device.id))]
    return success(await listFaults(tx, ids, { from, to }))
  })
}
