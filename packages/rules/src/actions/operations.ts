import type { Actor } from '../identity/actor.ts'
import type { DeviceAction } from '../rights/can.ts'
import type { ActionDevice, BulkAction } from './actions.ts'
import { fitsBulkAction, isNetworked, resetsAutofill, resetsBoiler, unfitText } from './actions.ts'
import { isLightAction } from './light-settings.ts'
import type { CommandName, VoidCommand } from '../commands/commands.ts'
import { detailListingOf } from '../devices/list.ts'
import { isBcm } from '../links/handover.ts'
import { areaOf, familyOf } from '../devices/products.ts'
import { countsAsInstalled, hasFailed, isInService } from '../devices/status.ts'

/** Operations that the server performs on one device. */
export type Operation =
  | 'update tags'
  | 'update access rights tag'
  | 'move light'
  | 'set equipment'
  | 'set status'
  | 'add to group'
  | 'flick test'
  | 'join network'
  | 'leave network'
  | 'reset boiler'
  | 'reset autofill'
  | 'uninstall'
  | 'mark as installed'
  | SettingOperation

/** Operations that set a value on a boiler, heat pump, power switch, V-Stat or thermostat of a connection. */
export type SettingOperation =
  | 'set CH max'
  | 'set DHW set point'
  | 'limit CH'
  | 'set buzzer'
  | 'switch relay'
  | 'set schedule'
  | 'change set point'

/** The right that each operation needs. `can` is called with the current state of the device. */
export const rightTo: Record<Operation, DeviceAction> = {
  'update tags': 'tag device',
  'update access rights tag': 'set access rights tag',
  'move light': 'place device',
  'set equipment': 'equip light',
  'set status': 'set condition',
  'add to group': 'see device',
  'flick test': 'flick test',
  'join network': 'change network',
  'leave network': 'change network',
  'reset boiler': 'reset device',
  'reset autofill': 'reset device',
  uninstall: 'uninstall',
  'mark as installed': 'install',
  'set CH max': 'edit boiler',
  'set DHW set point': 'edit boiler',
  'limit CH': 'edit boiler',
  'set buzzer': 'edit boiler',
  'switch relay': 'switch relay',
  'set schedule': 'set schedule',
  'change set point': 'change set point',
}

/** Operations that send a command to the device. */
export type Ordered = Extract<
  Operation,
  'flick test' | 'join network' | 'leave network' | 'reset boiler' | 'reset autofill'
>

/** The operation by which each command was requested. */
export const operationOfCommand: Record<Exclude<CommandName, VoidCommand>, Ordered | SettingOperation> = {
  runTest: 'flick test',
  // The same right as for the test itself.
  stopTest: 'flick test',
  joinNetwork: 'join network',
  leaveNetwork: 'leave network',
  resetBoiler: 'reset boiler',
  resetAutofill: 'reset autofill',
  setChMax: 'set CH max',
  setDhwSetPoint: 'set DHW set point',
  setChLimit: 'limit CH',
  setBuzzer: 'set buzzer',
  setRelay: 'switch relay',
  schedule: 'set schedule',
  changeSetPoint: 'change set point',
}

/** The operation of each bulk action on a single device. */
export const operationOf: Record<BulkAction, Operation> = {
  'add tags': 'update tags',
  'remove tags': 'update tags',
  'add access rights tags': 'update access rights tag',
  'remove access rights tags': 'update access rights tag',
  'move lights': 'move light',
  'set luminaire': 'set equipment',
  'set battery day': 'set equipment',
  'set status': 'set status',
  'add to group': 'add to group',
  'flick test': 'flick test',
  'join network': 'join network',
  'leave network': 'leave network',
  uninstall: 'uninstall',
}

type Features = Pick<Actor, 'features'>
type Unfit = (device: ActionDevice, actor: Features) => string | undefined

const unfitForNetwork =
  (what: string): Unfit =>
  (device) => {
    if (!isNetworked(device.product)) return 'Only emergency lights and repeaters can join or leave the network.'
    return countsAsInstalled(device.status) ? undefined : `A device that is not installed cannot ${what} the network.`
  }

const unfitToSet: Unfit = (device) => {
  if (detailListingOf(device.product) !== 'Boilers') return 'Only boilers and heat pumps have heating settings.'
  if (device.inWholesale) return 'A device in wholesale cannot be changed.'
  return countsAsInstalled(device.status) ? undefined : 'A device that is not installed cannot be changed.'
}

function onlyLights(also: Unfit): Unfit {
  return (device, actor) =>
    areaOf(device.product) === 'lighting' ? also(device, actor) : 'This applies to emergency lights only.'
}

const unfit: Record<Operation, Unfit> = {
  'set CH max': unfitToSet,
  'set DHW set point': unfitToSet,
  'limit CH': unfitToSet,
  'set buzzer': unfitToSet,
  'switch relay': (device) => {
    if (familyOf(device.product) !== 'powerSwitch') return 'Only power switches have relays.'
    if (device.inWholesale) return 'A device in wholesale cannot be switched.'
    return countsAsInstalled(device.status) ? undefined : 'A device that is not installed cannot be switched.'
  },
  'set schedule': (device) => {
    if (familyOf(device.product) !== 'vStat') return 'Only V-Stats have schedules.'
    if (device.inWholesale) return 'A device in wholesale cannot be changed.'
    return countsAsInstalled(device.status) ? undefined : 'A device that is not installed cannot be changed.'
  },
  'change set point': (device) => {
    if (familyOf(device.product) !== 'thirdParty') return 'Only third-party thermostats have a set point.'
    return countsAsInstalled(device.status) ? undefined : 'A device that is not installed cannot be changed.'
  },
  'move light': onlyLights(() => undefined),
  'set equipment': onlyLights(() => undefined),
  'set status': onlyLights(({ status }) => (isInService(status) ? undefined : 'The device is not in service.')),
  'add to group': onlyLights(() => undefined),
  'update tags': () => undefined,
  'update access rights tag': (device) =>
    countsAsInstalled(device.status)
      ? undefined
      : 'The access rights tag of a device that is not installed cannot be changed.',
  'flick test': (device) => {
    if (areaOf(device.product) !== 'lighting') return 'Only emergency lights can be tested.'
    if (device.inWholesale) return 'A device in wholesale cannot be tested.'
    return countsAsInstalled(device.status) ? undefined : 'A device that is not installed cannot be tested.'
  },
  'join network': unfitForNetwork('join'),
  'leave network': unfitForNetwork('leave'),
  'reset boiler': (device) => {
    if (!isBcm(device.product)) return 'Only boilers can be reset.'
    if (device.inWholesale) return 'A device in wholesale cannot be reset.'
    return resetsBoiler(device) ? undefined : 'The boiler has no fault that can be reset remotely.'
  },
  'reset autofill': (device) => {
    if (familyOf(device.product) !== 'autofill') return 'Only autofills can be reset.'
    if (device.inWholesale) return 'A device in wholesale cannot be reset.'
    if (!hasFailed(device.status)) return 'The autofill has no fault.'
    return resetsAutofill(device)
      ? undefined
      : 'An autofill that is connected to a home hub cannot be reset in the portal.'
  },
  uninstall: (device, actor) => {
    if (!countsAsInstalled(device.status)) return 'The device is not installed.'
    return device.isThermostatWithHomeHub && !actor.features.includes('BcmAndGatewayDualInstall')
      ? 'The thermostat of a boiler in a property with a home hub cannot be uninstalled.'
      : undefined
  },
  'mark as installed': (device) => {
    if (device.inWholesale) return 'A device in wholesale cannot be installed. Claim it first.'
    return isInService(device.status) ? 'The device is already installed.' : undefined
  },
}

/**
 * Why the operation is not possible for the device in its current state; undefined if it is. Independent of the actor's
 * role.
 */
export function unfitFor(operation: Operation, device: ActionDevice, actor: Features): string | undefined {
  return unfit[operation](device, actor)
}

/**
 * The same for a device in a bulk action, where access rights tags can also be set on allocated devices (devices gaps
 * A4).
 */
export function unfitForBulk(action: BulkAction, device: ActionDevice, actor: Features): string | undefined {
  if (action === 'add access rights tags' || action === 'remove access rights tags')
    return fitsBulkAction(action, device) ? undefined : unfitText(action)
  if (isLightAction(action) && !fitsBulkAction(action, device)) return unfitText(action)
  return unfitFor(operationOf[action], device, actor)
}

/** The kind of reset for the device's fault; undefined if it reports none. */
export function resetFor({ fault }: Pick<ActionDevice, 'fault'>): 'reset boiler' | 'reset autofill' | undefined {
  if (!fault) return undefined
  return fault.source === 'autofill' ? 'reset autofill' : 'reset boiler'
}
