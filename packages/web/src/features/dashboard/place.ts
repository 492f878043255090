import type { WorkDevice } from '@caretaker/contract/dashboard.ts'

/** The place of a device in short: building and room, or the street of its property with the fault. */
export function placeText({ building, room, address, propertyReference, name, faultCode, reason }: WorkDevice): string {
  const home = address?.split(',')[0] ?? propertyReference
  const where = building ? [building, room ?? name] : [home ?? name, reason ?? faultCode]
  return where.filter(Boolean).join(', ')
}
