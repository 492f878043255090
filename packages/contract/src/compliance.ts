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
import { DeviceId, Id, inTenant, Instant, line, TenantId, Timestamp } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import * as calls from './calls/compliance.ts'

/** A gas safety or water treatment record of a boiler (devices specification, section 3). */
export const BoilerRecord = z
  .object({
    recordId: z.string(),
    /** The number of the certificate. */
    serialNumber: z.string(),
    recordType: z.enum(recordTypes),
    status: z.enum(recordStatuses),
    /** When the check was. */
    timestamp: Timestamp,
    properties: z.object({
      /** Of water treatment. */
      testKitUsed: z.enum(testKits).nullable(),
    }),
    attachmentIds: z.array(z.string()),
    /** The same with what they are called and are; at most one. */
    attachments: z.array(
      z.object({
        attachmentId: z.string(),
        name: z.string(),
        contentType: z.enum(Object.keys(fileTypes) as [keyof typeof fileTypes]),
        /** In bytes. */
        size: z.number().int(),
      }),
    ),
    /** Who withdrew it, when and why: it then counts towards no date. Null for a record that counts. */
    withdrawn: z.object({ at: Timestamp, by: z.string(), reason: z.string() }).nullable(),
    /** The home that the same certificate covers as well, where a person said so; null for none, and for one that the person does not see. */
    coversAlso: z.object({ propertyId: z.string(), propertyReference: z.string() }).nullable(),
  })
  .meta({ id: 'BoilerRecord' })
export type BoilerRecord = z.infer<typeof BoilerRecord>

const within = ({ least, most }: { least: number; most: number }) => z.number().int().min(least).max(most)

/** Days and months by which the due date of a type of record is found; an organisation may have its own. */
const Figures = z.object({
  /** Months from a check to the next. */
  months: within(figureLimits.months),
  /** Months before the deadline in which a check keeps its date. */
  window: within(figureLimits.window),
  /** Days before the deadline from which it is said to be near. */
  notice: within(figureLimits.notice),
})

const ofDevice = { tenant: TenantId, deviceId: DeviceId }

/** With the text for what is missing, and the rules' own for everything else. */
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
  /** When the check was: the day that it then is where the client is. */
  recordTimestamp: z.union(Instant.options, recordTexts.date),
  recordStatus: Result,
  /** Whether a certificate whose number is already used for another home covers both: without it such a number is a conflict. */
  coversOtherHome: z.boolean().default(false),
}
/** Why a record is wrong. */
export const Reason = z
  .string(recordTexts.reason)
  .refine((value) => value.trim() !== '', recordTexts.reason)
  .pipe(line(longestReason))
const Added = envelope(z.object({ recordId: z.string() }))

export const getBoilerRecords = route({
  ...calls.getBoilerRecords,
  summary: 'The gas safety and water treatment records of a boiler, the latest check first.',
  body: z.object(ofDevice),
  reply: envelope(z.array(BoilerRecord)),
})

export const getComplianceFigures = route({
  ...calls.getComplianceFigures,
  summary: 'By which figures this client counts when the checks of a boiler are due.',
  body: inTenant,
  reply: envelope(
    z.object({ GasSafety: Figures, WaterTreatment: Figures } satisfies Record<RecordType, typeof Figures>),
  ),
})

export const changeComplianceFigures = route({
  ...calls.changeComplianceFigures,
  summary:
    'Changes by which figures this client counts when the checks of a type are due; all of its boilers and homes are counted anew.',
  body: z.object({
    tenant: TenantId,
    type: z.enum(recordTypes),
    figures: Figures.superRefine((figures, context) => {
      const message = figuresFault(figures)
      if (message !== undefined) context.addIssue({ code: 'custom', path: ['window'], message })
    }),
  }),
  reply: envelope(Figures),
})

export const addBoilerGasSafetyRecord = route({
  ...calls.addBoilerGasSafetyRecord,
  summary:
    'Begins a gas safety record. It is there once its certificate is attached (AddBoilerRecordAttachment), and without one it is dropped after an hour.',
  body: z.object(newRecord),
  reply: Added,
})

export const addBoilerWaterTreatmentRecord = route({
  ...calls.addBoilerWaterTreatmentRecord,
  summary:
    'Adds a water treatment record. One that awaits an attachment is there once that is attached, as gas safety records are.',
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
    'Attaches the certificate to a record that has none: a PDF, PNG or JPEG of at most 10 MB, whole and without scripts.',
  form: z.object({ ...ofDevice, recordId: Id, file: z.instanceof(File, { error: recordTexts.certificate }) }),
  reply: envelope(z.object({ attachmentId: z.string() })),
  limit: longestCertificate + 100_000,
})

export const takeBackBoilerRecord = route({
  ...calls.takeBackBoilerRecord,
  summary:
    'Drops a record that still awaits its attachment, because that did not arrive. One that is there already stays, and `isTakenBack` says so.',
  body: z.object({ ...ofDevice, recordId: Id }),
  reply: envelope(z.object({ isTakenBack: z.boolean() })),
})

export const withdrawBoilerRecord = route({
  ...calls.withdrawBoilerRecord,
  summary:
    'Withdraws a record that is wrong, with the reason. It stays with its certificate, and no longer counts towards any date.',
  body: z.object({
    ...ofDevice,
    recordId: Id,
    reason: Reason,
  }),
  reply: envelope(z.object({ isWithdrawn: z.boolean() })),
})

export const getBoilerRecordAttachment = route({
  ...calls.getBoilerRecordAttachment,
  summary: 'The certificate of a record, as it was uploaded and under its name.',
  query: z.object({ ...ofDevice, recordId: Id, attachmentId: Id }),
})
