import type { Audited } from './audit.ts'

/** A device with its name in the audit log. */
export interface NamedDevice {
  deviceId: string
  serial: string
}

/** The place of a device. */
export interface Place {
  buildingId: string | null
  floorId: string | null
  propertyId: string | null
}

/** A person's change to a device. */
export interface AuditedDevice extends NamedDevice, Audited {}

export interface DeviceCreated extends AuditedDevice {
  type: 'DeviceCreated'
}
/** An import that had added the device was undone. */
export interface DeviceRemoved extends AuditedDevice {
  type: 'DeviceRemoved'
  /** The property that it was in. */
  propertyId: string | null
}
export interface DeviceInstalled extends AuditedDevice {
  type: 'DeviceInstalled'
}
export interface DeviceUninstalled extends AuditedDevice {
  type: 'DeviceUninstalled'
  /** The property and the access rights tag that it has lost. */
  propertyId: string | null
  accessRightsTagId: string | null
}
export interface DeviceMoved extends AuditedDevice {
  type: 'DeviceMoved'
  from: Place
  to: Place
}
/** It moved on its floor plan: building, floor and property are unchanged. */
export interface DeviceShifted extends AuditedDevice {
  type: 'DeviceShifted'
}
/** An imported list sets fields of the device, including place and tags. The import records it in the audit log. */
export interface DeviceImported {
  type: 'DeviceImported'
  deviceId: string
  /** Its former property, which may be the current one. */
  leftPropertyId: string | null
}
export interface DeviceTagsChanged extends AuditedDevice {
  type: 'DeviceTagsChanged'
}
export interface DeviceAccessRightsTagChanged extends AuditedDevice {
  type: 'DeviceAccessRightsTagChanged'
  beforeTagId: string | null
  afterTagId: string | null
}

/** One of its tags was deleted or renamed; the audit entry belongs to the tag, not to each device. */
export interface DeviceTagDeleted {
  type: 'DeviceTagDeleted'
  deviceId: string
}
export interface DeviceTagRenamed {
  type: 'DeviceTagRenamed'
  deviceId: string
}
/** The name or address of its building, floor or property changed; the device itself did not move. */
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
/** Its open conditions or the reason for its status changed; the status may be the same. */
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
/** It reported values that differ from before. */
export interface DeviceStateReported {
  type: 'DeviceStateReported'
  deviceId: string
  /** Whether lists show it. */
  isListed: boolean
  /** The equipment that a boiler's device monitors, if it changed. */
  monitoring: string | null
}
/** The battery was found empty at that time, again or for the first time. */
export interface DeviceBatteryEmptied {
  type: 'DeviceBatteryEmptied'
  deviceId: string
  at: Date
}
/** Its desired state changed. */
export interface DeviceDesiredStateChanged {
  type: 'DeviceDesiredStateChanged'
  deviceId: string
}
/** Its last test or last full test changed. */
export interface DeviceLastTestChanged {
  type: 'DeviceLastTestChanged'
  deviceId: string
}
/** The due time or state of its gas check or water treatment changed. */
export interface DeviceChecksChanged {
  type: 'DeviceChecksChanged'
  deviceId: string
}

/** It has its first connection key, or a list of an import made it a new one. */
export interface DeviceKeyMade extends AuditedDevice {
  type: 'DeviceKeyMade'
}
export interface DeviceKeyReplaced extends AuditedDevice {
  type: 'DeviceKeyReplaced'
}
export interface DeviceKeyRevoked extends AuditedDevice {
  type: 'DeviceKeyRevoked'
}
export type DeviceKeyEvent = DeviceKeyMade | DeviceKeyReplaced | DeviceKeyRevoked

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
  | DeviceKeyEvent
