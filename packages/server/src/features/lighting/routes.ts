import type { FastifyInstance } from 'fastify'
import { getAllDeviceTests, runT0Test } from '@caretaker/contract/lighting.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import { areaOf } from '@caretaker/rules/devices/products.ts'
import { countsAsInstalled } from '@caretaker/rules/devices/status.ts'
import type { DeviceSubject } from '@caretaker/rules/identity/can.ts'
import { can } from '@caretaker/rules/identity/can.ts'
import { audit } from '../../audit/audit.ts'
import { serveTenant } from '../../http/serve.ts'
import { findOpenCommand, queueCommand } from '../commands/store.ts'
import { findDevice } from '../devices/store.ts'
import { listTests, lockDevice } from './store.ts'

export function lightingRoutes(app: FastifyInstance): void {
  serveTenant(app, runT0Test, async ({ tx, actor, person, form }) => {
    const device = await findDevice(tx, actor, form.deviceId)
    refuseUntestable(device)
    if (!can(actor, 'flick test', device)) throw refuse('forbidden')
    // Two people may press at the same moment: the second finds the command of the first.
    await lockDevice(tx, device.id)
    const open = await findOpenCommand(tx, device.id, 'runTest')
    if (open) return queued(open)
    const args = { testType: 'T0' }
    const commandId = await queueCommand(tx, { deviceId: device.id, name: 'runTest', args, createdBy: actor.userId })
    const subject = { type: 'device', id: device.id, name: device.serial } as const
    await audit(tx, { person, action: 'flick test requested', subject, after: { commandId, ...args } })
    return queued(commandId)
  })

  serveTenant(app, getAllDeviceTests, async ({ tx, actor, body }) => {
    const device = await findDevice(tx, actor, body.deviceId)
    return success(await listTests(tx, device.id))
  })
}

const queued = (commandId: string) => success({ status: 'queued' as const, commandId }, 'Flick test queued')

function refuseUntestable(device: DeviceSubject): void {
  if (areaOf(device.product) !== 'lighting') throw refuse('refused', 'Only emergency lights can be tested.')
  if (device.inWholesale) throw refuse('refused', 'A device in wholesale cannot be tested.')
  if (!countsAsInstalled(device.status)) throw refuse('refused', 'A device that is not installed cannot be tested.')
}
