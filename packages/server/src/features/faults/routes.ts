import type { FastifyInstance } from 'fastify'
import { getBoilerFaults } from '@caretaker/contract/faults.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import { listingOf } from '@caretaker/rules/devices/list.ts'
import { familyOf } from '@caretaker/rules/devices/products.ts'
import { serveTenant } from '../../http/serve.ts'
import { devicesBelow } from '../devices/below.ts'
import { findDevice } from '../devices/store.ts'
import { listFaults } from './store.ts'

export function faultRoutes(app: FastifyInstance): void {
  serveTenant(app, getBoilerFaults, async ({ tx, actor, body: { deviceId, from, to } }) => {
    const device = await findDevice(tx, actor, deviceId)
    if (listingOf(device.product) !== 'Boilers') throw refuse('not found')
    const below = await devicesBelow(tx, actor, device.id)
    const autofills = below.filter(({ product }) => familyOf(product) === 'autofill')
    const ids = [device, ...autofills].map(({ id }) => id)
    return success(await listFaults(tx, ids, { from, to }))
  })
}
