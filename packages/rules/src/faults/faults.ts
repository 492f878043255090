import { mayBecome } from '../commands/commands.ts'
import type { CommandLife } from '../commands/life.ts'
import { statusAt } from '../commands/life.ts'

/** Whose fault it is that a boiler's page tells of (devices specification, section 3, Fault). */
export const boilerFaultSources = ['boiler', 'autofill'] as const
export type BoilerFaultSource = (typeof boilerFaultSources)[number]

/** A fault as a boiler's page tells of it; instants are ISO 8601. */
export interface Fault {
  faultCode: string
  /** What it means, in the words of the device; null where it does not say. */
  description: string | null
  /** Since when. */
  timestamp: string
  faultSource: BoilerFaultSource
  isResettable: boolean
}

/** A fault with its device and its end; null while it lasts. */
export interface KnownFault extends Fault {
  deviceId: string
  endedAt: string | null
}

/** The faults that last, the worst first: without a boiler a home is cold, without an autofill it will be. Of equal ones the oldest. */
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

/** What a fault means without the 'lockout' before it, to stand after a code: 'flame not detected'. */
export function shortDescription(description: string): string {
  const rest = description.replace(/^[^:]*\blockout:\s*/i, '').replace(/[.\s]+$/, '')
  // A name that begins with two capitals is no beginning of a sentence.
  return /^\p{Lu}\p{Ll}/u.test(rest) ? rest.charAt(0).toLowerCase() + rest.slice(1) : rest
}

/** 'Lockout EA – flame not detected': a fault that a reset can end is a lockout. */
export function faultTitle({ faultCode, description, faultSource, isResettable }: Fault): string {
  const what = isResettable ? 'lockout' : 'fault'
  const whose = faultSource === 'autofill' ? `Autofill ${what}` : what.charAt(0).toUpperCase() + what.slice(1)
  return [`${whose} ${faultCode}`, description && shortDescription(description)].filter(Boolean).join(' – ')
}

/** What a fault means for the people in the home. */
export function faultMeaning({ faultSource, isResettable }: Pick<Fault, 'faultSource' | 'isResettable'>): string {
  if (faultSource === 'autofill')
    return 'Nothing fills the heating system any more. Water may be going somewhere: look for a leak before the reset.'
  return isResettable
    ? 'The boiler has locked itself out. There is no heating or hot water until it is reset.'
    : 'There may be no heating or hot water until it is cleared at the boiler.'
}

/** Days within which lockouts are counted. */
export const lockoutDays = 30
const dayLength = 86_400_000
/** Lockouts within these days that a reset does not mend any more (devices pages: the third means a visit). */
export const visitAt = 3

/** How often the device had such a fault in the last 30 days, this one included; of lockouts all count, whatever their code. */
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

/** 'Third lockout'; from eleven on '11 lockouts'. */
export function timesText(times: number, { isResettable }: Pick<Fault, 'isResettable'>): string {
  const what = isResettable ? 'lockout' : 'fault'
  return ordinals[times] ? `${ordinals[times]} ${what}` : `${times} ${what}s`
}

/** A reset that somebody asked for, as far as it has come. */
export type Reset = CommandLife & { createdAt: string; requestedBy: string | null }

const wasDone = ({ status, lateAnswer }: Reset) => status === 'confirmed' || lateAnswer === 'confirmed'

/** Milliseconds after the answer within which a device reports that its fault is gone. */
const tellsWithin = 15 * 60_000
/** The clocks of a device and ours differ by so much. */
const clocksDiffer = 60_000

/** The reset that ended a fault: the last that the device confirmed shortly before it reported the end. */
export function endedBy<R extends Reset>({ timestamp, endedAt }: KnownFault, resets: readonly R[]): R | undefined {
  if (endedAt === null) return undefined
  const end = Date.parse(endedAt)
  return resets
    .filter((reset) => {
      const at = Date.parse(reset.answeredAt ?? '')
      return wasDone(reset) && at >= Date.parse(timestamp) && at <= end + clocksDiffer && end - at <= tellsWithin
    })
    .toSorted((a, b) => Date.parse(b.answeredAt!) - Date.parse(a.answeredAt!))[0]
}

/** What became of a reset, since when, and who asked for it; null where nobody is known. */
interface Tried<State extends string> {
  state: State
  at: string
  by: string | null
}

/** How a lockout stands with the resets that were asked for. */
export type ResetStanding =
  | { state: 'untried' }
  /** On its way, or done and the device has still to report it. */
  | Tried<'sending'>
  | (Tried<'refused'> & { message: string | null })
  | Tried<'unanswered'>
  /** Done, and the fault is still there, or there again so many ms later. */
  | (Tried<'no help'> & { again: number | null })

/** Milliseconds after a reset within which the same lockout says that the reset did not help. */
const soonAgain = 3_600_000
/** Milliseconds that a device is given to report what a reset did. */
const reportsWithin = 60_000

/** What the last reset of its device means for a fault that lasts. `resets` begin with the newest. */
export function resetStanding(fault: Fault, resets: readonly Reset[], now: number): ResetStanding {
  const last = resets.find(({ takenBackAt }) => takenBackAt === null)
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

/** The last reset before a fault began that the device did, and how many ms it held. */
export function lastHeld<R extends Reset>(
  { timestamp }: Fault,
  resets: readonly R[],
): { reset: R; held: number } | undefined {
  const began = Date.parse(timestamp)
  const reset = resets.find((one) => wasDone(one) && Date.parse(one.answeredAt ?? one.createdAt) < began)
  return reset && { reset, held: began - Date.parse(reset.answeredAt ?? reset.createdAt) }
}

/** Why nobody can reset a fault from afar; undefined when somebody can. */
export function noResetText(
  { faultSource, isResettable }: Pick<Fault, 'faultSource' | 'isResettable'>,
  { remoteReset, belowHomeHub, isFound }: { remoteReset: boolean; belowHomeHub: boolean; isFound: boolean },
): string | undefined {
  if (faultSource === 'autofill') {
    if (!isFound) return 'It must be cleared at the autofill.'
    return belowHomeHub ? 'An autofill below a home hub cannot be reset from here.' : undefined
  }
  if (!isResettable) return 'It must be cleared at the boiler.'
  return remoteReset ? undefined : 'This boiler cannot be reset from afar: it must be cleared there.'
}

/** A code with its faults in a range of time, for a picture of them. */
export interface Lane<F> {
  faultCode: string
  description: string | null
  faultSource: BoilerFaultSource
  faults: F[]
}

/** The faults by code: those that last first, then by which came last. */
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

/** Another fault that had come before the one that lasts first came: perhaps its cause. */
export function cameFirst<F extends KnownFault>(faults: readonly F[]): F | undefined {
  const lasting = alarmFault(openFaults(faults))
  if (!lasting) return undefined
  const oldestFirst = faults.toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp))
  const first = oldestFirst[0]!
  return first.faultCode === lasting.faultCode ? undefined : first
}

/** Milliseconds in fault between two instants, all faults together, counted once where they overlap. */
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
