import type { Occurrence } from '@caretaker/rules/conditions/conditions.ts'
import { conditionRules, stages } from '@caretaker/rules/conditions/conditions.ts'
import { settableKindsOf } from '@caretaker/rules/conditions/settable.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { familyOf } from '@caretaker/rules/devices/products.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'

/**
 * The occurrences of a new device that is added with this status. A device in service has had no contact yet, and a
 * light no test.
 */
export function begun(status: DeviceStatus, product: Product, by: { id: string | null; name: string }): Occurrence[] {
  const at = Date.now()
  const evidence = { by }
  const to = stages.find((stage) => conditionRules[stage].status === status)
  if (to) return [{ what: 'moved', at, to, evidence }]
  const installed: Occurrence = { what: 'installed', at, tests: familyOf(product) === 'emered', heard: false }
  const kind = settableKindsOf(product).find((one) => conditionRules[one].status === status)
  if (kind) return [installed, { what: 'set', at, kind, evidence }]
  if (status === 'RepairedEquipment' || status === 'RepairedDevice')
    return [installed, { what: 'repair', at, part: status === 'RepairedDevice' ? 'device' : 'equipment', evidence }]
  return [installed]
}
