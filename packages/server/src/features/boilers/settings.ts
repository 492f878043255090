import { refuse } from '@caretaker/contract/refusal.ts'
import type { SettingOperation } from '@caretaker/rules/actions/operations.ts'
import type { AuditAction } from '@caretaker/rules/audit/audit.ts'
import type { CommandName } from '@caretaker/rules/commands/commands.ts'
import { desiredState, withState } from '@caretaker/rules/commands/life.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { audit } from '../../audit/audit.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { dontRepeat, holdOpenCommands, holdState, queueCommands, takeBack, writeDesired } from '../commands/store.ts'
import { deviceSubject, holdDeviceFor } from '../devices/held.ts'

interface Caller {
  tx: TenantTx
  actor: Actor
  person: { id: string; name: string }
}

interface Wanted {
  deviceId: string
  operation: SettingOperation
  name: CommandName
  args: Record<string, unknown>
  /** Why a device that reports this cannot be asked for it; undefined where it can. */
  unfit?: (reported: Readonly<Record<string, unknown>>) => string | undefined
}

const actions: Record<SettingOperation, AuditAction> = {
  'set CH max': 'boiler setting requested',
  'set DHW set point': 'boiler setting requested',
  'limit CH': 'boiler setting requested',
  'set buzzer': 'boiler setting requested',
  'switch relay': 'relay switch requested',
}

/**
 * Asks a device for a value, or refuses with the reason; gives the command that the device has to answer. A newer value
 * takes the place of an older one that the device has not answered yet: what was not sent is withdrawn, what was sent is not
 * repeated, so that the device never ends with the older one.
 */
export async function askFor({ tx, actor, person }: Caller, wanted: Wanted): Promise<string> {
  const { deviceId, operation, name, args, unfit } = wanted
  const device = await holdDeviceFor(tx, actor, operation, deviceId)
  const { reported, desired } = await holdState(tx, deviceId)
  const reason = unfit?.(reported)
  if (reason !== undefined) throw refuse('refused', reason)
  const older = (await holdOpenCommands(tx, deviceId, name)).filter((one) => one.args['relay'] === args['relay'])
  const same = older.find((one) => JSON.stringify(one.args) === JSON.stringify(args))
  if (same && same === older[0]) return same.id
  for (const { id, status } of older)
    if (status === 'queued') await takeBack(tx, { commandId: id, deviceId, status }, person.id)
  await dontRepeat(
    tx,
    older.filter(({ status }) => status !== 'queued').map(({ id }) => id),
  )
  const commands = await queueCommands(tx, { deviceIds: [deviceId], name, args, createdBy: person.id })
  const commandId = commands.get(deviceId)!
  const next = withState(desired, desiredState({ name, args })!)
  await writeDesired(tx, deviceId, next)
  await audit(tx, {
    person,
    action: actions[operation],
    subject: deviceSubject(device),
    after: { commandId, command: name, ...args },
  })
  return commandId
}
