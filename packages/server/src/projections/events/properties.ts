/** The events of a property whose row is written. Details and places come with the audit entry of the caller. */
export const propertyEventTypes = [
  'PropertyAdded',
  'PropertyChanged',
  /** An import that had added it was undone. */
  'PropertyRemoved',
  'PropertyAccessRightsTagRemoved',
  /** The state of its gas check or water treatment, or of one of its appliances, changed. */
  'PropertyChecksChanged',
  /** The worst damp level of its rooms changed. */
  'PropertyDampChanged',
  'PropertyHeatingChanged',
  /** A room came near freezing, or is warm enough again. */
  'PropertyFrostChanged',
  /** The worst status of its devices, or the set of their statuses, changed. */
  'PropertyStatusChanged',
  /** The tags of its devices changed: alert rules cover properties by these tags. */
  'PropertyDeviceTagsChanged',
] as const
type PropertyEventType = (typeof propertyEventTypes)[number]

export type PropertyEvent = {
  [Type in PropertyEventType]: { type: Type; propertyId: string }
}[PropertyEventType]
