import type { Day } from '../calendar/days.ts'
import { dayAfter } from '../calendar/days.ts'
import type { Check, ComplianceState, Figures, Standing } from './due.ts'
import { complianceRank, deadlineAfter, nearTo, nextTurn, standingOf, stateOfDeadline, stateOn } from './due.ts'
import type { RecordType } from './records.ts'

/** A connected boiler control, or an appliance entered on the property. */
export interface Appliance {
  id: string
  /** Its records in order, without drafts and withdrawn ones. */
  checks: readonly Check[]
}

/** The known checks of one type in a property. */
export interface HomeChecks {
  type: RecordType
  appliances: readonly Appliance[]
  /** The date of the last check, entered without a certificate. */
  statedOn: Day | null
  /** The deadline whose anniversary the stated check kept. */
  statedAfter?: Day | null
}

/** The state of one appliance, or of the whole property. */
export interface CheckState {
  state: ComplianceState
  /** The day by which the next check is due; null if none has passed or is stated. */
  dueOn: Day | null
  /** The day of the last check if it failed. */
  failedOn: Day | null
  /** The day of the last check, recorded or stated. */
  lastOn: Day | null
  /** Whether the dates were only stated, without a record. */
  isStated: boolean
  /**
   * The first day on which the state changes without a new record, or a failed check also becomes overdue; null if
   * neither happens.
   */
  turnsOn: Day | null
}

/**
 * The state of a property and of each appliance in it. Records take precedence: a stated date counts only for an
 * appliance without records. The property has the worst state and the earliest due date of its appliances. Null for a
 * property without appliances and without a stated date.
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

/** The state of an appliance without a property: nothing is stated, and without records nothing is required yet. */
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

/** A failed check also becomes overdue on the day after its due date. */
const overdueTurn = ({ dueOn }: Standing, today: Day) => (dueOn !== null && today <= dueOn ? dayAfter(dueOn, 1) : null)

/**
 * A date without a certificate proves nothing: it is a warning from the first day, then near and overdue like any
 * other.
 */
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
