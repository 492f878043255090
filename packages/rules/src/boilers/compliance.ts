import type { RecordType } from '../compliance/records.ts'
import { recordTypes } from '../compliance/records.ts'
import type { Product } from '../devices/products.ts'
import { productCodes } from '../devices/products.ts'

/** What burns gas, and what heats by water: of nothing else there are records. */
const having: Record<RecordType, readonly Product[]> = {
  GasSafety: ['BC', 'BX'],
  WaterTreatment: ['BC', 'BX', 'ASHP', 'HIU'],
}

/** The records that there are of a product. */
export function recordTypesOf(product: Product): RecordType[] {
  return recordTypes.filter((type) => having[type].includes(product))
}

/** The products that there are records of a type of. */
export function productsWithRecords(type: RecordType): Product[] {
  return productCodes.filter((product) => recordTypesOf(product).includes(type))
}
