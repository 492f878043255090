import type { Day } from '../calendar/days.ts'
import { dayAfter } from '../calendar/days.ts'
import type { Check, ComplianceState, Figures, Standing } from './due.ts'
import { complianceRank, deadlineAfter, nearTo, nextTurn, standingOf, stateOfDeadline, stateOn } from './due.ts'
import type { RecordType } from './records.ts'

/** An appliance of a home: a boiler control that is connected, or an appliance that was entered on the home. */
export interface Appliance {
  id: string
  /** Its records that count, in their order: neither drafts nor withdrawn ones. */
  checks: readonly Check[]
}

/** What is known of the checks of one type in a home. */
export interface HomeChecks {
  type: RecordType
  appliances: readonly Appliance[]
  /** The date of the last check as someone entered it without a certificate. */
  statedOn: Day | null
  /** The deadline whose date the stated check kept. */
  statedAfter?: Day | null
}

/** The state of one appliance, or of the whole home. */
export interface CheckState {
  state: ComplianceState
  /** The day by which the next check is due; null where none has passed and none is stated. */
  dueOn: Day | null
  /** The day of the last check, where that failed. */
  failedOn: Day | null
  /** The day of the last check; of a stated one as it was entered. */
  lastOn: Day | null
  /** Whether the dates were only entered: no record proves them. */
  isStated: boolean
  /** The first day on which the state changes without a new record, or a failed check becomes overdue as well; null when neither happens. */
  turnsOn: Day | null
}

/**
 * The state of a home, and of each appliance in it. Records decide: a stated date counts only for an appliance without any record. The
 * home has the worst state of its appliances, and is due when the first of them is. Null for a home without an appliance and without a date.
 */
export function checksOfHome(
  { type, appliances, statedOn, statedAfter = null }: HomeChecks,
  today: Day,
  figures: Figures,
): { home: CheckState | null; appliances: Map<string, CheckState> } {
  const stated = statedOn === null ? undefined : statedState(statedOn, statedAfter, today, figures)
  const none = noRecord(type)
  const states = new Map(
    appliances.map(({ id, checks }) => [id, checks.length ? recordedState(checks, today, figures) : (stated ?? none)]),
  )
  const all = states.size > 0 ? [...states.values()] : stated ? [stated] : []
  return { home: all.length > 0 ? worstOf(all) : null, appliances: states }
}

/** The state of an appliance whose home is not known: nothing is stated of it, and without records nothing is owed yet. */
export function checksOfLooseDevice(checks: readonly Check[], today: Day, figures: Figures): CheckState {
  return checks.length ? recordedState(checks, today, figures) : noRecord('WaterTreatment')
}

const noRecord = (type: RecordType): CheckState => ({
  state: type === 'GasSafety' ? 'NeverChecked' : 'NoRecord',
  ...{ dueOn: null, failedOn: null, lastOn: null, isStated: false, turnsOn: null },
})

function recordedState(checks: readonly Check[], today: Day, figures: Figures): CheckState {
  const standing = standingOf(checks, figures)
  return {
    ...standing,
    state: stateOn(standing, today, figures),
    lastOn: checks.at(-1)!.day,
    isStated: false,
    turnsOn: nextTurn(standing, today, figures) ?? overdueTurn(standing, today),
  }
}

/** A failed check becomes overdue as well on the day after its due date. */
const overdueTurn = ({ dueOn }: Standing, today: Day) => (dueOn !== null && today <= dueOn ? dayAfter(dueOn, 1) : null)

/** A date without a certificate proves no check: it is a warning from the first day, near its due date as any other, and overdue after it. */
function statedState(lastOn: Day, after: Day | null, today: Day, figures: Figures): CheckState {
  const dueOn = deadlineAfter(lastOn, after ?? undefined, figures)
  const near = nearTo(dueOn, figures)
  const state = stateOfDeadline(dueOn, near, today)
  return {
    state: state === 'InDate' ? 'Stated' : state,
    ...{ dueOn, failedOn: null, lastOn, isStated: true },
    turnsOn: state === 'InDate' ? near : state === 'Due' ? dayAfter(dueOn, 1) : null,
  }
}

const earliest = (days: readonly (Day | null)[]) => days.filter((day) => day !== null).toSorted()[0] ?? null

function worstOf(states: readonly CheckState[]): CheckState {
  const worst = states.toSorted((a, b) => complianceRank(b.state) - complianceRank(a.state))[0]!
  return {
    ...worst,
    dueOn: earliest(states.map(({ dueOn }) => dueOn)),
    failedOn:
      states
        .map(({ failedOn }) => failedOn)
        .filter((day) => day !== null)
        .toSorted()
        .at(-1) ?? null,
    lastOn:
      states
        .map(({ lastOn }) => lastOn)
        .filter((day) => day !== null)
        .toSorted()
        .at(-1) ?? null,
    turnsOn: earliest(states.map(({ turnsOn }) => turnsOn)),
  }
}
