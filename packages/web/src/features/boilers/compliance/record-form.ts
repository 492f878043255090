import type { RecordType } from '@caretaker/rules/compliance/records.ts'
import { recordFaults } from '@caretaker/rules/compliance/records.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayFrom } from '@caretaker/rules/calendar/days.ts'
import { z } from '../../../ui/zod.ts'

/** The values of the record form. */
export interface RecordInput {
  [name: string]: string | File | null
  serialNumber: string
  /** As typed. */
  day: string
  status: string
  testKit: string
  file: File | null
}

export const emptyRecord: RecordInput = { serialNumber: '', day: '', status: '', testKit: '', file: null }

/** The validation of records of one type. */
export function recordSchema(type: RecordType, today: Day) {
  return z
    .object({
      serialNumber: z.string(),
      day: z.string(),
      status: z.string(),
      testKit: z.string(),
      file: z.nullable(z.instanceof(File)),
    })
    .check(({ value, issues }) => {
      const { file, day, ...rest } = value
      const faults = recordFaults(type, { ...rest, day: dayFrom(day), hasCertificate: file !== null }, today)
      for (const [name, message] of Object.entries(faults))
        issues.push({ code: 'custom', message, input: value, path: [name === 'hasCertificate' ? 'file' : name] })
    }) as z.ZodType<RecordInput, RecordInput>
}
