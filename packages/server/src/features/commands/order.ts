import type { CommandName } from '@caretaker/rules/commands/commands.ts'
import type { Doing } from '@caretaker/rules/actions/doings.ts'
import type { AuditAction } from '@caretaker/rules/audit/audit.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { audit } from '../../audit/audit.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { deviceSubject, holdDeviceFor } from '../devices/held.ts'
import { findOpenCommands, queueCommands } from './store.ts'

/** What is done by a command to the device. */
export type Ordered = Extract<
  Doing,
  'flick test' | 'join network' | 'leave network' | 'reset boiler' | 'reset autofill'
>

const orders: Record<Ordered, { name: CommandName; args: Record<string, unknown>; action: AuditAction }> = {
  'flick test': { name: 'runTest', args: { testType: 'T0' }, action: 'flick test requested' },
  'join network': { name: 'joinNetwork', args: {}, action: 'network join requested' },
  'leave network': { name: 'leaveNetwork', args: {}, action: 'network leave requested' },
  'reset boiler': { name: 'resetBoiler', args: {}, action: 'boiler reset requested' },
  'reset autofill': { name: 'resetAutofill', args: {}, action: 'autofill reset requested' },
}

/** Orders it from held devices; one that still has the same command to answer is not told again. Gives the new commands. */
export async function orderFrom(
  tx: TenantTx,
  doing: Ordered,
  deviceIds: readonly string[],
  createdBy: string,
): Promise<Map<string, string>> {
  const { name, args } = orders[doing]
  const open = await findOpenCommands(tx, deviceIds, name)
  const free = deviceIds.filter((id) => !open.has(id))
  return queueCommands(tx, { deviceIds: free, name, args, createdBy })
}

/** Orders it from one device, or refuses with the reason; gives the command that the device has to answer. */
export async function order(
  tx: TenantTx,
  { actor, person }: { actor: Actor; person: { id: string; name: string } },
  doing: Ordered,
  deviceId: string,
): Promise<string> {
  // Two people may press at the same moment: the second finds the command of the first.
  const device = await holdDeviceFor(tx, actor, doing, deviceId)
  const { name, args, action } = orders[doing]
  const commandId = (await orderFrom(tx, doing, [deviceId], actor.userId)).get(deviceId)
  if (!commandId) return (await findOpenCommands(tx, [deviceId], name)).get(deviceId)!
  await audit(tx, { person, action, subject: deviceSubject(device), after: { commandId, ...args } })
  return commandId
}
