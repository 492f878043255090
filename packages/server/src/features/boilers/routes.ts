import type { FastifyInstance } from 'fastify'
import {
  getBoiler,
  patchBcmSettings,
  patchPowerSwitchSettings,
  putBcmSettings,
  putPowerSwitchSettings,
  toggleBoilerBuzzer,
  toggleCHAccess,
  updateChSetPoint,
  updateOccupierAddress,
  updateOccupierId,
} from '@caretaker/contract/boilers.ts'
import { success } from '@caretaker/contract/refusal.ts'
import { relaysIn } from '@caretaker/rules/boilers/details.ts'
import { relayName } from '@caretaker/rules/boilers/power-switch.ts'
import { deviceVersion } from '../../devices/version.ts'
import { serveTenant } from '../../http/serve.ts'
import { changeAddress, changeReference } from './home.ts'
import { askFor } from './settings.ts'
import { boilerInFull } from './store.ts'

type Reported = Readonly<Record<string, unknown>>

/**
 * Refuses a setting if the device reports that it does not support it; a device without a report is sent the command.
 */
const unsupportedBy = (flag: string, message: string) => (reported: Reported) =>
  reported[flag] === false ? message : undefined

const unfit = {
  chMax: unsupportedBy('chMaxSupported', 'The boiler does not support a CH max.'),
  dhwSetPoint: unsupportedBy('supportsDhwSetPoint', 'The boiler does not support a DHW set point.'),
  buzzer: unsupportedBy('hasBuzzer', 'The boiler has no buzzer.'),
}

/** Requests a setting; returns its command and the version of the device. */
async function ask(caller: Parameters<typeof askFor>[0], wanted: Parameters<typeof askFor>[1]) {
  const commandId = await askFor(caller, wanted)
  return { status: 'queued' as const, commandId, version: await deviceVersion(caller.tx, wanted.deviceId) }
}

export function boilerRoutes(app: FastifyInstance): void {
  serveTenant(app, getBoiler, async ({ tx, actor, body }) => success(await boilerInFull(tx, actor, body.deviceId)))

  serveTenant(app, updateChSetPoint, async (caller) => {
    const { deviceId, version, chSetPoint } = caller.body
    const wanted = {
      ...{ deviceId, version },
      operation: 'set CH max',
      name: 'setChMax',
      args: { chSetPoint },
      unfit: unfit.chMax,
    } as const
    return success(await ask(caller, wanted))
  })
  serveTenant(app, toggleCHAccess, async (caller) => {
    const { deviceId, version, isLimited } = caller.body
    const wanted = {
      ...{ deviceId, version },
      operation: 'limit CH',
      name: 'setChLimit',
      args: { isLimited },
      unfit: unfit.chMax,
    } as const
    return success(await ask(caller, wanted))
  })
  serveTenant(app, toggleBoilerBuzzer, async (caller) => {
    const { deviceId, version, isLimited } = caller.body
    const wanted = {
      ...{ deviceId, version },
      operation: 'set buzzer',
      name: 'setBuzzer',
      args: { isLimited },
      unfit: unfit.buzzer,
    } as const
    return success(await ask(caller, wanted))
  })

  serveTenant(app, updateOccupierAddress, async (caller) => {
    const { deviceId, occupierAddress } = caller.body
    await changeAddress(caller, deviceId, occupierAddress)
    return success({ address: occupierAddress })
  })
  serveTenant(app, updateOccupierId, async (caller) => {
    const { deviceId, occupierId } = caller.body
    await changeReference(caller, deviceId, occupierId)
    return success({ occupierId })
  })

  for (const route of [putBcmSettings, patchBcmSettings])
    serveTenant(app, route, async (caller) => {
      const { params, body } = caller
      return ask(caller, {
        ...{ deviceId: params.id, version: body.version },
        operation: 'set DHW set point',
        name: 'setDhwSetPoint',
        args: { dhwSetPoint: body.dhwSetPoint },
        unfit: unfit.dhwSetPoint,
      })
    })

  for (const route of [putPowerSwitchSettings, patchPowerSwitchSettings])
    serveTenant(app, route, async (caller) => {
      const commands = []
      for (const [relay, on] of Object.entries(caller.body.relayPower)) {
        const commandId = await askFor(caller, {
          deviceId: caller.params.id,
          operation: 'switch relay',
          name: 'setRelay',
          args: { relay, on },
          unfit: (reported) =>
            relay in relaysIn(reported) ? undefined : `The power switch has no relay ${relay} (${relayName(relay)}).`,
        })
        commands.push({ relayId: relay, status: 'queued' as const, commandId })
      }
      return { commands }
    })
}
