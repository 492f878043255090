import type { Changed } from '@caretaker/rules/audit/audit.ts'
import type { Recorded } from './audit.ts'

/** A device, with the name that the audit trail has for it. */
export interface NamedDevice {
  deviceId: string
  serial: string
}

/** Where a device stands. */
export interface Place {
  buildingId: string | null
  floorId: string | null
  propertyId: string | null
}

/** A change by a person, with the fields that changed, as the audit trail shows them. */
interface Audited extends NamedDevice {
  by: Recorded
  before: Changed | null
  after: Changed | null
}

export interface DeviceCreated extends Audited {
  type: 'DeviceCreated'
}
/** An import was undone: the device was never there. */
export interface DeviceRemoved extends Audited {
  type: 'DeviceRemoved'
  /** The home in which it was. */
  propertyId: string | null
}
export interface DeviceInstalled extends Audited {
  type: 'DeviceInstalled'
}
export interface DeviceUninstalled extends Audited {
  type: 'DeviceUninstalled'
  /** The home and the access rights tag that it has lost. */
  propertyId: string | null
  accessRightsTagId: string | null
}
export interface DeviceMoved extends Audited {
  type: 'DeviceMoved'
  from: Place
  to: Place
}
/** It moved on the plan of its floor: its building, floor and home are the same. */
export interface DeviceShifted extends Audited {
  type: 'DeviceShifted'
}
/** A list was imported that states fields of the device, its place and tags included. The import records it in the audit trail. */
export interface DeviceImported {
  type: 'DeviceImported'
  deviceId: string
  /** The home in which it was before, which may be the one in which it is. */
  leftPropertyId: string | null
}
export interface DeviceTagsChanged extends Audited {
  type: 'DeviceTagsChanged'
}
export interface DeviceAccessRightsTagChanged extends Audited {
  type: 'DeviceAccessRightsTagChanged'
  beforeTagId: string | null
  afterTagId: string | null
}

/** One of its tags was deleted or renamed, which is recorded of the tag and not of each device. */
export interface DeviceTagDeleted {
  type: 'DeviceTagDeleted'
  deviceId: string
}
export interface DeviceTagRenamed {
  type: 'DeviceTagRenamed'
  deviceId: string
}
/** The name or address of its building, floor or home is another one: the device itself has not moved. */
export interface DeviceAddressChanged {
  type: 'DeviceAddressChanged'
  deviceId: string
}
export interface DeviceStatusChanged {
  type: 'DeviceStatusChanged'
  deviceId: string
  before: string
  after: string
  at: Date
}
/** Its open conditions, or the reason of its status, are others; its status may be the same. */
export interface DeviceConditionsChanged {
  type: 'DeviceConditionsChanged'
  deviceId: string
}
export interface DeviceConnectionChanged {
  type: 'DeviceConnectionChanged'
  deviceId: string
  before: string | null
  after: string
  at: Date
}
/** It reported something that it had not reported before. */
export interface DeviceStateReported {
  type: 'DeviceStateReported'
  deviceId: string
  /** Whether lists show it. */
  isListed: boolean
  /** What a boiler's device watches, where that is another than before. */
  monitoring: string | null
}
/** A battery is empty since then, or went on being so. */
export interface DeviceBatteryEmptied {
  type: 'DeviceBatteryEmptied'
  deviceId: string
  at: Date
}
/** What is wanted of it is something else. */
export interface DeviceDesiredStateChanged {
  type: 'DeviceDesiredStateChanged'
  deviceId: string
}
/** Its last test, or last full test, is another one. */
export interface DeviceLastTestChanged {
  type: 'DeviceLastTestChanged'
  deviceId: string
}
/** When its gas check or water treatment is due is another time, or they are in another state. */
export interface DeviceChecksChanged {
  type: 'DeviceChecksChanged'
  deviceId: string
}

export type DeviceEvent =
  | DeviceCreated
  | DeviceRemoved
  | DeviceInstalled
  | DeviceUninstalled
  | DeviceMoved
  | DeviceShifted
  | DeviceImported
  | DeviceTagsChanged
  | DeviceAccessRightsTagChanged
  | DeviceTagDeleted
  | DeviceTagRenamed
  | DeviceAddressChanged
  | DeviceStatusChanged
  | DeviceConditionsChanged
  | DeviceConnectionChanged
  | DeviceStateReported
  | DeviceBatteryEmptied
  | DeviceDesiredStateChanged
  | DeviceLastTestChanged
  | DeviceChecksChanged
