import { z } from 'zod'
import { deadlineSteps } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import { awaabsLawHazardNames } from '@caretaker/rules/properties/awaabs-law.ts'
import { caseRecordKinds } from '@caretaker/rules/properties/awaabs-records.ts'
import { awaabsLawStatuses } from '@caretaker/rules/properties/details.ts'
import { Timestamp } from './scalars.ts'

const Day = z.iso.date()

/** A day, and the instant on it where hours count. */
export const LawDue = z.object({ on: Day, at: Timestamp.nullable() })

/** A deadline of a case, by the figures of the client. */
export const AwaabsLawDeadline = z
  .object({
    step: z.enum(deadlineSteps),
    /** Whether the hours of an emergency set it. */
    isEmergency: z.boolean(),
    due: LawDue,
    /** The same by law, where the client is stricter. */
    lawDue: LawDue.nullable(),
    /** The later one of an emergency and the usual time, where both run. */
    otherDue: LawDue.nullable(),
    done: LawDue.nullable(),
    /** When the case was closed without completing the step. */
    ended: LawDue.nullable(),
    /** It was missed, and an entry or new figures have moved it since. */
    moved: z.object({ at: Timestamp, reason: z.string().nullable() }).nullable(),
  })
  .meta({ id: 'AwaabsLawDeadline' })
export type AwaabsLawDeadline = z.infer<typeof AwaabsLawDeadline>

/** A case of a home. */
export const AwaabsLawCase = z
  .object({
    caseId: z.string(),
    /** As people name it: 'AL-0142'. */
    number: z.string(),
    /** 'None' once it is closed. */
    status: z.enum(awaabsLawStatuses),
    hazard: z.enum(awaabsLawHazardNames).nullable(),
    aware: LawDue,
    isEmergency: z.boolean(),
    closedOn: Day.nullable(),
    closeReason: z.string().nullable(),
    /** From which day the law covers its hazard, and where that is published; null without a hazard. */
    coverage: z.object({ from: Day.nullable(), source: z.string() }).nullable(),
    deadlines: z.array(AwaabsLawDeadline),
    /** How many records of each kind it has. */
    records: z.record(z.enum(caseRecordKinds), z.number().int()),
  })
  .meta({ id: 'AwaabsLawCase' })
export type AwaabsLawCase = z.infer<typeof AwaabsLawCase>
