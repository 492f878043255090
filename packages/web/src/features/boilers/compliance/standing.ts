import type { Device } from '@caretaker/contract/devices.ts'
import type { BoilerRecord } from '@caretaker/contract/compliance.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { ComplianceState, Figures, Standing } from '@caretaker/rules/compliance/due.ts'
import { deadlines, standingOf, stateOn } from '@caretaker/rules/compliance/due.ts'
import type { RecordType } from '@caretaker/rules/compliance/records.ts'

/** A record with its day and the due date it set. */
export interface KnownRecord extends BoilerRecord {
  day: Day
  /** The due date after this check; undefined if no check had passed. */
  dueOn: Day | undefined
  /** For a failed check, the day of the first later pass. */
  passedOn: Day | undefined
}

/** The current state for one type of records. */
export interface KnownStanding extends Standing {
  type: RecordType
  figures: Figures
  today: Day
  state: ComplianceState
  /** The latest check. */
  last: KnownRecord | undefined
  /** Latest first. */
  records: readonly KnownRecord[]
}

/** The state of a type as returned with the device. */
type PropertyStanding = Device['gasSafety']

/** The state computed from the records of a boiler for one type. */
export function knownStanding(
  type: RecordType,
  all: readonly BoilerRecord[],
  figures: Figures,
  zone: string,
  today: Day,
  ofProperty: PropertyStanding = null,
): KnownStanding {
  const ofType = all.filter(({ recordType }) => recordType === type)
  const withdrawn = ofType
    .filter((record) => record.withdrawn)
    .map((record) => ({
      ...record,
      day: dayAt(Date.parse(record.timestamp), zone),
      dueOn: undefined,
      passedOn: undefined,
    }))
  const inOrder = ofType.filter((record) => !record.withdrawn).toReversed()
  const checks = inOrder.map(({ timestamp, status }) => ({ day: dayAt(Date.parse(timestamp), zone), status }))
  const due = deadlines(checks, figures)
  const records = inOrder.map((record, at) => ({
    ...record,
    day: checks[at]!.day,
    dueOn: due[at],
    passedOn: record.status === 'Fail' ? checks.slice(at + 1).find(({ status }) => status === 'Pass')?.day : undefined,
  }))
  const standing = standingOf(checks, figures)
  // If there is no record, the property decides: it may have an entered date, or still need its first check.
  const own = checks.length > 0 ? { ...standing, state: stateOn(standing, today, figures) } : ofHome(ofProperty, zone)
  return {
    ...own,
    ...{ type, figures, today, last: records.at(-1) },
    records: [...records, ...withdrawn].toSorted((a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp)),
  }
}

/** The state from the property for a boiler without its own records. */
function ofHome(ofProperty: PropertyStanding, zone: string): Standing & { state: ComplianceState } {
  const dueOn = ofProperty?.dueAt ? dayAt(Date.parse(ofProperty.dueAt), zone) : null
  return { dueOn, failedOn: null, state: ofProperty?.state ?? 'NoRecord' }
}
