import type { RecordType } from '../compliance/records.ts'
import { recordTypes } from '../compliance/records.ts'
import type { Monitoring } from '../devices/monitoring.ts'
import type { Product } from '../devices/products.ts'
import { productCodes } from '../devices/products.ts'

/** Products that may burn gas, and products that heat by water; others have no records. */
const having: Record<RecordType, readonly Product[]> = {
  GasSafety: ['BC', 'BX'],
  WaterTreatment: ['BC', 'BX', 'ASHP', 'HIU'],
}

/**
 * A remote control on a heat pump has no gas check; a surveyor cube has no heating (estate specification, section 2.3).
 */
export const withoutRecords: Record<RecordType, readonly Monitoring[]> = {
  GasSafety: ['HeatPump', 'None'],
  WaterTreatment: ['None'],
}

/** The record types of a device; if it is not known what it monitors, its product's record types. */
export function recordTypesOf({
  product,
  monitoring,
}: {
  product: Product
  monitoring: Monitoring | null
}): RecordType[] {
  return recordTypes.filter(
    (type) => having[type].includes(product) && (monitoring === null || !withoutRecords[type].includes(monitoring)),
  )
}

/** The products that have records of a type. */
export function productsWithRecords(type: RecordType): Product[] {
  return productCodes.filter((product) => having[type].includes(product))
}
