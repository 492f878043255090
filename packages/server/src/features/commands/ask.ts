import { isDeepStrictEqual } from 'node:util'
import type { CommandName } from '@caretaker/rules/commands/commands.ts'
import type { State } from '@caretaker/rules/commands/life.ts'
import { desiredState, settingOf, withState } from '@caretaker/rules/commands/life.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { setDesiredState } from '../../devices/report.ts'
import { dontRepeat, holdOpenCommands, queueCommands, takeBack } from './store.ts'

interface Wanted {
  deviceId: string
  name: CommandName
  args: Record<string, unknown>
  /** The desired value on the locked device. */
  desired: State
  /** The user who requests it; null for the server itself. */
  askedBy: string | null
  /** Whether a connection sends the command to its network server. */
  isDownlink?: boolean
}

/**
 * Sends a locked device a desired value; returns the command to be answered, and whether it is new. A newer value
 * replaces an older unanswered one: unsent commands are withdrawn and sent ones not repeated, so that the device
 * never ends with the older value.
 */
export async function askForState(
  tx: TenantTx,
  { deviceId, name, args, desired, askedBy, isDownlink = false }: Wanted,
): Promise<{ commandId: string; isNew: boolean }> {
  const older = (await holdOpenCommands(tx, deviceId, name)).filter((one) => settingOf(one.args) === settingOf(args))
  // The database changes the order of keys in a value.
  const same = older.find((one) => isDeepStrictEqual(one.args, args))
  if (same && same === older[0]) return { commandId: same.id, isNew: false }
  for (const { id, status } of older)
    if (status === 'queued') await takeBack(tx, { commandId: id, deviceId, status }, askedBy)
  await dontRepeat(
    tx,
    older.filter(({ status }) => status !== 'queued').map(({ id }) => id),
  )
  const commands = await queueCommands(tx, { deviceIds: [deviceId], name, args, createdBy: askedBy, isDownlink })
  await setDesiredState(tx, deviceId, withState(desired, desiredState({ name, args })!))
  return { commandId: commands.get(deviceId)!, isNew: true }
}
