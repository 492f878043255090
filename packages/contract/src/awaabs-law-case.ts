import { z } from 'zod'
import { deadlineSteps } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import { awaabsLawHazardNames } from '@caretaker/rules/properties/awaabs-law.ts'
import { caseRecordKinds } from '@caretaker/rules/properties/awaabs-records.ts'
import { awaabsLawStatuses } from '@caretaker/rules/properties/details.ts'
import { Timestamp } from './scalars.ts'

const Day = z.iso.date()

/** A day, and the instant if the deadline is in hours. */
export const LawDue = z.object({ on: Day, at: Timestamp.nullable() })

/** A deadline of a case, according to the client's time limits. */
export const AwaabsLawDeadline = z
  .object({
    step: z.enum(deadlineSteps),
    /** Whether it is a deadline of an emergency, counted in hours. */
    isEmergency: z.boolean(),
    due: LawDue,
    /** The legal deadline, when the client's own limit is stricter. */
    lawDue: LawDue.nullable(),
    /** The later of the emergency deadline and the usual one, when both apply. */
    otherDue: LawDue.nullable(),
    done: LawDue.nullable(),
    /** When the case was closed without completing the step. */
    ended: LawDue.nullable(),
    /** Set when the deadline was missed and a later entry or new time limits have moved it since. */
    moved: z.object({ at: Timestamp, reason: z.string().nullable() }).nullable(),
  })
  .meta({ id: 'AwaabsLawDeadline' })
export type AwaabsLawDeadline = z.infer<typeof AwaabsLawDeadline>

export const AwaabsLawCase = z
  .object({
    caseId: z.string(),
    /** As displayed: 'AL-0142'. */
    number: z.string(),
    /** 'None' for a closed case. */
    status: z.enum(awaabsLawStatuses),
    hazard: z.enum(awaabsLawHazardNames).nullable(),
    aware: LawDue,
    isEmergency: z.boolean(),
    closedOn: Day.nullable(),
    closeReason: z.string().nullable(),
    /** The day from which the law covers its hazard, and the publication that sets it; null without a hazard. */
    coverage: z.object({ from: Day.nullable(), source: z.string() }).nullable(),
    deadlines: z.array(AwaabsLawDeadline),
    /** The number of records of each kind. */
    records: z.record(z.enum(caseRecordKinds), z.number().int()),
  })
  .meta({ id: 'AwaabsLawCase' })
export type AwaabsLawCase = z.infer<typeof AwaabsLawCase>
