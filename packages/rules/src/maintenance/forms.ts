import { listings } from '../devices/list.ts'
import type { Product } from '../devices/products.ts'
import { areaOf, productCodes, productsOfFamily } from '../devices/products.ts'

/** What an engineer can have replaced or repaired in an emergency light. */
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

/** Most characters of what a repair form and a note say. */
export const descriptionLength = 2_000
export const noteLength = 5_000

/** The entries that people write into a device's file (devices specification, section 3). */
export const formCategories = ['Repair', 'Note'] as const
export type FormCategory = (typeof formCategories)[number]

/** What forms of a device's page say of how they fared (devices specification, section 8). */
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

/** Kinds of devices whose repair forms a client can ask for together (core specification, section 7.1). */
export const formFamilies = ['emered', 'boiler', 'liftMonitor', 'peopleCounter', 'network'] as const
export type FormFamily = (typeof formFamilies)[number]

const products: Record<FormFamily, readonly Product[]> = {
  emered: productCodes.filter((code) => areaOf(code) === 'lighting'),
  // A heat pump and what is connected to a boiler are repaired from the same page.
  boiler: listings.Boilers.products,
  liftMonitor: productsOfFamily('liftMonitor'),
  peopleCounter: productsOfFamily('peopleCounter'),
  network: productCodes.filter((code) => areaOf(code) === 'networking'),
}

/** The products whose repair forms are asked for together. */
export function productsOfForms(family: FormFamily): readonly Product[] {
  return products[family]
}

/** 'Battery, lamp': what was repaired, in words; '' where nothing is ticked. */
export function partsText(parts: Readonly<Partial<Record<LightPart, boolean>>>): string {
  const words = lightParts.filter((part) => parts[part]).map((part) => lightPartLabels[part])
  return words.map((word, at) => (at === 0 ? word : word.toLowerCase())).join(', ')
}
