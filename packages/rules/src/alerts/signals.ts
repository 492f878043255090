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

/** Kinds of what is kept of a device's history: the three triggers of rules, its tags and building, and why rules are muted. */
export const spellKinds = ['DEVICESTATUS', 'CONNECTIONSTATUS', 'ALERTABLEEVENT', 'TAG', 'BUILDING', 'MUTED'] as const
export type SpellKind = (typeof spellKinds)[number]
/** Why rules hold their tongue. */
export type Mute = 'void' | 'maintenance' | 'disabled'

/**
 * The state of one kind of check: from when on the next is due and overdue, since when the last has failed, whether a due date has passed
 * although the state is a worse one, and whether an appliance was never checked although it has to be.
 */
export interface RecordStanding {
  state: ComplianceState | null
  dueSince: number | null
  overdueSince?: number | null
  failedSince?: number | null
  isOverdue?: boolean
  isNever?: boolean
}

/** What is known of a device now, as far as rules ask. Times in ms since the epoch; null where it is not known. */
export interface Facts {
  product: Product
  connection: ConnectionStatus
  connectionSince: number | null
  open: readonly Pick<Condition, 'kind' | 'key' | 'began' | 'ended'>[]
  /** When the last of its conditions ended. */
  lastEnded: number | null
  tagIds: readonly string[]
  buildingId: string | null
  isVoid: boolean
  /** How it stands with the checks of a device in no home; those of others are facts of their home. */
  records: Record<RecordType, RecordStanding>
  /** Since when a planned test of it was missed, and none that came about has followed. */
  testMissedSince: number | null
  /** Since when its lamp is dark although mains is away; undefined where that is not known of it. */
  darkSince?: number | null | undefined
}

/** What is known of a home now, as far as rules ask: the same facts as its page, lists and the dashboard show. */
export interface HomeFacts {
  /** The tags that its devices carry. */
  tagIds: readonly string[]
  buildingId: string | null
  isVoid: boolean
  /** Whether people live in it, as far as anybody knows: it is not void, and not known to have no inhabitants. */
  hasPeople: boolean
  records: Record<RecordType, RecordStanding>
  heating: { state: HeatingState; since: number | null } | null
  /** Since when a room is near freezing. */
  frostSince: number | null
  /** The level of its worst room, and since when one has been at high risk or worse without a break. */
  damp: { level: DampLevel; since: number | null; pressingSince: number | null }
  /** What holds of each of its running deadlines under Awaab's Law; `about` names the case and the step. */
  law: readonly { key: AlertableEventName; since: number; about: string }[]
}

/** Something that is so with a device or a home now. */
export interface Signal {
  kind: SpellKind
  key: string
  since: number | null
  /** Which of several of the same kind it is, such as a deadline of the home. */
  about?: string
}

/** The key of a spell of a device that stands in no building. */
export const noBuilding = 'none'

/** Everything that is so with a device now and that a rule may wait for, or that keeps rules silent. */
export function signalsOf(facts: Facts): Signal[] {
  // A device without a building has a spell of that as well, so that history tells 'none yet' from 'not known'.
  const scope: Signal[] = [
    ...facts.tagIds.map((key): Signal => ({ kind: 'TAG', key, since: null })),
    { kind: 'BUILDING', key: facts.buildingId ?? noBuilding, since: null },
  ]
  // What is in stock or on its way has no tests, no lockouts, and is not missed.
  if (facts.open.some(({ kind }) => conditionRules[kind].stage)) return scope
  return [...scope, ...statusOf(facts), ...connectionOf(facts), ...eventsOf(facts), ...mutesOf(facts)]
}

function statusOf({ open, lastEnded }: Facts): Signal[] {
  // Silence is no news of what had failed: a status that only it has covered is still so.
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

/** Silence, which earlier versions recorded as a failure of lights, and this one of other devices, is none. */
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
  // The silence of a gateway holds back the alerts of the lights behind it, and so stands for them.
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

/** Everything that is so with a home now and that a rule may wait for, or that keeps rules silent. */
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
  // It goes on while the sensors of the home are silent: no reading shows that the home is dry.
  if (damp.pressingSince !== null) add('dampAndMould', damp.pressingSince)
  // Of a higher level nobody knows when the home was first watched.
  if (isPressing || damp.level === 'watch') add('dampWatch', isPressing ? null : damp.since)
  if (damp.level === 'severe') add('dampSevere', damp.since)
  for (const { key, since, about } of law) add(key, since, about)
  if (facts.isVoid) signals.push({ kind: 'MUTED', key: 'void' satisfies Mute, since: null })
  return signals
}

/** Of several signals of one event the one that is so for longest. */
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

/** A danger to an empty home, in which nobody else would notice it; an autofill gives up where the water goes somewhere. */
const neverVoid: readonly string[] = [
  'frostRisk',
  'waterLeak',
  'autofillLockout',
  'carbonMonoxide',
] satisfies AlertableEventName[]

/**
 * Whether such a mute holds for a rule. That a device is due for maintenance is what a rule about that wants to tell of; it
 * silences all others. Void mode never silences frost, leaks and carbon monoxide.
 */
export function silences(mute: string, condition: string): boolean {
  // A legal deadline runs on, whatever becomes of a device or of the tenancy; so does the danger of a frozen home.
  if (condition.startsWith('awaabsLaw') || condition === 'frostRisk') return false
  if (mute === 'void') return !neverVoid.includes(condition)
  return mute !== 'maintenance' || condition !== 'PreventativeMaintenance'
}
