import type { Day } from '../calendar/days.ts'
import type { FileType } from '../files/types.ts'

/** The compliance records of a boiler: yearly gas safety check, and treatment of the heating water. */
export const recordTypes = ['GasSafety', 'WaterTreatment'] as const
export type RecordType = (typeof recordTypes)[number]

export const recordTypeWords: Record<RecordType, string> = {
  GasSafety: 'Gas safety',
  WaterTreatment: 'Water treatment',
}

/** The result of a check (devices specification, section 3). */
export const recordStatuses = ['Pass', 'Fail'] as const
export type RecordStatus = (typeof recordStatuses)[number]

/** Test kits for treated water (devices specification, section 5). */
export const testKits = ['Fernox Express Inhibitor Test', 'Adey MC1+ Quick Test', 'Sentinel X100 Quick Test'] as const
export type TestKit = (typeof testKits)[number]

/** Validation errors of a record (devices specification, section 5). */
export const recordTexts = {
  serialNumber: 'Certificate Number is required',
  date: 'Date is required',
  result: 'Result must be selected',
  wrongResult: 'Result can only be passed or failed',
  certificate: 'Certificate must be provided',
  testKit: 'Testkit must be provided',
  /** Not in the specification. */
  future: 'Date can not be in the future',
  early: 'Date cannot be before 01/01/1990',
  longSerialNumber: 'Certificate Number can not be longer than 60 characters',
  reason: 'Reason is required',
  failed: 'Failed to add record',
  added: 'Request Successful',
} as const

/** Longest certificate number, in characters. */
export const longestSerialNumber = 60

/** Longest reason for withdrawing a record, in characters. */
export const longestReason = 300

/** Earliest accepted date of a check; no remotely controlled boiler has an earlier one. */
const firstDay: Day = '1990-01-01'

/** Accepted file types of a certificate, by content. */
export const certificateTypes = ['application/pdf', 'image/png', 'image/jpeg'] as const satisfies FileType[]
/** Largest certificate, in bytes. */
export const longestCertificate = 10_000_000

/** A record as entered in the form; fields not yet chosen are empty. */
export interface RecordDraft {
  serialNumber: string
  /** Undefined if missing or not an existing day. */
  day: Day | undefined
  status: string
  testKit: string
  hasCertificate: boolean
}

/** Validation errors of a record, by field; empty if it can be added. */
export type RecordFaults = Partial<Record<keyof RecordDraft, string>>

/**
 * The validation errors of a record (devices specification, section 5): both types need number, date and result; gas
 * safety needs a certificate, water treatment a test kit.
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

/** The validation error of a result; undefined if there is none. */
export function statusFault(status: string): string | undefined {
  if (status === '') return recordTexts.result
  return (recordStatuses as readonly string[]).includes(status) ? undefined : recordTexts.wrongResult
}

/** The validation error of a record's day, in the tenant's time zone; undefined if there is none. */
export function dayOfRecordFault(day: Day | undefined, today: Day): string | undefined {
  if (day === undefined) return recordTexts.date
  if (day > today) return recordTexts.future
  return day < firstDay ? recordTexts.early : undefined
}
