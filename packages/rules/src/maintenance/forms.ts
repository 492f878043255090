import { listings } from '../devices/list.ts'
import type { Product } from '../devices/products.ts'
import { areaOf, productCodes, productsOfFamily } from '../devices/products.ts'

/** Parts of an emergency light that can be replaced or repaired. */
export const lightParts = ['battery', 'inverter', 'lamp', 'luminaire'] as const
export type LightPart = (typeof lightParts)[number]
export const isLightPart = (part: string): part is LightPart => lightParts.some((one) => one === part)
/** The documented form has no luminaire. */
export type LightParts = Record<Exclude<LightPart, 'luminaire'>, boolean> & { luminaire?: boolean }

export const lightPartLabels: Record<LightPart, string> = {
  battery: 'Battery',
  inverter: 'Inverter',
  lamp: 'Lamp',
  luminaire: 'Luminaire',
}

/** Longest text of a repair form or note, in characters. */
export const descriptionLength = 2_000
export const noteLength = 5_000

/** Manual entries in a device's records (devices specification, section 3). */
export const formCategories = ['Repair', 'Note'] as const
export type FormCategory = (typeof formCategories)[number]

/** Result messages of the forms on a device page (devices specification, section 8). */
export const formTexts = {
  submitted: 'Form has successfully been submitted',
  repaired: 'Device marked as repaired and flick test queued',
  empty: 'Form has not been completed',
  failed: 'Error! Please try again. If problem persists please contact support',
} as const

/** Whether anything was ticked or typed. */
export function isCompleted(form: Readonly<Record<string, unknown>>): boolean {
  return Object.values(form).some((value) => (typeof value === 'string' ? value.trim() !== '' : value === true))
}

/** Device families for queries of repair forms (core specification, section 7.1). */
export const formFamilies = ['emered', 'boiler', 'liftMonitor', 'peopleCounter', 'network'] as const
export type FormFamily = (typeof formFamilies)[number]

const products: Record<FormFamily, readonly Product[]> = {
  emered: productCodes.filter((code) => areaOf(code) === 'lighting'),
  // Heat pumps and devices connected to a boiler are repaired from the same page.
  boiler: listings.Boilers.products,
  liftMonitor: productsOfFamily('liftMonitor'),
  peopleCounter: productsOfFamily('peopleCounter'),
  network: productCodes.filter((code) => areaOf(code) === 'networking'),
}

/** The products of a device family. */
export function productsOfForms(family: FormFamily): readonly Product[] {
  return products[family]
}

/** 'Battery, lamp': the repaired parts in words; '' if none is ticked. */
export function partsText(parts: Readonly<Partial<Record<LightPart, boolean>>>): string {
  const words = lightParts.filter((part) => parts[part]).map((part) => lightPartLabels[part])
  return words.map((word, at) => (at === 0 ? word : word.toLowerCase())).join(', ')
}
