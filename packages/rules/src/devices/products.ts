import type { Area } from '../identity/roles.ts'

/**
 * Product codes at the start of a serial number (core specification, section 3), with the permission area of the device
 * type (section 6: lighting, boilers, lift monitors, people counters, networking; all others misc).
 */
export const products = {
  EM: { name: 'Emergency light', area: 'lighting', family: 'emered' },
  EL: { name: 'Emergency light', area: 'lighting', family: 'emered' },
  BC: { name: 'Boiler', area: 'boilers', family: 'boiler' },
  BX: { name: 'Boiler control module', area: 'boilers', family: 'boiler' },
  ASHP: { name: 'Air source heat pump', area: 'misc', family: 'airSourceHeatPump' },
  HIU: { name: 'Heat interface unit', area: 'misc', family: 'heatInterfaceUnit' },
  AZ: { name: 'Zigbee autofill', area: 'misc', family: 'autofill' },
  AF: { name: 'Autofill', area: 'misc', family: 'autofill' },
  MG: { name: 'MQTT gateway', area: 'networking', family: 'gateway' },
  ZG: { name: 'Zigbee gateway', area: 'networking', family: 'gateway' },
  ZR: { name: 'Zigbee extender', area: 'networking', family: 'gateway' },
  MD: { name: 'Multi-dot', area: 'misc', family: 'multiDot' },
  ED: { name: 'Enviro-dot', area: 'misc', family: 'enviroDot' },
  PM: { name: 'Power meter', area: 'misc', family: 'powerMeter' },
  PS: { name: 'Power switch', area: 'misc', family: 'powerSwitch' },
  TH: { name: 'V-Stat', area: 'misc', family: 'vStat' },
  ZH: { name: 'Home hub', area: 'misc', family: 'homeHub' },
  LM: { name: 'Lift monitor', area: 'liftMonitors', family: 'liftMonitor' },
  PC: { name: 'People counter', area: 'peopleCounters', family: 'peopleCounter' },
  ADEY: { name: 'Third-party device', area: 'misc', family: 'thirdParty' },
} as const satisfies Record<string, { name: string; area: Area; family: string }>

export type Product = keyof typeof products
export type Family = (typeof products)[Product]['family']

export const productCodes = Object.keys(products) as Product[]

export function isProduct(code: string): code is Product {
  return Object.hasOwn(products, code)
}

/** The permission area of a product. */
export function areaOf(product: Product): Area {
  return products[product].area
}

export function familyOf(product: Product): Family {
  return products[product].family
}

/**
 * Whether devices of this product come from another company's system and are display-only: not editable and not on the
 * map (devices specification, sections 2 and 6, which name the restriction without listing the types).
 */
export function isRestrictedType(product: Product): boolean {
  return familyOf(product) === 'thirdParty'
}

/** The gateways of lights and extenders. */
export const gateways = ['MG', 'ZG'] as const satisfies readonly Product[]

export function productsOfFamily(family: Family): Product[] {
  return productCodes.filter((code) => products[code].family === family)
}

/** The device families with a summary, in dashboard order. */
export const summaryFamilies = [
  'emered',
  'boiler',
  'airSourceHeatPump',
  'heatInterfaceUnit',
  'autofill',
  'multiDot',
  'enviroDot',
  'powerMeter',
  'gateway',
  'vStat',
] as const satisfies readonly Family[]
export type SummaryFamily = (typeof summaryFamilies)[number]
