import type { ComplianceState } from '../compliance/due.ts'
import { pressingStates } from '../compliance/due.ts'
import type { RecordType } from '../compliance/records.ts'
import { recordTypes } from '../compliance/records.ts'
import type { Condition } from '../conditions/conditions.ts'
import { conditionRules, standingOf } from '../conditions/conditions.ts'
import { dangerOf } from '../conditions/dangers.ts'
import type { ConnectionStatus } from '../devices/connection.ts'
import type { Product } from '../devices/products.ts'
import { familyOf } from '../devices/products.ts'
import { hasFailed } from '../devices/status.ts'
import type { DampLevel } from '../properties/damp.ts'
import { pressingDampLevels } from '../properties/damp.ts'
import type { HeatingState } from '../properties/heating.ts'
import { heatingOffStates } from '../properties/heating.ts'
import type { AlertableEventName } from './triggers.ts'
import { statusConditions } from './triggers.ts'

/** The kinds of history kept per device: the three triggers of rules, tags, building, and mute states. */
export const intervalKinds = ['DEVICESTATUS', 'CONNECTIONSTATUS', 'ALERTABLEEVENT', 'TAG', 'BUILDING', 'MUTED'] as const
export type IntervalKind = (typeof intervalKinds)[number]
/** Why alerts are muted. */
export type Mute = 'void' | 'maintenance' | 'disabled'

/**
 * The state of one type of check: when the next is due and overdue, when the last failed, whether a due date has passed
 * that a worse state hides, and whether an appliance was never checked although it must be.
 */
export interface RecordStanding {
  state: ComplianceState | null
  dueSince: number | null
  overdueSince?: number | null
  failedSince?: number | null
  isOverdue?: boolean
  isNever?: boolean
}

/** The current facts about a device that rules use. Times in ms since the epoch; null if unknown. */
export interface Facts {
  product: Product
  connection: ConnectionStatus
  connectionSince: number | null
  open: readonly Pick<Condition, 'kind' | 'key' | 'began' | 'ended'>[]
  /** When its last condition ended. */
  lastEnded: number | null
  tagIds: readonly string[]
  buildingId: string | null
  isVoid: boolean
  /** The checks of a device without a property; otherwise they belong to the property. */
  records: Record<RecordType, RecordStanding>
  /** Since when a planned test has been missed, with no completed test afterwards. */
  testMissedSince: number | null
  /** Since when its lamp has been dark despite a mains failure; undefined if not known for this light. */
  darkSince?: number | null | undefined
}

/** The current facts about a property that rules use: the same as on its page, in lists and on the dashboard. */
export interface HomeFacts {
  /** The tags of its devices. */
  tagIds: readonly string[]
  buildingId: string | null
  isVoid: boolean
  /** Whether the property is believed to be occupied: it is not void and not recorded as having no inhabitants. */
  hasPeople: boolean
  records: Record<RecordType, RecordStanding>
  heating: { state: HeatingState; since: number | null } | null
  /** Since when a room has been near freezing. */
  frostSince: number | null
  /** The level of its worst room, and since when a room has been at high risk or worse without interruption. */
  damp: { level: DampLevel; since: number | null; pressingSince: number | null }
  /** The active alert events of its Awaab's Law deadlines; `about` names the case and the step. */
  law: readonly { key: AlertableEventName; since: number; about: string }[]
}

/** A trigger or mute state that is active on a device or property. */
export interface Signal {
  kind: IntervalKind
  key: string
  since: number | null
  /** Identifies one of several signals of the same kind, such as one of the property's deadlines. */
  about?: string
}

/** The key of the interval during which a device is not in a building. */
export const noBuilding = 'none'

/** All active trigger and mute states of a device. */
export function signalsOf(facts: Facts): Signal[] {
  // 'No building' is recorded as an interval too, so that history distinguishes it from 'not known'.
  const scope: Signal[] = [
    ...facts.tagIds.map((key): Signal => ({ kind: 'TAG', key, since: null })),
    { kind: 'BUILDING', key: facts.buildingId ?? noBuilding, since: null },
  ]
  // Devices in stock or in transit have no tests or lockouts, and their silence is expected.
  if (facts.open.some(({ kind }) => conditionRules[kind].stage)) return scope
  return [...scope, ...statusOf(facts), ...connectionOf(facts), ...eventsOf(facts), ...mutesOf(facts)]
}

function statusOf({ open, lastEnded }: Facts): Signal[] {
  // Silence does not clear an earlier failure: a status hidden only by silence still applies.
  const known = open.filter(({ kind }) => kind !== 'notHeard' && kind !== 'noContact')
  const { status, since } = standingOf(known)
  if (!(statusConditions as readonly string[]).includes(status)) return []
  return [{ kind: 'DEVICESTATUS', key: status, since: since ?? lastEnded }]
}

const connectionOf = ({ connection, connectionSince }: Facts): Signal[] => [
  { kind: 'CONNECTIONSTATUS', key: connection, since: connectionSince },
]

type CheckEvent = 'due' | 'overdue' | 'failed' | 'never'
const checkEvents: Record<RecordType, Record<CheckEvent, AlertableEventName>> = {
  GasSafety: {
    ...{ due: 'gasCheckDue', overdue: 'gasCheckOverdue' },
    ...{ failed: 'gasCheckFailed', never: 'gasNeverChecked' },
  },
  WaterTreatment: {
    ...{ due: 'waterTreatmentDue', overdue: 'waterTreatmentOverdue' },
    ...{ failed: 'waterTreatmentFailed', never: 'waterNeverTreated' },
  },
}

/**
 * Silence is not a failure, although earlier versions recorded it as one for lights, and this version does for other
 * devices.
 */
const isSilence = ({ kind }: Pick<Condition, 'kind'>) => kind === 'notHeard' || kind === 'noContact'

const hasFailure = (one: Facts['open'][number]) => !isSilence(one) && hasFailed(conditionRules[one.kind].status)

function eventsOf(facts: Facts): Signal[] {
  const signals: Signal[] = []
  const add = (key: AlertableEventName, since: number | null) => signals.push({ kind: 'ALERTABLEEVENT', key, since })
  const first = (key: AlertableEventName, is: (one: Facts['open'][number]) => boolean) => {
    const times = facts.open.filter(is).map(({ began }) => began)
    if (times.length) add(key, Math.min(...times))
  }
  first('boilerLockout', ({ kind, key }) => kind === 'fault' && key.startsWith('boiler '))
  first('autofillLockout', ({ kind, key }) => kind === 'fault' && key.startsWith('autofill '))
  first('testFailed', ({ kind }) => kind === 'testFailed' || kind === 'deviceTestFailed')
  const family = familyOf(facts.product)
  first('deviceFailed', hasFailure)
  if (family === 'emered') {
    first('lightFailed', hasFailure)
    first('testOverdue', ({ kind }) => kind === 'testOverdue')
    first('lightInhibited', ({ kind }) => kind === 'inhibited')
    first('lightUnstable', ({ kind }) => kind === 'unstable')
  }
  // A silent gateway suppresses the alerts of the lights connected through it, and so represents them.
  if (family === 'emered' || family === 'gateway') first('noContact', ({ kind }) => kind === 'noContact')
  for (const { kind, key, began } of facts.open) {
    const danger = kind === 'highEvent' && dangerOf(key)
    if (danger) add(danger, began)
  }
  first('batteryNotFull', ({ kind }) => kind === 'batteryNotFull')
  if (facts.testMissedSince !== null) add('testMissed', facts.testMissedSince)
  addChecks(facts.records, add)
  if (facts.darkSince !== undefined) add('lampDark', facts.darkSince)
  if (family === 'gateway' && facts.connection === 'NotConnected') add('gatewaySilent', facts.connectionSince)
  return earliestOfEach(signals)
}

function addChecks(records: Facts['records'], add: (key: AlertableEventName, since: number | null) => void): void {
  for (const type of recordTypes) {
    const { state, dueSince, overdueSince = null, failedSince = null, isOverdue, isNever } = records[type]
    const events = checkEvents[type]
    if ((pressingStates as readonly unknown[]).includes(state)) add(events.due, dueSince)
    if (state === 'Overdue' || isOverdue) add(events.overdue, overdueSince)
    if (state === 'Failed') add(events.failed, failedSince)
    if (isNever) add(events.never, null)
  }
}

/** All active trigger and mute states of a property. */
export function signalsOfHome({ records, heating, frostSince, damp, law, ...facts }: HomeFacts): Signal[] {
  const signals: Signal[] = [
    ...facts.tagIds.map((key): Signal => ({ kind: 'TAG', key, since: null })),
    { kind: 'BUILDING', key: facts.buildingId ?? noBuilding, since: null },
  ]
  const add = (key: AlertableEventName, since: number | null, about = '') =>
    signals.push({ kind: 'ALERTABLEEVENT', key, since, about })
  addChecks(records, add)
  if (facts.hasPeople && heating && (heatingOffStates as readonly string[]).includes(heating.state))
    add('heatingOff', heating.since)
  if (frostSince !== null) add('frostRisk', frostSince)
  const isPressing = (pressingDampLevels as readonly string[]).includes(damp.level)
  // The signal stays active while the property's sensors are silent: no reading shows that it is dry.
  if (damp.pressingSince !== null) add('dampAndMould', damp.pressingSince)
  // At a higher level the start of 'watch' is not known.
  if (isPressing || damp.level === 'watch') add('dampWatch', isPressing ? null : damp.since)
  if (damp.level === 'severe') add('dampSevere', damp.since)
  for (const { key, since, about } of law) add(key, since, about)
  if (facts.isVoid) signals.push({ kind: 'MUTED', key: 'void' satisfies Mute, since: null })
  return signals
}

/** The longest-running signal of each event. */
const earliestOfEach = (signals: readonly Signal[]): Signal[] =>
  [...Map.groupBy(signals, ({ key }) => key).values()].map((of) =>
    of.reduce((first, one) => ((one.since ?? 0) < (first.since ?? 0) ? one : first)),
  )

function mutesOf({ isVoid, open }: Facts): Signal[] {
  const mutes: Signal[] = []
  const add = (key: Mute, since: number | null) => mutes.push({ kind: 'MUTED', key, since })
  if (isVoid) add('void', null)
  for (const { kind, began } of open)
    if (kind === 'maintenance') add('maintenance', began)
    else if (kind === 'disabledOther' || kind === 'disabledNonPayment') add('disabled', began)
  return mutes.filter((one, index) => mutes.findIndex(({ key }) => key === one.key) === index)
}

/** Dangers to an empty property, which no one else would notice. An autofill locks out when water escapes somewhere. */
const neverVoid: readonly string[] = [
  'frostRisk',
  'waterLeak',
  'autofillLockout',
  'carbonMonoxide',
] satisfies AlertableEventName[]

/**
 * Whether a mute state applies to a rule. Maintenance mutes all rules except those about maintenance itself. Void mode
 * never mutes frost, leaks, autofill lockouts and carbon monoxide.
 */
export function mutesRule(mute: string, condition: string): boolean {
  // A legal deadline continues regardless of device or tenancy; so does the risk of freezing.
  if (condition.startsWith('awaabsLaw') || condition === 'frostRisk') return false
  if (mute === 'void') return !neverVoid.includes(condition)
  return mute !== 'maintenance' || condition !== 'PreventativeMaintenance'
}
