import type { Actor } from '../identity/actor.ts'
import type { DeviceSubject } from '../devices/rights.ts'
import { can } from '../rights/can.ts'
import { isEngineer, isManager } from '../identity/actor.ts'
import { isReadOnly, userCanUpdateAccessRightsTag } from '../devices/rights.ts'
import { connectedKindOf, isBcm } from '../links/handover.ts'
import type { ReportedFault } from '../devices/fault.ts'
import type { Product } from '../devices/products.ts'
import { areaOf, familyOf, productCodes } from '../devices/products.ts'
import type { DeviceStatus } from '../devices/status.ts'
import { countsAsInstalled, deviceStatuses, hasFailed } from '../devices/status.ts'

/** The nil UUID, used where no device is meant (devices gaps B33). */
export const emptyDeviceId = '00000000-0000-0000-0000-000000000000'

/** Actions on a single device, in menu order: destructive ones last. */
export const singleActions = [
  'view in app',
  'claim',
  'install',
  'complete install',
  'repair',
  'flick test',
  'update tags',
  'update access rights tag',
  'join network',
  'leave network',
  'reset boiler',
  'reset autofill',
  'uninstall',
] as const
export type SingleAction = (typeof singleActions)[number]

export const singleActionLabels: Record<SingleAction, string> = {
  'view in app': 'View in app',
  claim: 'Claim from Wholesaler',
  install: 'Install',
  'complete install': 'Complete Install',
  repair: 'Repair',
  'flick test': 'Flick test',
  'update tags': 'Update tags',
  'update access rights tag': 'Update access rights tag',
  'join network': 'Join Network',
  'leave network': 'Leave Network',
  'reset boiler': 'Reset boiler',
  'reset autofill': 'Reset autofill',
  uninstall: 'Uninstall',
}

/** The facts about a device that determine which actions are offered. */
export interface ActionDevice extends DeviceSubject {
  deviceId: string
  /** The fault that the device reports; null or undefined for none. */
  fault?: Omit<ReportedFault, 'description'> | null
  /** Whether the device reports that its boiler can be reset remotely. */
  remoteResetSupported?: boolean
  /** The product of the parent gateway, if there is one. */
  parentProduct?: Product | null
  /**
   * Whether the device is the thermostat of a BCM in a property that also has a home hub (devices specification,
   * section 6).
   */
  isThermostatWithHomeHub?: boolean
}

/**
 * Where actions are offered: the rows of a listing, the header of a device page, or the screens that need the feature
 * NewListingView.
 */
export interface ActionPlace {
  on: 'listing' | 'page'
  newer?: boolean
}

/** Emergency lights and repeaters join and leave their network by command (devices specification, section 6). */
export function isNetworked(product: Product): boolean {
  return areaOf(product) === 'lighting' || product === 'ZR'
}

/** Whether the device is connected to a BCM or gateway and its installation is not complete. */
export function completesInstall(device: Pick<ActionDevice, 'product' | 'status'>): boolean {
  return device.status === 'Allocated' && connectedKindOf(device.product) !== undefined
}

/**
 * Whether a failed autofill can be reset: not when it is connected to a home hub (devices specification, section 6;
 * estate, 2.3).
 */
export function resetsAutofill(device: Pick<ActionDevice, 'product' | 'status' | 'parentProduct'>): boolean {
  return familyOf(device.product) === 'autofill' && hasFailed(device.status) && device.parentProduct !== 'ZH'
}

/**
 * Whether the device is a boiler or BCM-connect whose boiler info marks the fault as resettable and allows a remote
 * reset.
 */
export function resetsBoiler(device: Pick<ActionDevice, 'product' | 'fault' | 'remoteResetSupported'>): boolean {
  return (
    isBcm(device.product) &&
    device.fault?.source === 'boiler' &&
    device.fault.isResettable &&
    device.remoteResetSupported !== false
  )
}

/**
 * Whether the actor may change the access rights tag: depending on the device's flag or, on newer screens, on the
 * capability.
 */
export function mayUpdateAccessRightsTag(actor: Actor, device: DeviceSubject, newer: boolean): boolean {
  return newer ? actor.capabilities.includes('EditAccessRightsTags') : userCanUpdateAccessRightsTag(actor, device)
}

/** Whether the device is a light with an open failure, for which the repair form is offered. */
export const needsRepair = ({ product, status }: Pick<DeviceSubject, 'product' | 'status'>): boolean =>
  areaOf(product) === 'lighting' && hasFailed(status)

type Offer = (actor: Actor, device: ActionDevice, place: ActionPlace) => boolean

const isItsEngineer = (actor: Actor, device: DeviceSubject) => isEngineer(actor, areaOf(device.product))

const offers: Record<SingleAction, Offer> = {
  'view in app': (actor, device) =>
    isItsEngineer(actor, device) && countsAsInstalled(device.status) && !device.inWholesale,
  claim: (actor, device) => isItsEngineer(actor, device) && device.inWholesale,
  install: (actor, device) => isItsEngineer(actor, device) && !countsAsInstalled(device.status),
  'complete install': (actor, device) => isItsEngineer(actor, device) && completesInstall(device),
  // The device page offers the form in its banner and in Maintenance instead.
  repair: (actor, device, { on }) => on === 'listing' && needsRepair(device) && can(actor, 'set condition', device),
  'flick test': (actor, device) => can(actor, 'flick test', device),
  'update tags': (actor, device, { on }) => on === 'listing' && can(actor, 'tag device', device),
  'update access rights tag': (actor, device, { newer }) =>
    countsAsInstalled(device.status) &&
    !isReadOnly(actor, device) &&
    mayUpdateAccessRightsTag(actor, device, newer === true) &&
    can(actor, 'set access rights tag', device),
  'join network': (actor, device) => can(actor, 'change network', device),
  'leave network': (actor, device) => can(actor, 'change network', device),
  'reset boiler': (actor, device) => can(actor, 'reset device', device) && resetsBoiler(device),
  'reset autofill': (actor, device) => can(actor, 'reset device', device) && resetsAutofill(device),
  uninstall: (actor, device) =>
    device.deviceId !== emptyDeviceId &&
    can(actor, 'uninstall', device) &&
    (!device.isThermostatWithHomeHub || actor.features.includes('BcmAndGatewayDualInstall')),
}

/** The actions offered for a device, in menu order. */
export function offeredActions(actor: Actor, device: ActionDevice, place: ActionPlace): SingleAction[] {
  return singleActions.filter((action) => offers[action](actor, device, place))
}

/** Bulk actions on devices, in the order of the action bar. */
export const bulkActions = [
  'add tags',
  'remove tags',
  'add access rights tags',
  'remove access rights tags',
  'move lights',
  'set luminaire',
  'set battery day',
  'set status',
  'add to group',
  'flick test',
  'join network',
  'leave network',
  'uninstall',
] as const
export type BulkAction = (typeof bulkActions)[number]

export const bulkActionLabels: Record<BulkAction, string> = {
  'add tags': 'Add tags',
  'remove tags': 'Remove tags',
  'add access rights tags': 'Add Access Rights Tags',
  'remove access rights tags': 'Remove Access Rights Tags',
  'move lights': 'Building and floor',
  'set luminaire': 'Standard luminaire',
  'set battery day': 'Battery day',
  'set status': 'Status',
  'add to group': 'Add to group',
  'flick test': 'Flick Test',
  'join network': 'Join Network',
  'leave network': 'Leave Network',
  uninstall: 'Uninstall',
}

/** The most devices in one bulk call; larger selections run as a job. */
export const bulkAtOnce = 5000
/**
 * Up to this many devices the page sends the calls itself and shows the result of each; above it the worker runs the
 * action.
 */
export const watchedLimit = 200
/** The most tags that one bulk action adds or removes. */
export const bulkTags = 20
/** Tag changes to more devices than this cannot be undone in one step: the rows would stay locked too long. */
export const undoLimit = 10_000
/** The same limit for light settings, where each light is written separately. */
export const undoLightsLimit = 1000
/** The most devices in one bulk action. */
export const bulkLimit = 100_000

interface BulkRule {
  /** Whether the actor is offered the action in a listing of these products. */
  may(actor: Actor, products: readonly Product[]): boolean
  /** Which devices the action accepts, and the words for those it does not. */
  fits(device: Pick<DeviceSubject, 'status'>): boolean
  unfit: string
}

const mayManage = (actor: Actor) => isManager(actor, 'misc')
const isEngineerOf = (actor: Actor, products: readonly Product[]) =>
  products.some((product) => isEngineer(actor, areaOf(product)))
const networks = (actor: Actor, products: readonly Product[]) =>
  products.some((product) => ['lighting', 'networking'].includes(areaOf(product))) && isEngineerOf(actor, products)

const equips = (actor: Actor, products: readonly Product[]) =>
  products.some((product) => areaOf(product) === 'lighting') && isEngineer(actor, 'lighting')

const isInstalled = ({ status }: Pick<DeviceSubject, 'status'>) => countsAsInstalled(status)
/**
 * The same statuses as installed, named separately because the specification distinguishes the two (devices gaps A3).
 */
export const countsAsJoined = isInstalled
const isInstalledOrAllocated = (device: Pick<DeviceSubject, 'status'>) =>
  isInstalled(device) || device.status === 'Allocated'

const bulkRules: Record<BulkAction, BulkRule> = {
  'add tags': { may: mayManage, fits: () => true, unfit: '' },
  'remove tags': { may: mayManage, fits: () => true, unfit: '' },
  'add access rights tags': { may: mayManage, fits: isInstalledOrAllocated, unfit: 'not installed or allocated' },
  'remove access rights tags': { may: mayManage, fits: isInstalledOrAllocated, unfit: 'not installed or allocated' },
  'move lights': { may: equips, fits: isInstalledOrAllocated, unfit: 'not installed or allocated' },
  'set luminaire': { may: equips, fits: () => true, unfit: '' },
  'set battery day': { may: equips, fits: () => true, unfit: '' },
  'set status': { may: equips, fits: isInstalled, unfit: 'not installed' },
  'add to group': {
    may: (actor, products) => equips(actor, products) && can(actor, 'edit test schedules'),
    fits: isInstalled,
    unfit: 'not installed',
  },
  'flick test': {
    may: (actor, products) =>
      products.some((product) => areaOf(product) === 'lighting') && isEngineer(actor, 'lighting'),
    fits: countsAsJoined,
    unfit: 'not joined to the network',
  },
  'join network': { may: networks, fits: isInstalled, unfit: 'not installed' },
  'leave network': { may: networks, fits: countsAsJoined, unfit: 'not joined to the network' },
  uninstall: { may: isEngineerOf, fits: isInstalled, unfit: 'not installed' },
}

/** A number of identical selected devices; one by default. */
interface Selected extends Pick<DeviceSubject, 'status'> {
  count?: number
}

export interface BulkOffer {
  action: BulkAction
  /** The number of selected devices that cannot take part. */
  unsuitable: number
  /** Why the action is not possible with this selection; undefined if it is. */
  reason?: string
}

/**
 * The bulk actions offered in a listing of these products, each with a reason where the selection does not allow it
 * (devices specification, section 6).
 */
export function offeredBulkActions(
  actor: Actor,
  products: readonly Product[],
  selected: readonly Selected[],
): BulkOffer[] {
  return bulkActions
    .filter((action) => bulkRules[action].may(actor, products))
    .map((action) => {
      const { fits, unfit } = bulkRules[action]
      const wrong = selected.reduce((sum, device) => sum + (fits(device) ? 0 : (device.count ?? 1)), 0)
      if (wrong === 0) return { action, unsuitable: 0 }
      const many = wrong === 1 ? '1 selected device is' : `${wrong.toLocaleString('en-GB')} selected devices are`
      return { action, unsuitable: wrong, reason: `${many} ${unfit}` }
    })
}

/**
 * Whether the actor may run a bulk action on devices of any kind. The server checks it before the run starts and again
 * while it runs.
 */
export function mayDoInBulk(actor: Actor, action: BulkAction): boolean {
  return bulkRules[action].may(actor, productCodes)
}

/** Whether one device may take part in a bulk action; the server's check. */
export function fitsBulkAction(action: BulkAction, device: Pick<DeviceSubject, 'status'>): boolean {
  return bulkRules[action].fits(device)
}
/** The statuses of devices that may take part in a bulk action. */
export function statusesFor(action: BulkAction): DeviceStatus[] {
  return deviceStatuses.filter((status) => bulkRules[action].fits({ status }))
}

/** The words for a device that may not take part, such as 'not installed'. */
export function unfitText(action: BulkAction): string {
  return `The device is ${bulkRules[action].unfit}.`
}
