import { z } from 'zod'
import { fileTypes } from '@caretaker/rules/files/types.ts'
import { figureLimits, figuresFault } from '@caretaker/rules/compliance/due.ts'
import type { RecordType } from '@caretaker/rules/compliance/records.ts'
import {
  longestCertificate,
  longestReason,
  longestSerialNumber,
  recordStatuses,
  recordTexts,
  recordTypes,
  testKits,
} from '@caretaker/rules/compliance/records.ts'
import { DeviceId, Id, inTenant, Instant, line, TenantId, Timestamp, Version } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import * as calls from './calls/compliance.ts'

/** A gas safety or water treatment record of a boiler (devices specification, section 3). */
export const BoilerRecord = z
  .object({
    recordId: z.string(),
    /** The certificate number. */
    serialNumber: z.string(),
    recordType: z.enum(recordTypes),
    status: z.enum(recordStatuses),
    /** The time of the check. */
    timestamp: Timestamp,
    properties: z.object({
      /** For water treatment only. */
      testKitUsed: z.enum(testKits).nullable(),
    }),
    attachmentIds: z.array(z.string()),
    /** The attachments with name, type and size; at most one. */
    attachments: z.array(
      z.object({
        attachmentId: z.string(),
        name: z.string(),
        contentType: z.enum(Object.keys(fileTypes) as [keyof typeof fileTypes]),
        /** In bytes. */
        size: z.number().int(),
      }),
    ),
    /** Who withdrew the record, when and why; null for a valid record. A withdrawn record affects no due date. */
    withdrawn: z.object({ at: Timestamp, by: z.string(), reason: z.string() }).nullable(),
    /**
     * The other property that this certificate covers, if a user confirmed it; null if there is none or the caller may
     * not see it.
     */
    coversAlso: z.object({ propertyId: z.string(), propertyReference: z.string() }).nullable(),
  })
  .meta({ id: 'BoilerRecord' })
export type BoilerRecord = z.infer<typeof BoilerRecord>

const within = ({ least, most }: { least: number; most: number }) => z.number().int().min(least).max(most)

/** The figures that determine the due date of a type of record. Each client can have its own. */
const Figures = z.object({
  /** Months from one check to the next. */
  months: within(figureLimits.months),
  /** Months before the due date in which an early check keeps the due date: the next one is counted from it, not from the day of the check. */
  window: within(figureLimits.window),
  /** Days before the due date from which the check counts as due soon. */
  notice: within(figureLimits.notice),
})

const ofDevice = { tenant: TenantId, deviceId: DeviceId }

/** A missing value is rejected with the specification's message, an invalid one with the domain rule's. */
export const SerialNumber = z
  .string(recordTexts.serialNumber)
  .refine((value) => value.trim() !== '', recordTexts.serialNumber)
  .refine((value) => value.length <= longestSerialNumber, recordTexts.longSerialNumber)
  .pipe(line(longestSerialNumber))
export const Result = z.enum(recordStatuses, {
  error: ({ input }) => (input === undefined || input === '' ? recordTexts.result : recordTexts.wrongResult),
})
const newRecord = {
  ...ofDevice,
  recordSerialNumber: SerialNumber,
  /** When the check was made; its day is determined in the client's time zone. */
  recordTimestamp: z.union(Instant.options, recordTexts.date),
  recordStatus: Result,
  /**
   * Whether a certificate number that another property already uses covers both properties. Otherwise, such a number is
   * rejected with 409.
   */
  coversOtherHome: z.boolean().default(false),
}
/** Why a record is withdrawn. */
export const Reason = z
  .string(recordTexts.reason)
  .refine((value) => value.trim() !== '', recordTexts.reason)
  .pipe(line(longestReason))
const Added = envelope(z.object({ recordId: z.string() }))

export const getBoilerRecords = route({
  ...calls.getBoilerRecords,
  summary: 'The gas safety and water treatment records of a boiler, latest check first.',
  body: z.object(ofDevice),
  reply: envelope(z.array(BoilerRecord)),
})

export const getComplianceFigures = route({
  ...calls.getComplianceFigures,
  hasVersion: true,
  summary: "The figures that determine when the checks of this client's boilers are due.",
  body: inTenant,
  reply: envelope(
    z
      .object({ GasSafety: Figures, WaterTreatment: Figures } satisfies Record<RecordType, typeof Figures>)
      .extend({ version: z.number().int() }),
  ),
})

export const changeComplianceFigures = route({
  ...calls.changeComplianceFigures,
  hasVersion: true,
  summary:
    'Changes the figures that determine when checks of a type are due. The due dates of all boilers and properties of the client are recalculated.',
  body: z.object({
    tenant: TenantId,
    type: z.enum(recordTypes),
    figures: Figures.superRefine((figures, context) => {
      const message = figuresFault(figures)
      if (message !== undefined) context.addIssue({ code: 'custom', path: ['window'], message })
    }),
    version: Version.optional(),
  }),
  reply: envelope(Figures.extend({ version: z.number().int() })),
})

export const addBoilerGasSafetyRecord = route({
  ...calls.addBoilerGasSafetyRecord,
  summary:
    'Starts a gas safety record. It takes effect when its certificate is attached (AddBoilerRecordAttachment), and is deleted after an hour without one.',
  body: z.object(newRecord),
  reply: Added,
})

export const addBoilerWaterTreatmentRecord = route({
  ...calls.addBoilerWaterTreatmentRecord,
  summary:
    'Adds a water treatment record. With `awaitsAttachment`, it takes effect when its attachment arrives, like a gas safety record.',
  body: z.object({
    ...newRecord,
    testKitUsed: z.enum(testKits, recordTexts.testKit),
    awaitsAttachment: z.boolean().default(false),
  }),
  reply: Added,
})

export const addBoilerRecordAttachment = route({
  ...calls.addBoilerRecordAttachment,
  summary:
    'Attaches the certificate to a record that has none: an undamaged PDF, PNG or JPEG of up to 10 MB without scripts.',
  form: z.object({ ...ofDevice, recordId: Id, file: z.instanceof(File, { error: recordTexts.certificate }) }),
  reply: envelope(z.object({ attachmentId: z.string() })),
  limit: longestCertificate + 100_000,
})

export const takeBackBoilerRecord = route({
  ...calls.takeBackBoilerRecord,
  summary:
    'Deletes a record whose attachment did not arrive. A record that already has its attachment is kept; `isDeleted` is false then.',
  body: z.object({ ...ofDevice, recordId: Id }),
  reply: envelope(z.object({ isDeleted: z.boolean() })),
})

export const withdrawBoilerRecord = route({
  ...calls.withdrawBoilerRecord,
  summary:
    'Withdraws an incorrect record, with the reason. The record and its certificate are kept, but no longer affect any due date.',
  body: z.object({
    ...ofDevice,
    recordId: Id,
    reason: Reason,
  }),
  reply: envelope(z.object({ isWithdrawn: z.boolean() })),
})

export const getBoilerRecordAttachment = route({
  ...calls.getBoilerRecordAttachment,
  looksAt: { of: 'home', as: 'file', name: 'Boiler record' },
  summary: 'The certificate of a record, as it was uploaded, with its file name.',
  query: z.object({ ...ofDevice, recordId: Id, attachmentId: Id }),
})
