import type { Device } from '@caretaker/contract/devices.ts'
import type { BoilerRecord } from '@caretaker/contract/compliance.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { ComplianceState, Figures, Standing } from '@caretaker/rules/compliance/due.ts'
import { deadlines, standingOf, stateOn } from '@caretaker/rules/compliance/due.ts'
import type { RecordType } from '@caretaker/rules/compliance/records.ts'

/** A record with the day that it was of, and what it left behind. */
export interface KnownRecord extends BoilerRecord {
  day: Day
  /** When the next check was due then; undefined as long as none had passed. */
  dueOn: Day | undefined
  /** Of a failed one, the day of the first later one that passed. */
  passedOn: Day | undefined
}

/** What the records of one type come to today. */
export interface KnownStanding extends Standing {
  type: RecordType
  figures: Figures
  today: Day
  state: ComplianceState
  /** The latest check. */
  last: KnownRecord | undefined
  /** The latest first. */
  records: readonly KnownRecord[]
}

/** The state of a type as the device has it. */
type Told = Device['gasSafety']

/** What the records of a boiler, as the call gives them, come to for one type. */
export function knownStanding(
  type: RecordType,
  all: readonly BoilerRecord[],
  figures: Figures,
  zone: string,
  today: Day,
  told: Told = null,
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
  // Without a record the home decides: it may state a date, or owe its first check.
  const own = checks.length > 0 ? { ...standing, state: stateOn(standing, today, figures) } : ofHome(told, zone)
  return {
    ...own,
    ...{ type, figures, today, last: records.at(-1) },
    records: [...records, ...withdrawn].toSorted((a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp)),
  }
}

/** What the home says of a boiler that has no record of its own. */
function ofHome(told: Told, zone: string): Standing & { state: ComplianceState } {
  const dueOn = told?.dueAt ? dayAt(Date.parse(told.dueAt), zone) : null
  return { dueOn, failedOn: null, state: told?.state ?? 'NoRecord' }
}
