import type { Condition } from '@caretaker/contract/conditions.ts'
import type { Equipment } from '@caretaker/contract/equipment.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAt, dayFrom } from '@caretaker/rules/calendar/days.ts'
import { localTimeAt } from '@caretaker/rules/lighting/plan.ts'
import type { LightPart } from '@caretaker/rules/maintenance/forms.ts'
import { formTexts, lightParts } from '@caretaker/rules/maintenance/forms.ts'
import { longestPhoto, repairTexts, repairTimeFault } from '@caretaker/rules/maintenance/repairs.ts'
import { photoFault } from '@caretaker/rules/properties/records.ts'
import type { RepairBody, RepairPhoto } from './waiting-repairs.ts'

/** The fields of the repair form, as stored in the draft until the repair is sent. */
export interface RepairFields {
  isDevice: boolean
  parts: Partial<Record<LightPart, { model: string; quantity: number }>>
  /** 'DD/MM/YYYY'. */
  repairedOn: string
  /** 'HH:MM', or empty. */
  repairedTime: string
  /** 'DD/MM/YYYY', or empty for the day of the repair. */
  fittedOn: string
  repairedBy: string
  note: string
  /** Undefined until the user chooses: the first option applies. */
  proof?: ProofChoice
  /** The start of the test, if the user chose another night. */
  night?: string
  /** Kept with the draft, so that a repair sent again after a reload is recorded once. */
  requestId?: string
}

export type ProofChoice = 'night' | 'another' | 'function' | 'none'

/** The context that the validation of the form needs. */
export interface RepairContext {
  isLight: boolean
  /** When the oldest open fault began, in ms. */
  faultBegan: number | undefined
  photos: readonly Pick<RepairPhoto, 'file'>[]
  /** Returns the current time in ms: the form may stay open for hours. */
  readClock: () => number
  zone: string
}

export type RepairFaults = Record<
  'parts' | 'note' | 'repairedOn' | 'repairedTime' | 'fittedOn' | 'repairedBy' | 'photos',
  string | undefined
>

const isTime = (text: string) => /^([01]\d|2[0-3]):[0-5]\d$/.test(text)
const dayFormat = 'Enter a day as DD/MM/YYYY'

/** The replaced parts of a light, in the order of the form. */
export const partNamesOf = (fields: RepairFields, isLight: boolean): LightPart[] =>
  isLight ? lightParts.filter((part) => fields.parts[part]) : []

/** The day and time of the repair and the day its battery was fitted; undefined if the text is invalid. */
export function repairTimesOf(fields: RepairFields): {
  repairedOn: Day | undefined
  repairedTime: string | undefined
  fittedOn: Day | undefined
  isTimeValid: boolean
} {
  return {
    repairedOn: dayFrom(fields.repairedOn),
    repairedTime: fields.repairedTime || undefined,
    fittedOn: fields.fittedOn ? dayFrom(fields.fittedOn) : undefined,
    isTimeValid: fields.repairedTime === '' || isTime(fields.repairedTime),
  }
}

/** The error of each field, undefined if the field is valid. */
export function repairFaultsOf(fields: RepairFields, context: RepairContext): RepairFaults {
  const { isLight, faultBegan, photos, readClock, zone } = context
  const now = readClock()
  const parts = partNamesOf(fields, isLight)
  const { repairedOn, repairedTime, fittedOn, isTimeValid } = repairTimesOf(fields)
  const hasNote = fields.note.trim() !== ''
  const repairedOnFault = () => {
    if (!repairedOn) return dayFormat
    return isTimeValid ? repairTimeFault({ repairedOn, repairedTime }, faultBegan, { now, zone }) : undefined
  }
  const fittedOnFault = () => {
    if (!parts.includes('battery') || !fields.fittedOn) return undefined
    if (!fittedOn) return dayFormat
    return fittedOn > dayAt(now, zone) ? repairTexts.future : undefined
  }
  return {
    parts: isLight && !parts.length && !hasNote ? repairTexts.empty : undefined,
    note: isLight || hasNote ? undefined : formTexts.empty,
    repairedOn: repairedOnFault(),
    repairedTime: isTimeValid ? undefined : 'Enter a time as HH:MM',
    fittedOn: fittedOnFault(),
    repairedBy: fields.repairedBy.trim() ? undefined : 'Enter who repaired it',
    photos: photos.some(({ file }) => file.size > longestPhoto)
      ? repairTexts.photo
      : photos.map(({ file }) => photoFault(file)).find((fault) => fault !== undefined),
  }
}

interface RepairOf {
  tenant: string
  deviceId: string
  isLight: boolean
  zone: string
  proof: ProofChoice
  /** The start of the proving test, if one is planned for a night. */
  night: string | undefined
}

/** The body of the call for valid fields. */
export function repairBodyOf(fields: RepairFields, repairedOn: Day, of: RepairOf): RepairBody {
  const { tenant, deviceId, isLight, zone, proof, night } = of
  const { repairedTime, fittedOn } = repairTimesOf(fields)
  const parts = partNamesOf(fields, isLight)
  return {
    ...{ tenant, deviceId, part: fields.isDevice ? 'device' : 'equipment', repairedOn },
    parts: parts.map((part) => {
      const { model, quantity } = fields.parts[part]!
      return { part, quantity, ...(model.trim() && { model: model.trim() }) }
    }),
    repairedBy: fields.repairedBy.trim(),
    ...(repairedTime && { repairedTime }),
    ...(parts.includes('battery') && fittedOn && { batteryFittedOn: fittedOn }),
    ...(fields.note.trim() && { note: fields.note }),
    ...(proof === 'function' && { provingTest: 'function' as const }),
    ...(night && { provingTest: localTimeAt(Date.parse(night), zone) }),
  }
}

/** The current model of each part of the light. */
export function modelsOf(equipment: Equipment | undefined): Record<LightPart, string> {
  const [battery] = equipment?.batteries ?? []
  return {
    battery: battery ? `${battery.type}, ${battery.voltage} V, ${battery.capacity} Ah` : '',
    inverter: equipment?.inverter ?? '',
    lamp: equipment?.luminaireType ?? '',
    luminaire: equipment?.luminaireName ?? '',
  }
}

/** The parts of a light that failed in its tests. */
export const failedPartsOf = ({ states }: Condition): LightPart[] =>
  (['Battery', 'Inverter', 'Lamp'] as const)
    .filter((part) => states?.[part] === 'Failed')
    .map((part) => part.toLowerCase() as LightPart)
