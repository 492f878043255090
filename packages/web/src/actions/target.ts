import type { ConnectedDevice } from '@caretaker/contract/boilers.ts'
import type { Device, DeviceRow } from '@caretaker/contract/devices.ts'
import type { PropertyDevice } from '@caretaker/contract/properties.ts'
import type { Tag } from '@caretaker/contract/tags.ts'
import type { ActionDevice, ActionPlace, SingleAction } from '@caretaker/rules/actions/actions.ts'
import { offeredActions } from '@caretaker/rules/actions/actions.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { listingOf } from '@caretaker/rules/devices/list.ts'
import { can } from '@caretaker/rules/rights/can.ts'

/** The part of a device that its actions need, from a row or from its page. */
export interface ActionTarget extends ActionDevice {
  serialNumber: string
  name: string
  accessRightsTag: { id: string; displayName: string } | null
  /** Known only for rows: a page has only names and ids. */
  tags: readonly Tag[]
  parentId: string | null
  location: string | null
  locationDetails: string | null
  powerClamps: Readonly<Record<string, string>> | null
  /** The server's read-only flag, which applies in addition to the rules. */
  isReadOnly: boolean
  canUpdateAccessRightsTag: boolean
  canUninstall?: boolean
}

export function targetOfRow(row: DeviceRow): ActionTarget {
  return {
    deviceId: row.deviceId,
    product: row.deviceProductId,
    status: row.deviceStatus,
    inWholesale: row.deviceInWholesale,
    isOfConnection: row.deviceIsOfConnection,
    accessRightsTags: row.deviceAccessRightsTag ? [row.deviceAccessRightsTag.id] : [],
    accessRightsTag: row.deviceAccessRightsTag,
    tags: row.deviceTags,
    fault: row.deviceFault,
    remoteResetSupported: row.deviceRemoteResetSupported,
    parentProduct: row.deviceParentProductId,
    parentId: row.deviceParentId,
    isThermostatWithHomeHub: row.deviceIsThermostatWithHomeHub,
    serialNumber: row.deviceSerial,
    name: row.deviceDisplayName,
    location: row.deviceLocation,
    locationDetails: row.deviceLocationDetails,
    powerClamps: null,
    isReadOnly: row.userHasReadOnlyAccess,
    canUpdateAccessRightsTag: row.userCanUpdateAccessRightsTag,
  }
}

export function targetOfDevice(device: Device): ActionTarget {
  return {
    deviceId: device.deviceId,
    product: device.productId,
    status: device.deviceStatus,
    inWholesale: device.inWholesale,
    isOfConnection: device.isOfConnection,
    accessRightsTags: device.accessRightsTag ? [device.accessRightsTag.id] : [],
    accessRightsTag: device.accessRightsTag,
    tags: device.tags.map((id, index) => ({ id, name: device.tagNames[index] ?? id })),
    fault: device.fault,
    remoteResetSupported: device.remoteResetSupported,
    parentProduct: device.parent?.productId ?? null,
    parentId: device.parent?.deviceId ?? null,
    isThermostatWithHomeHub: device.isThermostatWithHomeHub,
    serialNumber: device.serialNumber,
    name: device.deviceName,
    location: device.location,
    locationDetails: device.locationDetails,
    powerClamps: device.powerClamps,
    isReadOnly: device.userHasReadOnlyAccess,
    canUpdateAccessRightsTag: device.userCanUpdateAccessRightsTag,
  }
}

/** A device in the list of those connected to a module. */
export function targetOfConnected(device: ConnectedDevice): ActionTarget {
  return {
    deviceId: device.deviceId,
    product: device.productId,
    status: device.status,
    inWholesale: device.inWholesale,
    accessRightsTags: device.accessRightsTag ? [device.accessRightsTag.id] : [],
    accessRightsTag: device.accessRightsTag,
    tags: [],
    fault: device.fault,
    parentProduct: device.parentProductId,
    parentId: device.parentId,
    serialNumber: device.serialNumber,
    name: device.deviceName,
    location: device.location,
    locationDetails: device.locationDetails,
    powerClamps: device.powerClamps,
    isReadOnly: device.userHasReadOnlyAccess,
    canUpdateAccessRightsTag: false,
  }
}

/** A device on the page of its property. */
export function targetOfHome(device: PropertyDevice): ActionTarget {
  return {
    deviceId: device.deviceId,
    product: device.product,
    status: device.status,
    inWholesale: device.inWholesale,
    isOfConnection: device.isOfConnection,
    accessRightsTags: device.accessRightsTag ? [device.accessRightsTag.id] : [],
    accessRightsTag: device.accessRightsTag,
    tags: device.tags,
    fault: device.fault,
    remoteResetSupported: device.remoteResetSupported,
    parentProduct: device.parentProductId,
    parentId: device.parentId,
    isThermostatWithHomeHub: device.isThermostatWithHomeHub,
    serialNumber: device.serialNumber,
    name: device.name,
    location: device.location,
    locationDetails: device.locationDetails,
    powerClamps: device.powerClamps,
    isReadOnly: device.userHasReadOnlyAccess,
    canUpdateAccessRightsTag: device.userCanUpdateAccessRightsTag,
    canUninstall: device.canUninstall,
  }
}

/** The display name of the device. */
export function nameOf(target: Pick<ActionTarget, 'name' | 'serialNumber'>): string {
  return target.name ? `${target.name} (${target.serialNumber})` : target.serialNumber
}

/** Whether a product is shown on the screens behind NewListingView. */
export function isNewerScreen(actor: Actor, product: Product): boolean {
  return actor.features.includes('NewListingView') && listingOf(product) === 'Boilers'
}

/** Whether both the rules and the server's flag allow the actor to edit the device. */
export function mayEdit(actor: Actor, right: 'place device' | 'equip light', device: Device): boolean {
  return !device.userHasReadOnlyAccess && can(actor, right, targetOfDevice(device))
}

/** Tags belong to managers, not to engineers who edit devices of the area. */
const leavesDevice: readonly SingleAction[] = ['update tags']

/** The actions that the rules offer and the server's flag allows, in menu order. */
export function actionsFor(actor: Actor, target: ActionTarget, on: ActionPlace['on']): SingleAction[] {
  const newer = isNewerScreen(actor, target.product)
  return offeredActions(actor, target, { on, newer }).filter((action) => {
    if (target.isReadOnly && !leavesDevice.includes(action)) return false
    if (action === 'uninstall' && target.canUninstall === false) return false
    return action !== 'update access rights tag' || newer || target.canUpdateAccessRightsTag
  })
}
