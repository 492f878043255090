import type { Product } from '../devices/products.ts'
import { areaOf } from '../devices/products.ts'
import type { SettableKind } from './conditions.ts'
import { settableKinds } from './conditions.ts'

/** Device areas that heat or power a property; only these are disabled for non-payment. */
const paidFor: readonly string[] = ['boilers', 'misc']

/** The conditions that a user may set on a device of this product. */
export const settableKindsOf = (product: Product): SettableKind[] =>
  settableKinds.filter((kind) => kind !== 'disabledNonPayment' || paidFor.includes(areaOf(product)))

/** Details entered with a condition. */
export interface ConditionDetails {
  note?: string | undefined
  until?: string | undefined
  interimMeasure?: string | undefined
}

/** The error for each missing detail. */
export const missingDetailTexts = {
  note: 'Enter the reason for the isolation',
  until: 'Enter the last day of the isolation',
  interimMeasure: 'Enter the interim measure',
} as const satisfies Record<keyof ConditionDetails, string>

/**
 * The details required with a condition: an isolated device needs a reason and a last day, a light an interim measure.
 */
export const requiredDetails = (kind: string, product: Product): (keyof ConditionDetails)[] =>
  kind !== 'disabledOther'
    ? []
    : areaOf(product) === 'lighting'
      ? ['note', 'until', 'interimMeasure']
      : ['note', 'until']

/** The required details that are missing. */
export const missingDetails = (kind: string, product: Product, details: ConditionDetails): (keyof ConditionDetails)[] =>
  requiredDetails(kind, product).filter((field) => !details[field]?.trim())
