/** Battery types (core specification, section 3): the same for every tenant. */
export const batteryTypes = [
  'Alkaline',
  'Lead Acid',
  'Lithium Ion',
  'Lithium Polymer',
  'Nickel Cadmium',
  'Nickel Metal Hydride',
  'Zinc Air',
] as const

/** Choices for emergency equipment. Capacities in Ah, voltages in V. */
export interface EquipmentLists {
  inverterTypes: string[]
  lampTypes: string[]
  batteryTypes: string[]
  batteryCapacity: number[]
  batteryVoltage: number[]
}
export type EquipmentListName = keyof EquipmentLists

const usual: Omit<EquipmentLists, 'batteryTypes'> = {
  inverterTypes: ['Integral', 'Remote', 'Self-contained', 'Central battery'],
  lampTypes: ['LED', 'Compact fluorescent', 'T5 fluorescent', 'T8 fluorescent', 'Tungsten halogen'],
  batteryCapacity: [0.6, 1, 1.5, 2, 2.5, 3, 4, 7, 12],
  batteryVoltage: [3.2, 3.6, 4.8, 6, 6.4, 7.2, 9.6, 12],
}

/** The lists of a tenant: its own, or else the default. */
export function equipmentLists(own: Partial<Omit<EquipmentLists, 'batteryTypes'>> = {}): EquipmentLists {
  return { ...usual, ...own, batteryTypes: [...batteryTypes] }
}
