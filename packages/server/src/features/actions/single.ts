import type { FastifyInstance } from 'fastify'
import {
  autofillReset,
  boilerReset,
  emeredJoinNetwork,
  emeredLeaveNetwork,
  installDevice,
  removeDevice,
  repeaterJoinNetwork,
  repeaterLeaveNetwork,
  resetDevice,
} from '@caretaker/contract/actions.ts'
import { runT0Test } from '@caretaker/contract/lighting.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import type { Ordered } from '@caretaker/rules/actions/operations.ts'
import { resetFor } from '@caretaker/rules/actions/operations.ts'
import { areaOf } from '@caretaker/rules/devices/products.ts'
import { isReadOnly } from '@caretaker/rules/devices/rights.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { Person } from '../../identity/person.ts'
import { render } from '../../http/errors.ts'
import { serveTenant } from '../../http/serve.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { openCommand, order } from '../commands/order.ts'
import { holdDevice, holdDeviceFor } from '../devices/held.ts'
import { onePart } from './bulk.ts'
import { install } from './install.ts'
import { uninstall } from './uninstall.ts'

interface Caller {
  tx: TenantTx
  actor: Actor
  person: Person
}

/** Actions on one device. */
export function singleActionRoutes(app: FastifyInstance): void {
  serveTenant(app, runT0Test, async ({ form: { deviceId, bulkActionId }, ...caller }) => {
    if (bulkActionId !== undefined) {
      const part = await onePart(caller, bulkActionId, { action: 'flick test', deviceId, tags: [] })
      // Refused without throwing, which would roll back the record of the bulk action.
      if (part.state === 'failed')
        return render(caller.request, caller.reply, refuse('refused', part.message ?? undefined))
    }
    const commandId =
      bulkActionId === undefined
        ? await order(caller.tx, caller, 'flick test', deviceId)
        : await openCommand(caller.tx, 'flick test', deviceId)
    return success({ status: 'queued' as const, commandId }, 'Flick test queued')
  })

  const networks = [
    [emeredJoinNetwork, 'join network', 'emergency light'],
    [emeredLeaveNetwork, 'leave network', 'emergency light'],
    [repeaterJoinNetwork, 'join network', 'repeater'],
    [repeaterLeaveNetwork, 'leave network', 'repeater'],
  ] as const
  for (const [route, operation, kind] of networks)
    serveTenant(app, route, async ({ body: { deviceId }, ...caller }) => {
      const { product } = await holdDevice(caller.tx, caller.actor, deviceId)
      const fits = kind === 'repeater' ? product === 'ZR' : areaOf(product) === 'lighting'
      if (!fits) throw refuse('refused', `The device is not ${kind === 'repeater' ? 'a' : 'an'} ${kind}.`)
      return queued(caller, operation, deviceId)
    })

  for (const [route, operation] of [
    [boilerReset, 'reset boiler'],
    [autofillReset, 'reset autofill'],
  ] as const)
    serveTenant(app, route, async ({ body: { deviceId, serialNumber }, ...caller }) => {
      await holdNamed(caller, deviceId, serialNumber)
      return queued(caller, operation, deviceId)
    })

  serveTenant(app, resetDevice, async ({ body: { deviceId, serialNumber }, ...caller }) => {
    const device = await holdNamed(caller, deviceId, serialNumber)
    if (isReadOnly(caller.actor, device)) throw refuse('forbidden')
    const operation = resetFor(device)
    if (!operation) throw refuse('refused', 'The device has no fault.')
    return queued(caller, operation, deviceId)
  })

  serveTenant(app, removeDevice, async ({ tx, actor, person, body: { deviceId } }) => {
    const device = await holdDeviceFor(tx, actor, 'uninstall', deviceId)
    await uninstall(tx, person, [device])
    return success({ deviceId }, 'Uninstalled successfully!')
  })

  serveTenant(app, installDevice, async ({ tx, actor, person, body: { deviceId } }) => {
    await install(tx, person, await holdDeviceFor(tx, actor, 'mark as installed', deviceId))
    return success({ deviceId })
  })
}

async function queued(caller: Caller, operation: Ordered, deviceId: string) {
  const commandId = await order(caller.tx, caller, operation, deviceId)
  return success({ status: 'queued' as const, commandId })
}

/** The device with this id. If a serial number is also sent, it must match, so that the wrong device is not reset. */
async function holdNamed({ tx, actor }: Caller, deviceId: string, serialNumber: string | undefined) {
  const device = await holdDevice(tx, actor, deviceId)
  const message = 'The serial number does not match the device.'
  if (serialNumber !== undefined && serialNumber.trim().toLowerCase() !== device.serial.toLowerCase())
    throw refuse('invalid', message, [{ field: 'serialNumber', message }])
  return device
}
