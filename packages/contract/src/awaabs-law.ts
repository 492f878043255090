import { z } from 'zod'
import type { AwaabsLawFigures as Figures } from '@caretaker/rules/properties/awaabs-law.ts'
import {
  awaabsLawFigureFault,
  awaabsLawFigureNames,
  awaabsLawHazardNames,
  awaabsLawLimits,
} from '@caretaker/rules/properties/awaabs-law.ts'
import { breachStates } from '@caretaker/rules/properties/breach-states.ts'
import { caseRecordKinds, caseRecordLimits } from '@caretaker/rules/properties/awaabs-records.ts'
import { awaabsLawStatuses } from '@caretaker/rules/properties/details.ts'
import { AwaabsLawDeadline } from './awaabs-law-case.ts'
import { Property } from './properties.ts'
import { route } from './route.ts'
import { Day, Id, Instant, TenantId, Timestamp, text, Version } from './scalars.ts'
import * as calls from './calls/awaabs-law.ts'

const ruledNumber = (fault: (value: number) => string | undefined) =>
  z.number().superRefine((value, context) => {
    const message = fault(value)
    if (message) context.addIssue({ code: 'custom', message })
  })

const figures = Object.fromEntries(
  awaabsLawFigureNames.map((name) => {
    const { least: minimum, most: maximum } = awaabsLawLimits[name]
    const figure = ruledNumber((value) => awaabsLawFigureFault(name, value))
    return [name, figure.meta({ type: 'integer', minimum, maximum })]
  }),
) as Record<keyof Figures, z.ZodNumber>

/** The time limits for a case's steps: working days, hours in an emergency, and weeks until preventive works. */
export const AwaabsLawFigures = z.object(figures).meta({ id: 'AwaabsLawFigures' })

export const getAwaabsLawFigures = route({
  ...calls.getAwaabsLawFigures,
  hasVersion: true,
  summary: "The client's time limits for each step under Awaab's Law.",
  params: z.object({ tenant: TenantId }),
  reply: AwaabsLawFigures.extend({ version: z.number().int() }),
})
export const putAwaabsLawFigures = route({
  ...calls.putAwaabsLawFigures,
  hasVersion: true,
  summary: "Sets the client's time limits for each step under Awaab's Law. A limit cannot exceed the legal one.",
  params: z.object({ tenant: TenantId }),
  body: AwaabsLawFigures.extend({ version: Version.optional() }).strict(),
  reply: AwaabsLawFigures.extend({ version: z.number().int() }),
})

const ofHome = z.object({ tenant: TenantId, propertyId: Id })
const ofCase = ofHome.extend({ caseId: Id })

/** One entry in the history of a case. */
const CaseChange = z
  .strictObject({
    status: z.enum(awaabsLawStatuses),
    hazard: z.enum(awaabsLawHazardNames),
    emergency: z.boolean(),
    on: Day,
    /** The instant, when the time of day is known. */
    at: Instant,
    /** The entry whose date is corrected; requires a reason. */
    corrects: Id,
    reason: text(500),
    reopen: z.literal(true),
  })
  .partial()
  .refine(({ corrects, reason }) => !corrects || reason, {
    message: 'Enter why the date is corrected',
    path: ['reason'],
  })

export const changeAwaabsLawCase = route({
  ...calls.changeAwaabsLawCase,
  hasVersion: true,
  summary:
    "Changes the Awaab's Law case of a property: all changes or none. To correct a date, send the entry, the correct day and the reason.",
  params: ofHome,
  body: z.strictObject({ version: Version.optional(), changes: z.array(CaseChange).min(1).max(20) }),
  reply: Property,
})

/** A note, photograph, file or set of readings of a case. */
export const CaseRecord = z
  .object({
    recordId: z.string(),
    kind: z.enum(caseRecordKinds),
    text: z.string(),
    file: z.object({ name: z.string(), contentType: z.string(), size: z.number().int() }).nullable(),
    readings: z
      .object({
        from: z.iso.date(),
        to: z.iso.date(),
        rooms: z.array(
          z.object({
            room: z.string(),
            hours: z.number(),
            meanTemperature: z.number(),
            leastTemperature: z.number(),
            mostTemperature: z.number(),
            hoursCold: z.number(),
            hoursSeverelyCold: z.number(),
            hoursHot: z.number(),
            meanHumidity: z.number().nullable(),
          }),
        ),
      })
      .nullable(),
    addedAt: Timestamp,
    addedBy: z.string(),
  })
  .meta({ id: 'CaseRecord' })
export type CaseRecord = z.infer<typeof CaseRecord>

export const getCaseRecords = route({
  ...calls.getCaseRecords,
  looksAt: { of: 'home', as: 'page', name: "Awaab's Law case", fields: ['text'] },
  summary: "The notes, photographs, files and readings of an Awaab's Law case, newest first.",
  params: ofCase,
  reply: z.object({ results: z.array(CaseRecord) }),
})

export const addCaseRecord = route({
  ...calls.addCaseRecord,
  summary:
    "Adds a note, a photograph (JPEG, PNG or WebP) or a file (PDF, Word, Excel or picture) of up to 20 MB to an Awaab's Law case.",
  status: 201,
  limit: caseRecordLimits.bytes + 100_000,
  params: ofCase,
  form: z.strictObject({
    kind: z.enum(['note', 'photograph', 'file']),
    text: text(caseRecordLimits.text).default(''),
    file: z.instanceof(File).optional(),
  }),
  reply: CaseRecord,
})

export const addCaseReadings = route({
  ...calls.addCaseReadings,
  summary: "Stores the readings of the property's sensors in a period as evidence for an Awaab's Law case.",
  status: 201,
  params: ofCase,
  body: z.strictObject({ from: Day, to: Day, text: text(caseRecordLimits.text).default('') }),
  reply: CaseRecord,
})

export const getCaseRecordFile = route({
  ...calls.getCaseRecordFile,
  looksAt: { of: 'home', as: 'file', name: 'Record of a case' },
  summary: "The file of an Awaab's Law case record.",
  params: ofCase.extend({ recordId: Id }),
})

const registerQuery = {
  from: Day,
  to: Day,
  /** The id of an access rights tag. */
  patch: Id.optional(),
}

export const Breach = AwaabsLawDeadline.extend({
  propertyId: z.string(),
  propertyReference: z.string(),
  /** Null under HideCustomerPersonalData. */
  address: z.string().nullable(),
  /** Whether the property is archived. An archived property has no page. */
  isArchived: z.boolean(),
  caseId: z.string(),
  number: z.string(),
  patch: z.object({ id: z.string(), name: z.string() }).nullable(),
  hazard: z.enum(awaabsLawHazardNames).nullable(),
  isEmergencyCase: z.boolean(),
  closedOn: z.iso.date().nullable(),
  closeReason: z.string().nullable(),
  state: z.enum(breachStates),
}).meta({ id: 'Breach' })
export type Breach = z.infer<typeof Breach>

const Count = z.number().int()
export const getBreachRegister = route({
  ...calls.getBreachRegister,
  looksAt: { of: 'home', as: 'list', name: 'Breach register' },
  summary: "The missed Awaab's Law deadlines of a period, with counts by month and patch.",
  params: z.object({ tenant: TenantId }),
  query: z.strictObject(registerQuery),
  reply: z.object({
    /** Deadlines that were due in the period, up to today. */
    due: Count,
    met: Count,
    missed: Count,
    cases: Count,
    notDone: Count,
    /** Missed deadlines by month, 'YYYY-MM', and by patch; the id is null for properties without a patch. */
    months: z.array(z.object({ month: z.string(), missed: Count })),
    patches: z.array(z.object({ id: z.string().nullable(), name: z.string(), months: z.array(Count), missed: Count })),
    /** All patches that the user may choose. */
    choices: z.array(z.object({ id: z.string(), name: z.string() })),
    rows: z.array(Breach),
  }),
})

export const exportBreachRegister = route({
  ...calls.exportBreachRegister,
  recentSignIn: true,
  looksAt: { of: 'home', as: 'file', name: 'Breach register' },
  summary: 'The breach register as an Excel workbook with a separate summary sheet, or as CSV.',
  params: z.object({ tenant: TenantId }),
  query: z.strictObject({
    ...registerQuery,
    state: z.enum(breachStates).optional(),
    format: z.enum(['xlsx', 'csv']).default('xlsx'),
  }),
})
