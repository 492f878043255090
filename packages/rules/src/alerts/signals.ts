import type { ComplianceState } from '../compliance/due.ts'
import { pressingStates } from '../compliance/due.ts'
import type { RecordType } from '../compliance/records.ts'
import { recordTypes } from '../compliance/records.ts'
import type { Condition } from '../conditions/conditions.ts'
import { conditionRules, standingOf } from '../conditions/conditions.ts'
import { dangerOf } from '../conditions/dangers.ts'
import type { ConnectionStatus } from '../devices/connection.ts'
import type { Family, Product } from '../devices/products.ts'
import { familyOf } from '../devices/products.ts'
import { hasFailed } from '../devices/status.ts'
import type { DampLevel } from '../properties/damp.ts'
import type { AlertableEventName } from './triggers.ts'
import { statusConditions } from './triggers.ts'

/** Kinds of what is kept of a device's history: the three triggers of rules, its tags and building, and why rules are muted. */
export const spellKinds = ['DEVICESTATUS', 'CONNECTIONSTATUS', 'ALERTABLEEVENT', 'TAG', 'BUILDING', 'MUTED'] as const
export type SpellKind = (typeof spellKinds)[number]
/** Why rules hold their tongue. */
export type Mute = 'void' | 'maintenance' | 'disabled'

/** How it stands with one kind of check: from when on the next is due and overdue, and whether it was never checked although it has to be. */
export interface RecordStanding {
  state: ComplianceState | null
  dueSince: number | null
  overdueSince?: number | null
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
  /** How it stands with what is recorded of it, and from when on the next is due. */
  records: Record<RecordType, RecordStanding>
  /** Since when a planned test of it was missed, and none that came about has followed. */
  testMissedSince: number | null
  /** Since when its lamp is dark although mains is away; undefined where that is not known of it. */
  darkSince?: number | null | undefined
  /** Since when damp and mould are likely in its room; null where they are not, or nothing was known of it yet. */
  dampSince: number | null
  /** The level of its room as assessed last. */
  damp?: { level: DampLevel; since: number } | null
  /** Whether people live in its home, as far as anybody knows. */
  hasPeople?: boolean
  /** Since when a room of its home is near freezing, for the one device that stands for the home. */
  frostSince?: number | null
  /** What holds of the deadline of its home, for the one device that stands for the home. */
  law?: readonly { key: AlertableEventName; since: number }[]
}

/** Something that is so with a device now. */
export interface Signal {
  kind: SpellKind
  key: string
  since: number | null
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

const heating: readonly Family[] = ['boiler', 'airSourceHeatPump']
/** What takes the heat away, as the state of a home's heating has it. */
const stopsHeating = ({ kind, key }: Facts['open'][number]) => kind === 'fault' && key.startsWith('boiler ')

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
  if (facts.hasPeople && !facts.isVoid && heating.includes(family)) first('heatingOff', stopsHeating)
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
  if (facts.frostSince) add('frostRisk', facts.frostSince)
  first('batteryNotFull', ({ kind }) => kind === 'batteryNotFull')
  if (facts.testMissedSince !== null) add('testMissed', facts.testMissedSince)
  for (const type of recordTypes) {
    const { state, dueSince, overdueSince = null, isNever } = facts.records[type]
    const events = checkEvents[type]
    if ((pressingStates as readonly unknown[]).includes(state)) add(events.due, dueSince)
    if (state === 'Overdue') add(events.overdue, overdueSince)
    if (state === 'Failed') add(events.failed, null)
    if (isNever) add(events.never, null)
  }
  if (facts.darkSince !== undefined) add('lampDark', facts.darkSince)
  if (facts.dampSince !== null) add('dampAndMould', facts.dampSince)
  const { damp } = facts
  if (damp?.level === 'watch' || damp?.level === 'high' || damp?.level === 'severe')
    // Of a higher level nobody knows when the room was first watched.
    add('dampWatch', damp.level === 'watch' ? damp.since : null)
  if (damp?.level === 'severe') add('dampSevere', damp.since)
  for (const { key, since } of facts.law ?? []) add(key, since)
  if (family === 'gateway' && facts.connection === 'NotConnected') add('gatewaySilent', facts.connectionSince)
  return earliestOfEach(signals)
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
