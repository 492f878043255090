import type { CommandName } from '@caretaker/rules/commands/commands.ts'
import type { Ordered } from '@caretaker/rules/actions/operations.ts'
import type { AuditAction } from '@caretaker/rules/audit/audit.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { Recorded } from '../../audit/audit.ts'
import { auditAll } from '../../audit/audit.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { HeldDevice } from '../devices/held.ts'
import { deviceSubject, holdDeviceFor } from '../devices/held.ts'
import { findOpenCommands, holdOpenCommands, queueCommands, takeBack } from './store.ts'

const orders: Record<Ordered, { name: CommandName; args: Record<string, unknown>; action: AuditAction }> = {
  'flick test': { name: 'runTest', args: { testType: 'T0' }, action: 'flick test requested' },
  'join network': { name: 'joinNetwork', args: {}, action: 'network join requested' },
  'leave network': { name: 'leaveNetwork', args: {}, action: 'network leave requested' },
  'reset boiler': { name: 'resetBoiler', args: {}, action: 'boiler reset requested' },
  'reset autofill': { name: 'resetAutofill', args: {}, action: 'autofill reset requested' },
}

/** The command by which it is ordered, and what stands in it; undefined for what is no order to a device. */
export const commandFor = (operation: string): { name: CommandName; args: Record<string, unknown> } | undefined =>
  Object.hasOwn(orders, operation) ? orders[operation as Ordered] : undefined

/**
 * Orders it from held devices, and records it for each; one that still has the same command to answer is not told again.
 * Gives the new commands by device.
 */
export async function orderFrom(
  tx: TenantTx,
  person: Recorded & { id: string },
  operation: Ordered,
  devices: readonly HeldDevice[],
): Promise<Map<string, string>> {
  const { name, args, action } = orders[operation]
  const ids = devices.map((device) => device.deviceId)
  const open = await findOpenCommands(tx, ids, { name, args })
  const deviceIds = ids.filter((id) => !open.has(id))
  const commands = await queueCommands(tx, { deviceIds, name, args, createdBy: person.id })
  const told = devices.filter((device) => commands.has(device.deviceId))
  await auditAll(
    tx,
    person,
    action,
    told.map((device) => ({
      subject: deviceSubject(device),
      after: { commandId: commands.get(device.deviceId)!, ...args },
    })),
  )
  return commands
}

/**
 * Orders it from a held device where an older order cannot stand for it: one that was not sent yet gives way to the new one, which
 * has all of its time.
 */
export async function orderAnew(
  tx: TenantTx,
  person: Recorded & { id: string },
  operation: Ordered,
  device: HeldDevice,
): Promise<void> {
  const { name, args } = orders[operation]
  const { deviceId } = device
  for (const older of await holdOpenCommands(tx, deviceId, name))
    if (older.status === 'queued' && JSON.stringify(older.args) === JSON.stringify(args))
      await takeBack(tx, { commandId: older.id, deviceId, status: older.status }, person.id)
  await orderFrom(tx, person, operation, [device])
}

/** Orders it from one device, or refuses with the reason; gives the command that the device has to answer. */
export async function order(
  tx: TenantTx,
  { actor, person }: { actor: Actor; person: { id: string; name: string } },
  operation: Ordered,
  deviceId: string,
): Promise<string> {
  // Two people may press at the same moment: the second finds the command of the first.
  const device = await holdDeviceFor(tx, actor, operation, deviceId)
  const commandId = (await orderFrom(tx, person, operation, [device])).get(deviceId)
  return commandId ?? openCommand(tx, operation, deviceId)
}

/** The command by which it was ordered from the device, and that the device has still to answer. */
export async function openCommand(tx: TenantTx, operation: Ordered, deviceId: string): Promise<string> {
  return (await findOpenCommands(tx, [deviceId], orders[operation])).get(deviceId)!
}
