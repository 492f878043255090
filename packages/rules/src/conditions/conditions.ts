import type { Day } from '../calendar/days.ts'
import type { ComplianceState } from '../compliance/due.ts'
import type { RecordType } from '../compliance/records.ts'
import type { ComponentStates, TestResult, TestType } from '../lighting/tests.ts'
import { components, minutesOf } from '../lighting/tests.ts'
import type { DeviceStatus } from '../devices/status.ts'
import { deviceStatuses } from '../devices/status.ts'

/** The events that end a condition. */
export const endings = [
  'fault gone',
  'test passed',
  'first test',
  'repair recorded',
  'heard',
  'battery full',
  'tested',
  'no longer reported',
  'event over',
  'check recorded',
  'result changed',
  'time over',
  'ended by a person',
  'moved on',
] as const
export type Ending = (typeof endings)[number]

interface ConditionRule {
  /** The documented device status that it causes while nothing worse is open. */
  status: Exclude<DeviceStatus, 'Ok'>
  /** Whether it is a stage of a device that is not in service; it then overrides all other conditions. */
  stage: boolean
  /** Whether a user may end it: one who set it or has inspected the device. */
  byPerson: boolean
  endsBy: readonly Ending[]
}

const stage = { stage: true, byPerson: false, endsBy: ['moved on'] } as const
const found = { stage: false, byPerson: false } as const
const set = { stage: false, byPerson: true } as const

/**
 * Every kind of condition: the status it causes, and the events that can end it. A failed test is ended by a passed
 * test of the same or a longer duration, or by a recorded repair; a flick test proves nothing about a three-hour
 * duration.
 */
export const conditionRules = {
  disposed: { status: 'DISPOSED', ...stage },
  removed: { status: 'REMOVED', ...stage },
  awaitingRecycling: { status: 'AwaitingRecycling', ...stage },
  inFactory: { status: 'Factory', ...stage },
  inStock: { status: 'Inventory', ...stage },
  unaccounted: { status: 'Unknown', ...stage },
  allocated: { status: 'Allocated', ...stage },
  disabledNonPayment: { status: 'DisabledNonPayment', ...set, endsBy: ['ended by a person', 'time over', 'moved on'] },
  disabledOther: { status: 'DisabledOther', ...set, endsBy: ['ended by a person', 'time over', 'moved on'] },
  fault: { status: 'FailedEquipment', ...found, endsBy: ['fault gone', 'moved on'] },
  testFailed: {
    status: 'FailedEquipment',
    ...found,
    endsBy: ['test passed', 'repair recorded', 'result changed', 'moved on'],
  },
  /** The last gas check of the property failed: the appliance must not be used. */
  gasCheckFailed: { status: 'FailedEquipment', ...found, endsBy: ['check recorded', 'moved on'] },
  /** The light reports an event of high severity, which is a failure in itself. */
  highEvent: {
    status: 'FailedEquipment',
    ...set,
    endsBy: ['event over', 'repair recorded', 'ended by a person', 'moved on'],
  },
  /** The battery voltage or charge is too low to light the lamp, and no test explains it. */
  batteryLow: { status: 'FailedEquipment', ...found, endsBy: ['no longer reported', 'repair recorded', 'moved on'] },
  equipmentBroken: { status: 'FailedEquipment', ...set, endsBy: ['ended by a person', 'repair recorded', 'moved on'] },
  deviceFault: { status: 'FailedDevice', ...found, endsBy: ['fault gone', 'moved on'] },
  deviceTestFailed: {
    status: 'FailedDevice',
    ...found,
    endsBy: ['test passed', 'repair recorded', 'result changed', 'moved on'],
  },
  deviceBroken: { status: 'FailedDevice', ...set, endsBy: ['ended by a person', 'repair recorded', 'moved on'] },
  notHeard: { status: 'FailedDevice', ...found, endsBy: ['heard', 'moved on'] },
  equipmentRepaired: {
    status: 'RepairedEquipment',
    ...set,
    endsBy: ['test passed', 'ended by a person', 'moved on'],
  },
  deviceRepaired: { status: 'RepairedDevice', ...set, endsBy: ['test passed', 'ended by a person', 'moved on'] },
  testDegraded: {
    status: 'PreventativeMaintenance',
    ...found,
    endsBy: ['test passed', 'repair recorded', 'result changed', 'moved on'],
  },
  /** It failed several times within an hour and passed in between; the cause is unknown until inspected. */
  unstable: { status: 'PreventativeMaintenance', ...set, endsBy: ['ended by a person', 'moved on'] },
  /** The lamp stays off when mains fails (DALI part 202, inhibit). */
  inhibited: { status: 'PreventativeMaintenance', ...found, endsBy: ['no longer reported', 'moved on'] },
  noMains: { status: 'PreventativeMaintenance', ...found, endsBy: ['no longer reported', 'moved on'] },
  /** The last required test has no conclusive result. */
  testNotProven: { status: 'PreventativeMaintenance', ...found, endsBy: ['tested', 'result changed', 'moved on'] },
  /** A planned test that did not take place, until it is repeated. */
  testMissed: { status: 'PreventativeMaintenance', ...found, endsBy: ['tested', 'moved on'] },
  testOverdue: { status: 'PreventativeMaintenance', ...found, endsBy: ['tested', 'moved on'] },
  /** Not full after a day of charging: marginal (the research on the domain, section 1). */
  batteryNotFull: { status: 'PreventativeMaintenance', ...found, endsBy: ['battery full', 'moved on'] },
  /** Checks of the property that are overdue or have no record. */
  gasCheckOverdue: { status: 'PreventativeMaintenance', ...found, endsBy: ['check recorded', 'moved on'] },
  gasNeverChecked: { status: 'PreventativeMaintenance', ...found, endsBy: ['check recorded', 'moved on'] },
  waterTreatmentFailed: { status: 'PreventativeMaintenance', ...found, endsBy: ['check recorded', 'moved on'] },
  waterTreatmentOverdue: { status: 'PreventativeMaintenance', ...found, endsBy: ['check recorded', 'moved on'] },
  maintenance: { status: 'PreventativeMaintenance', ...set, endsBy: ['ended by a person', 'time over', 'moved on'] },
  neverTested: { status: 'Installed', ...found, endsBy: ['first test', 'moved on'] },
  neverHeard: { status: 'Installed', ...found, endsBy: ['heard', 'moved on'] },
  /** A light or gateway not heard for a day: its state is unknown, neither healthy nor failed. */
  noContact: { status: 'Installed', ...found, endsBy: ['heard', 'moved on'] },
} as const satisfies Record<string, ConditionRule>
export type ConditionKind = keyof typeof conditionRules
export const conditionKinds = Object.keys(conditionRules) as ConditionKind[]
type KindWith<P extends 'stage' | 'byPerson'> = {
  [K in ConditionKind]: (typeof conditionRules)[K][P] extends true ? K : never
}[ConditionKind]
export type Stage = KindWith<'stage'>
export const stages = conditionKinds.filter((kind): kind is Stage => conditionRules[kind].stage)

/** Whether a user may end a condition of this kind. */
export const isByPerson = (kind: ConditionKind): kind is KindWith<'byPerson'> => conditionRules[kind].byPerson

/** Conditions that a user may set on a device in service. Repairs have a call of their own. */
export const settableKinds = [
  'disabledNonPayment',
  'disabledOther',
  'maintenance',
  'equipmentBroken',
  'deviceBroken',
] as const satisfies KindWith<'byPerson'>[]
export type SettableKind = (typeof settableKinds)[number]

const defective: readonly DeviceStatus[] = [
  ...(['FailedEquipment', 'FailedDevice', 'PreventativeMaintenance', 'DisabledOther'] as const),
  // After a repair the device is not healthy until a test has proved it.
  ...(['RepairedEquipment', 'RepairedDevice'] as const),
]
/** Missing tests; not a defect of the light. */
const owed: readonly ConditionKind[] = ['testNotProven', 'testMissed', 'testOverdue']
/** Kinds that the records of a property begin and end. */
export const checkKinds = [
  'gasCheckFailed',
  'gasCheckOverdue',
  'gasNeverChecked',
  'waterTreatmentFailed',
  'waterTreatmentOverdue',
] as const satisfies ConditionKind[]
export type CheckKind = (typeof checkKinds)[number]
/** The condition that a property's check state causes on a device; undefined if there is none. */
export function checkKindOf(type: RecordType, state: ComplianceState | null): CheckKind | undefined {
  if (type === 'WaterTreatment')
    return state === 'Failed' ? 'waterTreatmentFailed' : state === 'Overdue' ? 'waterTreatmentOverdue' : undefined
  if (state === 'NeverChecked') return 'gasNeverChecked'
  return state === 'Failed' ? 'gasCheckFailed' : state === 'Overdue' ? 'gasCheckOverdue' : undefined
}
const ofRecords: readonly ConditionKind[] = checkKinds
/** Whether it is a defect to be corrected, listed in the log book with an interim measure. */
export const isDefect = (kind: ConditionKind) =>
  defective.includes(conditionRules[kind].status) && !owed.includes(kind) && !ofRecords.includes(kind)
export const defectKinds = conditionKinds.filter(isDefect)

/**
 * The interim measure until a defect is corrected (the research on the domain, section 2), with its author and time.
 */
export interface InterimMeasure {
  text: string
  by: string
  at: string
}

/**
 * The statuses, worst first: stages of devices not in service, then failures, devices disabled on purpose, warnings,
 * and devices not yet proved. No status set by a user hides a failure. Device failures come before warnings, as on the
 * dashboard (core specification, section 4.1).
 */
export const worstFirst = [
  'DISPOSED',
  'REMOVED',
  'AwaitingRecycling',
  'Factory',
  'Unknown',
  'Inventory',
  'Allocated',
  'FailedEquipment',
  'FailedDevice',
  'DisabledNonPayment',
  'DisabledOther',
  'RepairedEquipment',
  'RepairedDevice',
  'PreventativeMaintenance',
  'Installed',
  'Ok',
] as const satisfies readonly DeviceStatus[]

/** The evidence that a condition began or ended; the fields depend on its cause. */
export interface Evidence {
  /** The emergency test that reported it last. */
  eventId?: string
  /** The description of the fault, from the device. */
  description?: string | null
  /** Whether the device reports that a reset can clear it. */
  isResettable?: boolean
  by?: { id: string | null; name: string }
  note?: string
  /** The parts of a light that a repair replaced or repaired. */
  repaired?: readonly string[]
  /** Who did the repair, as recorded, and on which day. */
  repairedBy?: string
  repairedOn?: Day
  /** The last day of a condition set by a user, and the instant it ends. */
  until?: { day: Day; at: number }
  /** The condition existed before reasons were recorded. */
  carriedOver?: true
  /** When it was entered, in ms, if long after it began. */
  enteredAt?: number
}

/** A state of a device from a beginning to an end. Times in ms since the epoch. */
export interface Condition {
  kind: ConditionKind
  /**
   * Distinguishes conditions of one kind: the test type, or source and code of the fault; '' if there can be only one.
   */
  key: string
  began: number
  /** For kinds reported by tests: the time of the latest such test. */
  lastSeen?: number
  ended: number | null
  ending: Ending | null
  /** The failed components of the latest test; empty for other kinds. */
  states?: ComponentStates
  evidence?: Evidence | undefined
  endEvidence?: Evidence | undefined
  interimMeasure?: InterimMeasure | undefined
}

/** An event on a device that may begin or end conditions. */
export type Occurrence = { at: number; evidence?: Evidence | undefined } & (
  | { what: 'moved'; to: Stage }
  | { what: 'installed'; tests: boolean; heard: boolean }
  | {
      what: 'test'
      testType: TestType
      result: TestResult
      states: ComponentStates
      /** The light's clock was wrong, so the time of the test is unknown. */
      isClockWrong?: boolean
    }
  | { what: 'test missed' | 'test overdue'; testType: TestType }
  | { what: 'reported'; kind: ReportedKind; holds: boolean }
  | { what: 'event'; category: string; isOver: boolean }
  | { what: 'check'; kind: CheckKind; holds: boolean }
  | { what: 'repair'; part: 'equipment' | 'device' }
  | { what: 'fault'; source: 'boiler' | 'autofill' | 'device'; code: string }
  | { what: 'fault gone' }
  | { what: 'heard' }
  | { what: 'silent' }
  | { what: 'no contact' }
  | { what: 'battery not full' }
  | { what: 'battery full' }
  | { what: 'set'; kind: SettableKind }
  | { what: 'ended'; kind: KindWith<'byPerson'>; cause: 'ended by a person' | 'time over' }
)

/** Kinds that last as long as the light reports them. */
export const reportedKinds = ['inhibited', 'noMains', 'batteryLow'] as const satisfies ConditionKind[]
export type ReportedKind = (typeof reportedKinds)[number]

type Opening = Pick<Condition, 'kind' | 'key' | 'states'>

/** This many failures within an hour, with a pass in between, make a light unstable. */
const failuresOfUnstable = 5
const hour = 3_600_000

/** The conditions that an occurrence begins, given the earlier ones. */
function opens(occurrence: Occurrence, before: readonly Condition[]): Opening[] {
  const open = before.filter(isOpen)
  switch (occurrence.what) {
    case 'moved':
      return [{ kind: occurrence.to, key: '' }]
    case 'installed':
      return [
        ...(occurrence.tests ? [{ kind: 'neverTested', key: '' } as const] : []),
        ...(occurrence.heard ? [] : [{ kind: 'neverHeard', key: '' } as const]),
      ]
    case 'test': {
      const kind = kindOfTest(occurrence)
      const { testType, states } = occurrence
      if (isUnproven(occurrence)) return [{ kind: 'testNotProven', key: testType }]
      if (!kind) return []
      const failures = before.filter(
        (one) => one.kind === kind && one.key === testType && one.began > occurrence.at - hour,
      )
      // The open one is the same failure, reported again.
      const isUnstable =
        kind !== 'testDegraded' && failures.filter((one) => !isOpen(one)).length >= failuresOfUnstable - 1
      return [{ kind, key: testType, states }, ...(isUnstable ? [{ kind: 'unstable', key: '' } as const] : [])]
    }
    case 'test missed':
      return [{ kind: 'testMissed', key: occurrence.testType }]
    case 'test overdue':
      return [{ kind: 'testOverdue', key: occurrence.testType }]
    case 'reported':
    case 'check':
      return occurrence.holds ? [{ kind: occurrence.kind, key: '' }] : []
    case 'event':
      return occurrence.isOver ? [] : [{ kind: 'highEvent', key: occurrence.category.slice(0, longestCode) }]
    case 'no contact':
      return [{ kind: 'noContact', key: '' }]
    case 'repair':
      return [
        {
          kind: occurrence.part === 'device' ? 'deviceRepaired' : 'equipmentRepaired',
          key: longest(open.filter((one) => isOfTests(one.kind)).map((one) => one.key as TestType)) ?? '',
        },
      ]
    case 'fault':
      return [
        {
          kind: occurrence.source === 'device' ? 'deviceFault' : 'fault',
          key: faultKey(occurrence),
        },
      ]
    case 'silent':
      return [{ kind: 'notHeard', key: '' }]
    case 'battery not full':
      return [{ kind: 'batteryNotFull', key: '' }]
    case 'set':
      return [{ kind: occurrence.kind, key: '' }]
    case 'fault gone':
    case 'heard':
    case 'battery full':
    case 'ended':
      return []
  }
}

/** Limit for codes, since a device may send anything. */
const longestCode = 100
const faultKey = ({ source, code }: { source: string; code: string }) => `${source} ${code.slice(0, longestCode)}`

/** The condition that a test result begins; a device failure only if nothing but the device failed. */
function kindOfTest({ result, states }: Pick<Occurrence & { what: 'test' }, 'result' | 'states'>) {
  if (result === 'Degraded') return 'testDegraded'
  if (result !== 'Failed') return undefined
  const failed = components.filter((component) => states[component] === 'Failed')
  return failed.length === 1 && failed[0] === 'Emered' ? 'deviceTestFailed' : 'testFailed'
}

/** The tests that every light must have, monthly and yearly; a group may plan more. */
const required: readonly TestType[] = ['T0', 'T180']
/** Whether a required test had an inconclusive result. */
const isUnproven = ({ testType, result, isClockWrong = false }: Occurrence & { what: 'test' }) =>
  required.includes(testType) && (result === 'Indeterminate' || (result === 'Passed' && isClockWrong))
/** Whether a test proves the state of its light; a pass at an unknown time does not. */
const proves = ({ result, isClockWrong = false }: Occurrence & { what: 'test' }) =>
  isConclusive(result) && !(result === 'Passed' && isClockWrong)

const ofTests: readonly ConditionKind[] = ['testFailed', 'deviceTestFailed', 'testDegraded']
/** Whether tests report this kind, one per test type. */
export const isOfTests = (kind: ConditionKind) => ofTests.includes(kind)
const ofFaults: readonly ConditionKind[] = ['fault', 'deviceFault']
/** Whether a device reports this kind as a fault of itself or its equipment. */
export const isOfFaults = (kind: ConditionKind) => ofFaults.includes(kind)
const repairable: readonly ConditionKind[] = [...ofTests, 'equipmentBroken', 'deviceBroken', 'highEvent', 'batteryLow']
/** The test that proves a repaired light: a test at least as long as the failed one, or any test if none had failed. */
const repaired: readonly ConditionKind[] = ['equipmentRepaired', 'deviceRepaired']

function longest(types: readonly TestType[]): TestType | undefined {
  return types.toSorted((a, b) => minutesOf[b] - minutesOf[a])[0]
}

/** How an occurrence ends an open condition; undefined if it does not. */
function endingBy(occurrence: Occurrence, { kind, key, began, lastSeen }: Condition): Ending | undefined {
  switch (occurrence.what) {
    case 'moved':
      return 'moved on'
    case 'installed':
      return conditionRules[kind].stage ? 'moved on' : undefined
    case 'test': {
      if (!proves(occurrence)) return undefined
      if (kind === 'neverTested') return 'first test'
      const { testType, result } = occurrence
      if (owed.includes(kind))
        return began <= occurrence.at && minutesOf[testType] >= minutesOf[key as TestType] ? 'tested' : undefined
      const concernsTests = isOfTests(kind) || repaired.includes(kind)
      if (!concernsTests || result !== 'Passed' || (lastSeen ?? began) > occurrence.at) return undefined
      return key === '' || minutesOf[testType] >= minutesOf[key as TestType] ? 'test passed' : undefined
    }
    case 'repair':
      return repairable.includes(kind) && (lastSeen ?? began) <= occurrence.at ? 'repair recorded' : undefined
    case 'fault':
    case 'fault gone': {
      const other = occurrence.what === 'fault' ? faultKey(occurrence) !== key : true
      return isOfFaults(kind) && other ? 'fault gone' : undefined
    }
    case 'heard':
      return kind === 'notHeard' || kind === 'neverHeard' || kind === 'noContact' ? 'heard' : undefined
    case 'reported':
      return kind === occurrence.kind && !occurrence.holds ? 'no longer reported' : undefined
    case 'check':
      return kind === occurrence.kind && !occurrence.holds ? 'check recorded' : undefined
    case 'event':
      return kind === 'highEvent' && occurrence.isOver && key === occurrence.category.slice(0, longestCode)
        ? 'event over'
        : undefined
    case 'ended':
      return kind === occurrence.kind && mayEndBy({ kind, key }, occurrence.cause) ? occurrence.cause : undefined
    case 'battery full':
      return kind === 'batteryNotFull' ? 'battery full' : undefined
    case 'silent':
    case 'no contact':
    case 'test missed':
    case 'test overdue':
    case 'battery not full':
    case 'set':
      return undefined
  }
}

/**
 * Whether the ending is possible for a condition. A repair after a failed test needs a test as proof; a user can end
 * only repairs without one.
 */
export function mayEndBy({ kind, key }: Pick<Condition, 'kind' | 'key'>, ending: Ending): boolean {
  if (ending === 'ended by a person' && repaired.includes(kind) && key !== '') return false
  return (conditionRules[kind].endsBy as readonly Ending[]).includes(ending)
}

/** Whether a result is conclusive: others are pending or suppressed. */
export const isConclusive = (result: TestResult) => result === 'Passed' || result === 'Degraded' || result === 'Failed'

export const isOpen = (condition: Pick<Condition, 'ended'>) => condition.ended === null

/**
 * The conditions of a device after an occurrence: ended, added, or kept with their beginning if reported again. Does
 * not modify the given ones.
 */
export function conditionsAfter(conditions: readonly Condition[], occurrence: Occurrence): Condition[] {
  const left = conditions.map((condition): Condition => {
    const ending = isOpen(condition) ? endingBy(occurrence, condition) : undefined
    if (!ending) return condition
    return { ...condition, ended: Math.max(occurrence.at, condition.began), ending, endEvidence: occurrence.evidence }
  })
  for (const opening of opens(occurrence, conditions)) {
    const known = left.findIndex((one) => isOpen(one) && one.kind === opening.kind && one.key === opening.key)
    const seen = opening.states ? { lastSeen: occurrence.at, states: opening.states } : {}
    if (known >= 0) left[known] = { ...left[known]!, ...seen, ...(opening.states && { evidence: occurrence.evidence }) }
    else
      left.push({
        ...opening,
        ...seen,
        began: occurrence.at,
        ended: null,
        ending: null,
        evidence: occurrence.evidence,
      })
  }
  return left
}

/**
 * The conditions of a light from all its tests and repairs, in any order of arrival: a late test changes the past, not
 * what later tests have shown.
 */
export function conditionsAfterAll(occurrences: readonly Occurrence[]): Condition[] {
  return occurrences
    .toSorted((a, b) => a.at - b.at || Number(showsFailure(a)) - Number(showsFailure(b)))
    .reduce<Condition[]>(conditionsAfter, [])
}
/** Of two tests that began at the same time, the failed one wins. */
const showsFailure = (occurrence: Occurrence) =>
  occurrence.what === 'test' && (kindOfTest(occurrence) !== undefined || isUnproven(occurrence))

const rank = new Map<DeviceStatus, number>(worstFirst.map((status, index) => [status, index]))

/** Severity of a status: lower is worse. */
export const rankOf = (status: DeviceStatus) => rank.get(status) ?? deviceStatuses.length

/** The documented status for the open conditions: the worst one, or Ok if there are none. */
export function statusOf(open: readonly Pick<Condition, 'kind'>[]): DeviceStatus {
  return open
    .map(({ kind }): DeviceStatus => conditionRules[kind].status)
    .reduce((worst, status) => (rankOf(status) < rankOf(worst) ? status : worst), 'Ok')
}

export interface Standing {
  status: DeviceStatus
  /** The start of the status; null if it was never different, as far as is known. */
  since: number | null
}

/** The status with its start: the oldest condition that causes it, or for Ok the end of the last condition. */
export function standingOf(conditions: readonly Pick<Condition, 'kind' | 'began' | 'ended'>[]): Standing {
  const open = conditions.filter(isOpen)
  const status = statusOf(open)
  const times =
    status === 'Ok'
      ? conditions.flatMap(({ ended }) => (ended === null ? [] : [-ended]))
      : open.filter(({ kind }) => conditionRules[kind].status === status).map(({ began }) => began)
  return { status, since: times.length ? Math.abs(Math.min(...times)) : null }
}

/**
 * Open conditions in order of precedence: worst first, then oldest. Conditions that began at the same instant are
 * ordered by kind and key, so that every page shows the same reason.
 */
export function inOrder<C extends Pick<Condition, 'kind' | 'key' | 'began'>>(open: readonly C[]): C[] {
  const rankOfKind = ({ kind }: C) => rankOf(conditionRules[kind].status)
  const place = ({ kind }: C) => conditionKinds.indexOf(kind)
  return open.toSorted(
    (a, b) =>
      rankOfKind(a) - rankOfKind(b) ||
      a.began - b.began ||
      place(a) - place(b) ||
      (a.key < b.key ? -1 : a.key > b.key ? 1 : 0),
  )
}

/**
 * A device not heard for this many hours, or for three reporting intervals if longer, counts as failed (research,
 * domain rules 2, section 1).
 */
export const silentAfterHours = 36
export function silentAfter(reportingInterval: number): number {
  return Math.max(silentAfterHours * 3_600_000, 3 * reportingInterval * 1000)
}

/**
 * After this many hours without a report, or three reporting intervals if longer, the state of a light or gateway is
 * unknown.
 */
export const noContactAfterHours = 24
export function noContactAfter(reportingInterval: number): number {
  return Math.max(noContactAfterHours * 3_600_000, 3 * reportingInterval * 1000)
}
