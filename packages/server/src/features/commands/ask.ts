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
  /** What is wanted of the held device by now. */
  desired: State
  /** The person who asks; null when the server itself does. */
  askedBy: string | null
}

/**
 * Asks a held device for a value; gives the command that it has to answer, and whether that is a new one. A newer value takes
 * the place of an older one that the device has not answered yet: what was not sent is withdrawn, what was sent is not
 * repeated, so that the device never ends with the older one.
 */
export async function askForState(
  tx: TenantTx,
  { deviceId, name, args, desired, askedBy }: Wanted,
): Promise<{ commandId: string; isNew: boolean }> {
  const older = (await holdOpenCommands(tx, deviceId, name)).filter((one) => settingOf(one.args) === settingOf(args))
  // The database keeps the parts of a value in an order of its own.
  const same = older.find((one) => isDeepStrictEqual(one.args, args))
  if (same && same === older[0]) return { commandId: same.id, isNew: false }
  for (const { id, status } of older)
    if (status === 'queued') await takeBack(tx, { commandId: id, deviceId, status }, askedBy)
  await dontRepeat(
    tx,
    older.filter(({ status }) => status !== 'queued').map(({ id }) => id),
  )
  const commands = await queueCommands(tx, { deviceIds: [deviceId], name, args, createdBy: askedBy })
  await setDesiredState(tx, deviceId, withState(desired, desiredState({ name, args })!))
  return { commandId: commands.get(deviceId)!, isNew: true }
}
