import type { Product } from '../devices/products.ts'
import { areaOf } from '../devices/products.ts'
import type { SettableKind } from './conditions.ts'
import { settableKinds } from './conditions.ts'

/** The areas of devices that heat or power a home: only these are switched off because somebody has not paid. */
const paidFor: readonly string[] = ['boilers', 'misc']

/** What a person may say of a device of this product. */
export const settableKindsOf = (product: Product): SettableKind[] =>
  settableKinds.filter((kind) => kind !== 'disabledNonPayment' || paidFor.includes(areaOf(product)))

/** What a person says together with a condition. */
export interface Said {
  note?: string | undefined
  until?: string | undefined
  interimMeasure?: string | undefined
}

/** What each says where it is required. */
export const saidMissing = {
  note: 'Give the reason of the isolation',
  until: 'Enter the last day of the isolation',
  interimMeasure: 'Enter what is done until then',
} as const satisfies Record<keyof Said, string>

/** What is required with a condition: a device is isolated for a reason and until a day, and a light with an interim measure. */
export const requiredWith = (kind: string, product: Product): (keyof Said)[] =>
  kind !== 'disabledOther'
    ? []
    : areaOf(product) === 'lighting'
      ? ['note', 'until', 'interimMeasure']
      : ['note', 'until']

/** The fields that a condition is said without although it requires them. */
export const missingWith = (kind: string, product: Product, said: Said): (keyof Said)[] =>
  requiredWith(kind, product).filter((field) => !said[field]?.trim())
