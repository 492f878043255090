import type { FastifyInstance } from 'fastify'
import { getDeviceCommands, takeBackCommand } from '@caretaker/contract/lighting.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import { operationOfCommand, rightTo } from '@caretaker/rules/actions/operations.ts'
import { desiredState, isSetting, mayWithdraw, withoutState } from '@caretaker/rules/commands/life.ts'
import type { CommandName, CommandStatus, VoidCommand } from '@caretaker/rules/commands/commands.ts'
import { isVoidCommand } from '@caretaker/rules/commands/commands.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { audit } from '../../audit/audit.ts'
import { serveTenant } from '../../http/serve.ts'
import { deviceSubject } from '../devices/held.ts'
import { findDevice } from '../devices/store.ts'
import { setDesiredState } from '../../devices/report.ts'
import { holdCommand, holdState, listCommands, takeBack } from './store.ts'

/** Why a command in this state can no longer be withdrawn. */
const tooLate: Record<CommandStatus, string> = {
  queued: '',
  sent: 'The command has been sent to the device and can no longer be withdrawn.',
  confirmed: 'The device has already confirmed the command.',
  failed: 'This command has already been dismissed.',
  expired: 'This command has already been dismissed.',
  withdrawn: 'The command has already been withdrawn.',
}

export function commandRoutes(app: FastifyInstance): void {
  serveTenant(app, getDeviceCommands, async ({ tx, actor, body }) => {
    const device = await findDevice(tx, actor, body.deviceId)
    return success(await listCommands(tx, device.id))
  })

  serveTenant(app, takeBackCommand, async ({ tx, actor, person, body: { deviceId, commandId } }) => {
    const device = await findDevice(tx, actor, deviceId)
    const command = await holdCommand(tx, deviceId, commandId)
    if (!command) throw refuse('not found')
    if (isVoidCommand(command.name))
      throw refuse('refused', 'This command belongs to void mode: change the void flag of the property instead.')
    const operation = operationOfCommand[command.name as Exclude<CommandName, VoidCommand>]
    if (!can(actor, rightTo[operation], device)) throw refuse('forbidden')
    const state = await holdState(tx, deviceId)
    if (!mayWithdraw(command, state.reported)) throw refuse('refused', tooLate[command.status])
    await takeBack(tx, { ...command, deviceId }, person.id)
    const asked = isSetting(command.name) ? desiredState(command) : undefined
    // The former request is dropped: the desired value becomes the reported one.
    if (asked) await setDesiredState(tx, deviceId, withoutState(state.desired, asked))
    const subject = deviceSubject({ deviceId, serial: device.serial })
    await audit(tx, { person, action: 'command taken back', subject, after: { commandId, command: command.name } })
    return success((await holdCommand(tx, deviceId, commandId))!)
  })
}
