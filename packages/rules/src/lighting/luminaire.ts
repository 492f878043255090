import { faultOf, isAtLeast, isNotZero, isNumeric, numberIn } from '../forms/validators.ts'
import { batteryTypes } from './equipment.ts'

/** The label of a luminaire: the same six fields on a light and on a standard luminaire. */
export interface Luminaire {
  name: string
  lampType: string
  inverterType: string
  batteryType: BatteryType
  /** V */
  batteryVoltage: number
  /** Ah */
  batteryCapacity: number
}
export type BatteryType = (typeof batteryTypes)[number]
export type LuminaireField = keyof Luminaire

/** The fields in the order of the form. */
export const luminaireFields = [
  'name',
  'lampType',
  'inverterType',
  'batteryType',
  'batteryVoltage',
  'batteryCapacity',
] as const satisfies readonly LuminaireField[]

export const luminaireLabels: Record<LuminaireField, string> = {
  name: 'Name',
  lampType: 'Lamp type',
  inverterType: 'Inverter type',
  batteryType: 'Battery type',
  batteryVoltage: 'Battery voltage',
  batteryCapacity: 'Battery capacity',
}

/** The form values: all texts, possibly empty. */
export type LuminaireTexts = Record<LuminaireField, string>

/** Longest name or type, in characters. */
export const luminaireText = 100

const isBatteryType = (text: string): text is BatteryType => (batteryTypes as readonly string[]).includes(text)

/** Limits of battery voltage (V) and capacity (Ah); `above` and `below` are exclusive. */
export const batteryRanges = { voltage: { above: 2.6, most: 12 }, capacity: { above: 0, below: 20 } } as const

/** Extended voltage limits in V, if enabled by the client: from two-cell packs to central supplies. */
export const wideVoltage = { least: 2.4, most: 24 } as const

/** The voltages that a client accepts: the specification's voltages unless extended. */
export interface BatteryLimits {
  isWide: boolean
}
export const usualLimits: BatteryLimits = { isWide: false }

/** The accepted voltages, as a hint below the field. */
export const voltageHint = ({ isWide }: BatteryLimits): string =>
  isWide ? `From ${wideVoltage.least} V up to ${wideVoltage.most} V` : 'Above 2.6 V, up to 12 V'

/** The validation error of a numeric voltage; undefined if there is none. */
export function voltageFault(volts: number, { isWide }: BatteryLimits): string | undefined {
  if (isWide) {
    if (volts < wideVoltage.least) return `Battery Voltage must be at least ${wideVoltage.least}V`
    return volts > wideVoltage.most ? `Battery Voltage can not be greater than ${wideVoltage.most}V` : undefined
  }
  if (volts <= batteryRanges.voltage.above) return 'Battery Voltage must be greater than 2.6V'
  return volts > batteryRanges.voltage.most ? 'Battery Voltage can not be greater than 12V' : undefined
}

/** Plain decimal notation, however small the number. */
const digits = new Intl.NumberFormat('en-GB', { useGrouping: false, maximumFractionDigits: 20 })

/** The validation error of a field, as worded in the devices specification, section 5; undefined if there is none. */
export function luminaireFault(
  field: LuminaireField,
  value: string | number,
  limits: BatteryLimits = usualLimits,
): string | undefined {
  const text = typeof value === 'number' ? digits.format(value) : value.trim()
  switch (field) {
    case 'name':
    case 'lampType':
    case 'inverterType':
      return text === '' ? `${luminaireLabels[field]} is required` : undefined
    case 'batteryType':
      if (text === '') return 'Battery type is required'
      return isBatteryType(text) ? undefined : 'Please select battery type from list'
    case 'batteryVoltage': {
      if (text === '') return 'Battery Voltage is required'
      return faultOf(text, [
        isNumeric('Battery Voltage needs to be a number'),
        (volts) => voltageFault(Number(volts), limits),
      ])
    }
    case 'batteryCapacity': {
      if (text === '') return 'Battery Capacity is required'
      const tooSmall = 'Battery Capacity must be greater than 0'
      return faultOf(text, [
        isNumeric('Battery Capacity needs to be a number'),
        isNotZero(tooSmall),
        isAtLeast(batteryRanges.capacity.above, tooSmall),
        (hours) =>
          Number(hours) >= batteryRanges.capacity.below ? 'Battery Capacity must be less than 20Ah' : undefined,
      ])
    }
  }
}

/** The validation errors of a luminaire, by field. */
export function luminaireFaults(texts: LuminaireTexts, limits: BatteryLimits = usualLimits): Partial<LuminaireTexts> {
  return Object.fromEntries(
    luminaireFields.flatMap((field) => {
      const fault = luminaireFault(field, texts[field], limits)
      return fault === undefined ? [] : [[field, fault]]
    }),
  )
}

const lineOf = (text: string) => text.trim().replaceAll(/\s+/g, ' ')

/** A luminaire as form values. */
export function luminaireTexts(luminaire: Luminaire): LuminaireTexts {
  return Object.fromEntries(luminaireFields.map((field) => [field, String(luminaire[field])])) as LuminaireTexts
}

/** The luminaire of valid form values. */
export function luminaireOf(texts: LuminaireTexts): Luminaire {
  return {
    name: lineOf(texts.name),
    lampType: lineOf(texts.lampType),
    inverterType: lineOf(texts.inverterType),
    batteryType: texts.batteryType as BatteryType,
    batteryVoltage: Number(texts.batteryVoltage),
    batteryCapacity: Number(texts.batteryCapacity),
  }
}

/** The changed fields, in order. */
export function luminaireChanges(before: LuminaireTexts, after: LuminaireTexts): LuminaireField[] {
  const isNumber = (field: LuminaireField) => field === 'batteryVoltage' || field === 'batteryCapacity'
  return luminaireFields.filter((field) => {
    const [was, is] = [before[field].trim(), after[field].trim()]
    // 4 and 4.0 are equal.
    const [a, b] = isNumber(field) ? [numberIn(was), numberIn(is)] : []
    return a !== undefined && b !== undefined ? a !== b : was !== is
  })
}

/** Ignores letter case. */
export function isNameTaken(name: string, others: readonly Pick<Luminaire, 'name'>[]): boolean {
  const key = (text: string) => lineOf(text).toLowerCase()
  return others.some((other) => key(other.name) === key(name))
}
export const nameTaken = 'Name already being used'

/** The most common voltage among the client's standard luminaires with such a battery; undefined if there are none. */
export function usualVoltage(
  type: BatteryType,
  standards: readonly Pick<Luminaire, 'batteryType' | 'batteryVoltage'>[],
): number | undefined {
  const counts = Map.groupBy(
    standards.filter(({ batteryType }) => batteryType === type),
    ({ batteryVoltage }) => batteryVoltage,
  )
  const [most] = [...counts].sort(([a, some], [b, others]) => others.length - some.length || a - b)
  return most?.[0]
}

/**
 * When a light is lit: always, only if the mains supply fails, or some lamps always and others only then (EN
 * 60598-2-22).
 */
export const operatingModes = ['maintained', 'nonMaintained', 'combined'] as const
export type OperatingMode = (typeof operatingModes)[number]

export const operatingModeWords: Record<OperatingMode, string> = {
  maintained: 'Maintained',
  nonMaintained: 'Non-maintained',
  combined: 'Combined',
}

/** Longest description of the key switch's location, in characters. */
export const keySwitchText = 100

/** The circuits of a light that its monitor covers (devices specification, section 3). */
export const monitoredLedCircuits = ['emergency', 'maintained', 'single'] as const
export type MonitoredLedCircuit = (typeof monitoredLedCircuits)[number]

export const monitoredLedCircuitWords: Record<MonitoredLedCircuit, string> = {
  emergency: 'Emergency circuit only',
  maintained: 'Maintained lighting circuit only',
  single: 'Single circuit monitoring emergency and maintained',
}
