import type { ComplianceState } from '../compliance/due.ts'
import { pressingStates } from '../compliance/due.ts'
import type { RecordType } from '../compliance/records.ts'
import { recordTypes } from '../compliance/records.ts'
import type { Condition } from '../conditions/conditions.ts'
import { conditionRules, standingOf } from '../conditions/conditions.ts'
import type { ConnectionStatus } from '../devices/connection.ts'
import type { Product } from '../devices/products.ts'
import { familyOf } from '../devices/products.ts'
import { hasFailed } from '../devices/status.ts'
import type { AlertableEventName } from './triggers.ts'
import { statusConditions } from './triggers.ts'

/** Kinds of what is kept of a device's history: the three triggers of rules, its tags and building, and why rules are muted. */
export const spellKinds = ['DEVICESTATUS', 'CONNECTIONSTATUS', 'ALERTABLEEVENT', 'TAG', 'BUILDING', 'MUTED'] as const
export type SpellKind = (typeof spellKinds)[number]
/** Why rules hold their tongue. */
export type Mute = 'void' | 'maintenance' | 'disabled'

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
  records: Record<RecordType, { state: ComplianceState | null; dueSince: number | null }>
  /** Since when a planned test of it was missed, and none that came about has followed. */
  testMissedSince: number | null
  /** Since when its lamp is dark although mains is away; undefined where that is not known of it. */
  darkSince?: number | null | undefined
  /** Since when damp and mould are likely in its room; null where they are not, or nothing was known of it yet. */
  dampSince: number | null
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

const dueEvents: Record<RecordType, AlertableEventName> = {
  GasSafety: 'gasCheckDue',
  WaterTreatment: 'waterTreatmentDue',
}

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
  if (familyOf(facts.product) === 'emered') {
    // Silence, recorded as a failure by earlier versions, is none.
    first('lightFailed', ({ kind }) => kind !== 'notHeard' && hasFailed(conditionRules[kind].status))
    first('testOverdue', ({ kind }) => kind === 'testOverdue')
    first('lightInhibited', ({ kind }) => kind === 'inhibited')
    first('lightUnstable', ({ kind }) => kind === 'unstable')
    first('noContact', ({ kind }) => kind === 'noContact')
  }
  first('batteryNotFull', ({ kind }) => kind === 'batteryNotFull')
  if (facts.testMissedSince !== null) add('testMissed', facts.testMissedSince)
  for (const type of recordTypes) {
    const { state, dueSince } = facts.records[type]
    if ((pressingStates as readonly unknown[]).includes(state)) add(dueEvents[type], dueSince)
  }
  if (facts.darkSince !== undefined) add('lampDark', facts.darkSince)
  if (facts.dampSince !== null) add('dampAndMould', facts.dampSince)
  if (familyOf(facts.product) === 'gateway' && facts.connection === 'NotConnected') {
    add('gatewaySilent', facts.connectionSince)
    // Its silence holds back the alerts of the lights behind it, and so stands for them.
    add('noContact', facts.connectionSince)
  }
  return signals
}

function mutesOf({ isVoid, open }: Facts): Signal[] {
  const mutes: Signal[] = []
  const add = (key: Mute, since: number | null) => mutes.push({ kind: 'MUTED', key, since })
  if (isVoid) add('void', null)
  for (const { kind, began } of open)
    if (kind === 'maintenance') add('maintenance', began)
    else if (kind === 'disabledOther' || kind === 'disabledNonPayment') add('disabled', began)
  return mutes.filter((one, index) => mutes.findIndex(({ key }) => key === one.key) === index)
}

/**
 * Whether such a mute holds for a rule. That a device is due for maintenance is what a rule about that wants to tell of; it
 * silences all others.
 */
export const silences = (mute: string, condition: string) =>
  mute !== 'maintenance' || condition !== 'PreventativeMaintenance'
