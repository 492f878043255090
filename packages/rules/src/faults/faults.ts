import { mayBecome } from '../commands/commands.ts'
import type { CommandLife } from '../commands/life.ts'
import { statusAt } from '../commands/life.ts'

/** The equipment whose faults a boiler page shows (devices specification, section 3, Fault). */
export const boilerFaultSources = ['boiler', 'autofill'] as const
export type BoilerFaultSource = (typeof boilerFaultSources)[number]

/** A fault on a boiler page; instants are ISO 8601. */
export interface Fault {
  faultCode: string
  /** The description from the device; null if it sends none. */
  description: string | null
  /** When the fault began. */
  timestamp: string
  faultSource: BoilerFaultSource
  isResettable: boolean
}

/** A fault with its device and its end; null while active. */
export interface KnownFault extends Fault {
  deviceId: string
  endedAt: string | null
}

/**
 * The active faults, worst first: boiler faults (no heating) before autofill faults (heating will fail), then the
 * oldest.
 */
export function openFaults<F extends KnownFault>(faults: readonly F[]): F[] {
  const rank = ({ faultSource }: F) => boilerFaultSources.indexOf(faultSource)
  return faults
    .filter(({ endedAt }) => endedAt === null)
    .toSorted((a, b) => rank(a) - rank(b) || Date.parse(a.timestamp) - Date.parse(b.timestamp))
}

/** The fault of the alarm panel: the first one, unless its code is 'None' (devices specification, section 4). */
export function alarmFault<F extends Pick<Fault, 'faultCode'>>([first]: readonly F[]): F | undefined {
  return first?.faultCode === 'None' ? undefined : first
}

/** The description of a fault without a leading 'lockout', to follow the code: 'flame not detected'. */
export function shortDescription(description: string): string {
  const rest = description.replace(/^[^:]*\blockout:\s*/i, '').replace(/[.\s]+$/, '')
  // A name that begins with two capitals keeps them.
  return /^\p{Lu}\p{Ll}/u.test(rest) ? rest.charAt(0).toLowerCase() + rest.slice(1) : rest
}

/** 'Lockout EA – flame not detected': a fault that can be reset is called a lockout. */
export function faultTitle({ faultCode, description, faultSource, isResettable }: Fault): string {
  const what = isResettable ? 'lockout' : 'fault'
  const whose = faultSource === 'autofill' ? `Autofill ${what}` : what.charAt(0).toUpperCase() + what.slice(1)
  return [`${whose} ${faultCode}`, description && shortDescription(description)].filter(Boolean).join(' – ')
}

/** The effect of a fault on the occupants. */
export function faultMeaning({ faultSource, isResettable }: Pick<Fault, 'faultSource' | 'isResettable'>): string {
  if (faultSource === 'autofill')
    return 'The autofill no longer tops up the heating system. There may be a leak: check for one before the reset.'
  return isResettable
    ? 'The boiler has locked itself out. There is no heating or hot water until it is reset.'
    : 'There may be no heating or hot water until it is cleared at the boiler.'
}

/** Days over which lockouts are counted. */
export const lockoutDays = 30
const dayLength = 86_400_000
/** From this number of lockouts, another reset does not help (devices pages: the third requires a visit). */
export const visitAt = 3

/**
 * How often the device had such a fault in the last 30 days, including this one; lockouts count together whatever their
 * code.
 */
export function timesLately(fault: KnownFault, faults: readonly KnownFault[], now: number): number {
  const isSuch = (other: KnownFault) =>
    other.deviceId === fault.deviceId &&
    other.faultSource === fault.faultSource &&
    (other.faultCode === fault.faultCode || (fault.isResettable && other.isResettable)) &&
    other.timestamp !== fault.timestamp &&
    now - Date.parse(other.timestamp) <= lockoutDays * dayLength
  return 1 + faults.filter(isSuch).length
}

const ordinals = ['', 'First', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth', 'Seventh', 'Eighth', 'Ninth', 'Tenth']

/** 'Third lockout'; from eleven '11 lockouts'. */
export function timesText(times: number, { isResettable }: Pick<Fault, 'isResettable'>): string {
  const what = isResettable ? 'lockout' : 'fault'
  return ordinals[times] ? `${ordinals[times]} ${what}` : `${times} ${what}s`
}

/** A requested reset with its current state. */
export type Reset = CommandLife & { createdAt: string; requestedBy: string | null }

const wasDone = ({ status, lateAnswer }: Reset) => status === 'confirmed' || lateAnswer === 'confirmed'

/** Milliseconds after the answer in which a device reports that its fault has cleared. */
const reportWithin = 15 * 60_000
/** Tolerated difference between device clock and server clock, in ms. */
const clocksDiffer = 60_000

/** The reset that cleared a fault: the last one that the device confirmed shortly before reporting the end. */
export function endedBy<R extends Reset>({ timestamp, endedAt }: KnownFault, resets: readonly R[]): R | undefined {
  if (endedAt === null) return undefined
  const end = Date.parse(endedAt)
  return resets
    .filter((reset) => {
      const at = Date.parse(reset.answeredAt ?? '')
      return wasDone(reset) && at >= Date.parse(timestamp) && at <= end + clocksDiffer && end - at <= reportWithin
    })
    .toSorted((a, b) => Date.parse(b.answeredAt!) - Date.parse(a.answeredAt!))[0]
}

/** The result of a reset, its time, and who requested it; null if unknown. */
interface Tried<State extends string> {
  state: State
  at: string
  by: string | null
}

/** The state of a lockout with regard to its resets. */
export type ResetStanding =
  | { state: 'untried' }
  /** On its way, or confirmed and the new state not reported yet. */
  | Tried<'sending'>
  | (Tried<'refused'> & { message: string | null })
  | Tried<'unanswered'>
  /** Confirmed, but the fault is still active, or returned after `again` ms. */
  | (Tried<'no help'> & { again: number | null })

/** If the same lockout returns within this many ms, the reset did not help. */
const soonAgain = 3_600_000
/** Milliseconds in which a device reports the effect of a reset. */
const reportsWithin = 60_000

/** The state of an active fault with regard to the last reset of its device; `resets` start with the newest. */
export function resetStanding(fault: Fault, resets: readonly Reset[], now: number): ResetStanding {
  const last = resets.find(({ withdrawnAt }) => withdrawnAt === null)
  if (!last) return { state: 'untried' }
  const began = Date.parse(fault.timestamp)
  const by = last.requestedBy
  if (wasDone(last)) {
    const at = last.answeredAt ?? last.createdAt
    const again = began - Date.parse(at)
    if (again > 0) return again <= soonAgain ? { state: 'no help', at, by, again } : { state: 'untried' }
    return now - Date.parse(at) < reportsWithin
      ? { state: 'sending', at: last.createdAt, by }
      : { state: 'no help', at, by, again: null }
  }
  const status = statusAt(last, now)
  if (mayBecome(status, 'confirmed')) return { state: 'sending', at: last.createdAt, by }
  if (Date.parse(last.createdAt) < began - clocksDiffer) return { state: 'untried' }
  if (status === 'failed') return { state: 'refused', at: last.answeredAt ?? last.createdAt, by, message: last.message }
  return { state: 'unanswered', at: last.expiresAt, by }
}

/** The last confirmed reset before a fault began, and for how many ms it kept the fault away. */
export function lastHeld<R extends Reset>(
  { timestamp }: Fault,
  resets: readonly R[],
): { reset: R; held: number } | undefined {
  const began = Date.parse(timestamp)
  const reset = resets.find((one) => wasDone(one) && Date.parse(one.answeredAt ?? one.createdAt) < began)
  return reset && { reset, held: began - Date.parse(reset.answeredAt ?? reset.createdAt) }
}

/** Why a fault cannot be reset remotely; undefined if it can. */
export function noResetText(
  { faultSource, isResettable }: Pick<Fault, 'faultSource' | 'isResettable'>,
  { remoteReset, belowHomeHub, isFound }: { remoteReset: boolean; belowHomeHub: boolean; isFound: boolean },
): string | undefined {
  if (faultSource === 'autofill') {
    if (!isFound) return 'The fault must be cleared at the autofill.'
    return belowHomeHub ? 'An autofill that is connected to a home hub cannot be reset in the portal.' : undefined
  }
  if (!isResettable) return 'The fault must be cleared at the boiler.'
  return remoteReset ? undefined : 'This boiler cannot be reset remotely: the fault must be cleared at the boiler.'
}

/** A fault code with its faults in a time range, as one lane of the chart. */
export interface Lane<F> {
  faultCode: string
  description: string | null
  faultSource: BoilerFaultSource
  faults: F[]
}

/** The faults by code: active ones first, then the most recent. */
export function lanesOf<F extends KnownFault>(faults: readonly F[]): Lane<F>[] {
  const lanes = Map.groupBy(faults, ({ faultSource, faultCode }) => `${faultSource} ${faultCode}`)
  const lasting = ({ faults: own }: Lane<F>) => Number(own.some(({ endedAt }) => endedAt === null))
  const latest = ({ faults: own }: Lane<F>) => Math.max(...own.map(({ timestamp }) => Date.parse(timestamp)))
  return [...lanes.values()]
    .map((own) => {
      const { faultCode, faultSource } = own[0]!
      const description = own.find((one) => one.description !== null)?.description ?? null
      return { faultCode, faultSource, description, faults: own }
    })
    .toSorted((a, b) => lasting(b) - lasting(a) || latest(b) - latest(a))
}

/** Another fault that began before the active one first occurred: possibly its cause. */
export function cameFirst<F extends KnownFault>(faults: readonly F[]): F | undefined {
  const lasting = alarmFault(openFaults(faults))
  if (!lasting) return undefined
  const oldestFirst = faults.toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp))
  const first = oldestFirst[0]!
  return first.faultCode === lasting.faultCode ? undefined : first
}

/** Milliseconds with at least one active fault between two instants. */
export function timeInFault(faults: readonly KnownFault[], from: number, to: number): number {
  const spans = faults
    .map(({ timestamp, endedAt }) => [
      Math.max(from, Date.parse(timestamp)),
      Math.min(to, endedAt === null ? to : Date.parse(endedAt)),
    ])
    .toSorted(([a], [b]) => a! - b!)
  let [sum, reached] = [0, from]
  for (const [begin, end] of spans) {
    sum += Math.max(0, end! - Math.max(begin!, reached))
    reached = Math.max(reached, end!)
  }
  return sum
}
