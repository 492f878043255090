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

/** The name and arguments of the command for an operation; undefined if the operation is not a command. */
export const commandFor = (operation: string): { name: CommandName; args: Record<string, unknown> } | undefined =>
  Object.hasOwn(orders, operation) ? orders[operation as Ordered] : undefined

/**
 * Sends a command to locked devices, and records it for each; a device with the same unanswered command gets no
 * second one. Returns the new commands by device.
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
  const commanded = devices.filter((device) => commands.has(device.deviceId))
  await auditAll(
    tx,
    person,
    action,
    commanded.map((device) => ({
      subject: deviceSubject(device),
      after: { commandId: commands.get(device.deviceId)!, ...args },
    })),
  )
  return commands
}

/**
 * Sends a locked device a command that an older one cannot replace: an unsent older one is withdrawn, so that the new
 * one has its full time.
 */
export async function replaceCommand(
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

/** Sends a command to one device, or refuses with the reason; returns the command that the device has to answer. */
export async function order(
  tx: TenantTx,
  { actor, person }: { actor: Actor; person: { id: string; name: string } },
  operation: Ordered,
  deviceId: string,
): Promise<string> {
  // Of two simultaneous requests, the second finds the command of the first.
  const device = await holdDeviceFor(tx, actor, operation, deviceId)
  const commandId = (await orderFrom(tx, person, operation, [device])).get(deviceId)
  return commandId ?? openCommand(tx, operation, deviceId)
}

/** The unanswered command of the device for an operation. */
export async function openCommand(tx: TenantTx, operation: Ordered, deviceId: string): Promise<string> {
  return (await findOpenCommands(tx, [deviceId], orders[operation])).get(deviceId)!
}
