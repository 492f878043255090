import type { Product } from './products.ts'
import { isProduct, productCodes } from './products.ts'

/** A parsed serial number: product code, model, middle digits, checksum. */
export interface SerialNumber {
  /** The longest known code at its start, otherwise the first two characters (core gaps A4). */
  productCode: string
  /** The product of the code, if known. */
  product: Product | undefined
  model: string
  number: string
  /** Displayed only; never a reason for rejection (devices gaps B21). */
  checksum: string
}

const byLength = [...productCodes].sort((a, b) => b.length - a.length)

export function splitSerialNumber(serial: string): SerialNumber {
  const known = byLength.find((code) => serial.toUpperCase().startsWith(code))
  const productCode = known ?? serial.slice(0, 2)
  const rest = serial.slice(productCode.length)
  return {
    productCode,
    product: isProduct(productCode) ? productCode : undefined,
    model: rest.slice(0, 1),
    number: rest.slice(1, -1),
    checksum: rest.slice(1).slice(-1),
  }
}
