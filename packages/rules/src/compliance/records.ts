import type { Day } from '../calendar/days.ts'
import type { FileType } from '../files/types.ts'

/** What is recorded of a boiler: its yearly gas safety check, and the treatment of the water of its heating. */
export const recordTypes = ['GasSafety', 'WaterTreatment'] as const
export type RecordType = (typeof recordTypes)[number]

export const recordTypeWords: Record<RecordType, string> = {
  GasSafety: 'Gas safety',
  WaterTreatment: 'Water treatment',
}

/** How a check went (devices specification, section 3). */
export const recordStatuses = ['Pass', 'Fail'] as const
export type RecordStatus = (typeof recordStatuses)[number]

/** The tests that tell whether water is treated (devices specification, section 5). */
export const testKits = ['Fernox Express Inhibitor Test', 'Adey MC1+ Quick Test', 'Sentinel X100 Quick Test'] as const
export type TestKit = (typeof testKits)[number]

/** What a record is refused with (devices specification, section 5). */
export const recordTexts = {
  serialNumber: 'Certificate Number is required',
  date: 'Date is required',
  result: 'Result must be selected',
  wrongResult: 'Result can only be passed or failed',
  certificate: 'Certificate must be provided',
  testKit: 'Testkit must be provided',
  /** What the specification has no text for. */
  future: 'Date can not be in the future',
  early: 'Date can not be before 01/01/1990',
  longSerialNumber: 'Certificate Number can not be longer than 60 characters',
  reason: 'Reason is required',
  failed: 'Failed to add record',
  added: 'Request Successful',
} as const

/** Most characters of the number of a certificate. */
export const longestSerialNumber = 60

/** Most characters of the reason for which a record is withdrawn. */
export const longestReason = 300

/** No check of a boiler with a remote control is older. */
const firstDay: Day = '1990-01-01'

/** What a certificate may be, by its content. */
export const certificateTypes = ['application/pdf', 'image/png', 'image/jpeg'] as const satisfies FileType[]
/** Bytes that a certificate may have. */
export const longestCertificate = 10_000_000

/** A record as somebody fills it in; what is not chosen yet is empty. */
export interface RecordDraft {
  serialNumber: string
  /** Undefined where none is given, or none that exists. */
  day: Day | undefined
  status: string
  testKit: string
  hasCertificate: boolean
}

/** What is wrong with a record, by its field; nothing where it can be added. */
export type RecordFaults = Partial<Record<keyof RecordDraft, string>>

/**
 * What is wrong with a record of a type (devices specification, section 5): number, date and result are needed by both, a
 * certificate by gas safety, a test kit by water treatment.
 */
export function recordFaults(type: RecordType, draft: RecordDraft, today: Day): RecordFaults {
  const faults: RecordFaults = {}
  const number = draft.serialNumber.trim()
  if (number === '') faults.serialNumber = recordTexts.serialNumber
  else if (number.length > longestSerialNumber) faults.serialNumber = recordTexts.longSerialNumber
  const day = dayOfRecordFault(draft.day, today)
  if (day) faults.day = day
  const status = statusFault(draft.status)
  if (status) faults.status = status
  if (type === 'GasSafety' && !draft.hasCertificate) faults.hasCertificate = recordTexts.certificate
  if (type === 'WaterTreatment' && !(testKits as readonly string[]).includes(draft.testKit))
    faults.testKit = recordTexts.testKit
  return faults
}

/** What is wrong with the result of a record; undefined where nothing is. */
export function statusFault(status: string): string | undefined {
  if (status === '') return recordTexts.result
  return (recordStatuses as readonly string[]).includes(status) ? undefined : recordTexts.wrongResult
}

/** What is wrong with the day of a record, in the zone of the tenant; undefined where nothing is. */
export function dayOfRecordFault(day: Day | undefined, today: Day): string | undefined {
  if (day === undefined) return recordTexts.date
  if (day > today) return recordTexts.future
  return day < firstDay ? recordTexts.early : undefined
}
