import type { RecordType } from '../compliance/records.ts'
import { recordTypes } from '../compliance/records.ts'
import type { Monitoring } from '../devices/monitoring.ts'
import type { Product } from '../devices/products.ts'
import { productCodes } from '../devices/products.ts'

/** What may burn gas, and what heats by water: of nothing else there are records. */
const having: Record<RecordType, readonly Product[]> = {
  GasSafety: ['BC', 'BX'],
  WaterTreatment: ['BC', 'BX', 'ASHP', 'HIU'],
}

/** A remote control that watches a heat pump has no gas to be checked, a surveyor cube no heating at all (estate specification, section 2.3). */
export const withoutRecords: Record<RecordType, readonly Monitoring[]> = {
  GasSafety: ['HeatPump', 'None'],
  WaterTreatment: ['None'],
}

/** The records that there are of a device; of one of which nobody has said what it watches, those of its product. */
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

/** The products that there are records of a type of. */
export function productsWithRecords(type: RecordType): Product[] {
  return productCodes.filter((product) => having[type].includes(product))
}
