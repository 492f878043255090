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

/** The id that stands for no device at all (devices gaps B33). */
export const emptyDeviceId = '00000000-0000-0000-0000-000000000000'

/** What can be done with one device, in the order in which menus offer it. The last ones destroy. */
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

/** What decides which actions a device is offered with. */
export interface ActionDevice extends DeviceSubject {
  deviceId: string
  /** The fault it reports, if it reports one. */
  fault?: Omit<ReportedFault, 'description'> | null
  /** Whether it says that its boiler can be reset from afar. */
  remoteResetSupported?: boolean
  /** What it is connected through, if anything. */
  parentProduct?: Product | null
  /** Whether it is the thermostat of a BCM in a home that also has a hub (devices specification, section 6). */
  isThermostatWithHomeHub?: boolean
}

/** Where actions are offered: rows of a listing, the head of a device's page, or the screens behind NewListingView. */
export interface ActionPlace {
  on: 'listing' | 'page'
  newer?: boolean
}

/** Emergency lights and repeaters join and leave their network by command (devices specification, section 6). */
export function isNetworked(product: Product): boolean {
  return areaOf(product) === 'lighting' || product === 'ZR'
}

/** Whether the device is of a kind that is connected to a BCM or gateway and waits for the end of its installation. */
export function completesInstall(device: Pick<ActionDevice, 'product' | 'status'>): boolean {
  return device.status === 'Allocated' && connectedKindOf(device.product) !== undefined
}

/** Whether an autofill that failed can be reset: not below a home hub (devices specification, section 6; estate, 2.3). */
export function resetsAutofill(device: Pick<ActionDevice, 'product' | 'status' | 'parentProduct'>): boolean {
  return familyOf(device.product) === 'autofill' && hasFailed(device.status) && device.parentProduct !== 'ZH'
}

/** Whether the boiler info says resettable, of the fault and from afar, and the device is a boiler or BCM-connect. */
export function resetsBoiler(device: Pick<ActionDevice, 'product' | 'fault' | 'remoteResetSupported'>): boolean {
  return (
    isBcm(device.product) &&
    device.fault?.source === 'boiler' &&
    device.fault.isResettable &&
    device.remoteResetSupported !== false
  )
}

/** Whether the actor may change the access rights tag: the device's own flag, or in newer screens the capability. */
export function mayUpdateAccessRightsTag(actor: Actor, device: DeviceSubject, newer: boolean): boolean {
  return newer ? actor.capabilities.includes('EditAccessRightsTags') : userCanUpdateAccessRightsTag(actor, device)
}

/** Whether a device is a light with an open failure: the repair form is offered wherever it is shown. */
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
  // On its page the banner and Maintenance offer it.
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

/** The actions that a device is offered with, in menu order. */
export function offeredActions(actor: Actor, device: ActionDevice, place: ActionPlace): SingleAction[] {
  return singleActions.filter((action) => offers[action](actor, device, place))
}

/** What can be done with many devices at once, in the order of the bar. */
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

/** Devices of one bulk call at most; more are done by a job that outlives the page. */
export const bulkAtOnce = 5000
/** Up to so many devices a page does by calls of its own, and shows how each fares; more are a worker's from the start. */
export const watchedLimit = 200
/** Tags that one bulk action adds or removes at most. */
export const bulkTags = 20
/** Changes of tags of more devices than this are not undone in one go: they would be held back from all others too long. */
export const undoLimit = 10_000
/** The same of what lights are given besides tags: each is written by itself. */
export const undoLightsLimit = 1000
/** Most devices of one bulk action. */
export const bulkLimit = 100_000

interface BulkRule {
  /** Whether the actor is offered it in a listing of these devices at all. */
  may(actor: Actor, products: readonly Product[]): boolean
  /** What each selected device must be, and how the reason calls those that are not. */
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
/** The same statuses as installed, under its own name, because the specification tells them apart (devices gaps A3). */
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

/** Selected devices that are alike: one, unless it says how many. */
interface Selected extends Pick<DeviceSubject, 'status'> {
  count?: number
}

export interface BulkOffer {
  action: BulkAction
  /** How many of the selected devices cannot take part. */
  unsuitable: number
  /** Why it cannot be done with this selection; undefined when it can. */
  reason?: string
}

/**
 * The bulk actions that the actor is offered in a listing of these products, each with the reason when the selection does
 * not allow it (devices specification, section 6).
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
 * Whether the actor may do a bulk action to devices of any kind at all; the server asks before it starts, and again while
 * it runs.
 */
export function mayDoInBulk(actor: Actor, action: BulkAction): boolean {
  return bulkRules[action].may(actor, productCodes)
}

/** Whether one device may take part in a bulk action, as the server asks it. */
export function fitsBulkAction(action: BulkAction, device: Pick<DeviceSubject, 'status'>): boolean {
  return bulkRules[action].fits(device)
}
/** The statuses of devices that may take part in a bulk action. */
export function statusesFor(action: BulkAction): DeviceStatus[] {
  return deviceStatuses.filter((status) => bulkRules[action].fits({ status }))
}

/** What a device that may not take part is. */
export function unfitText(action: BulkAction): string {
  return `The device is ${bulkRules[action].unfit}.`
}
