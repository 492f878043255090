import type { WorkDevice } from '@caretaker/contract/dashboard.ts'

/** Where a device is, as short as a person on site would say it: its building and room, or its home's street and fault. */
export function placeText({ building, room, address, propertyReference, name, faultCode, reason }: WorkDevice): string {
  const home = address?.split(',')[0] ?? propertyReference
  const where = building ? [building, room ?? name] : [home ?? name, reason ?? faultCode]
  return where.filter(Boolean).join(', ')
}
