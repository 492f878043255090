import { recordTypesOf } from '@caretaker/rules/boilers/compliance.ts'
import type { ComplianceState } from '@caretaker/rules/compliance/due.ts'
import type { RecordType } from '@caretaker/rules/compliance/records.ts'
import { monitoringIn } from '@caretaker/rules/devices/monitoring.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'

/** The prefix of the device columns for each record type. */
export const columnsOf = { GasSafety: 'gas', WaterTreatment: 'water' } as const satisfies Record<RecordType, string>

type Columns = Record<'gas_due_at' | 'water_due_at', Date | null> &
  Record<'gas_state' | 'water_state', ComplianceState | null>

/** The compliance state of a device for a record type; null if it has no such records. */
export function complianceOf(type: RecordType, device: Columns & { product: Product; monitoring: string | null }) {
  const { product, monitoring } = device
  if (!recordTypesOf({ product, monitoring: monitoringIn(monitoring) }).includes(type)) return null
  const name = columnsOf[type]
  return { dueAt: device[`${name}_due_at`]?.toISOString() ?? null, state: device[`${name}_state`] ?? 'NoRecord' }
}
