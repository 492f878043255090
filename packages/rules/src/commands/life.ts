import type { CommandName, CommandStatus } from './commands.ts'
import { mayBecome } from './commands.ts'

/** A command as far as it has come; instants are ISO 8601. */
export interface CommandLife {
  name: string
  /** What it was asked for with; a setting's value. */
  args?: Readonly<Record<string, unknown>> | undefined
  status: CommandStatus
  /** What the device said. */
  message: string | null
  sentAt: string | null
  answeredAt: string | null
  expiresAt: string
  takenBackAt: string | null
  takenBackBy: string | null
  lateAnswer: 'confirmed' | 'failed' | null
  /** Of a test: whether the light has told of one since. A yes alone is no test. */
  toldTest?: boolean | null | undefined
}

/** What commands are about. How things stand with a device is told by the last command of each kind. */
export const commandKinds = ['test', 'network', 'reset'] as const
/** Kinds that set a value: how things stand with it is told where the value is shown, and not in a list of commands. */
export const settingKinds = ['chMax', 'dhwSetPoint', 'chLimit', 'buzzer', 'relay', 'schedule', 'supply'] as const
/** The firing of a boiler is told on the page of its void home. */
export type CommandKind = (typeof commandKinds)[number] | (typeof settingKinds)[number] | 'firing'

const kinds: Record<CommandName, CommandKind> = {
  runTest: 'test',
  stopTest: 'test',
  joinNetwork: 'network',
  leaveNetwork: 'network',
  resetBoiler: 'reset',
  resetAutofill: 'reset',
  setChMax: 'chMax',
  setDhwSetPoint: 'dhwSetPoint',
  setChLimit: 'chLimit',
  setBuzzer: 'buzzer',
  setRelay: 'relay',
  schedule: 'schedule',
  fireBoiler: 'firing',
  setSupplyHold: 'supply',
}

const isKnown = (name: string): name is CommandName => Object.hasOwn(kinds, name)

/** What a command is about; undefined for one that only newer versions know. */
export function kindOf(name: string): CommandKind | undefined {
  return isKnown(name) ? kinds[name] : undefined
}

/** The last command of each kind, in the order of kinds, from commands that begin with the newest. */
export function lastOfEachKind<C extends Pick<CommandLife, 'name'>>(commands: readonly C[]): C[] {
  return commandKinds.flatMap((kind) => commands.find(({ name }) => kindOf(name) === kind) ?? [])
}

type Args = Readonly<Record<string, unknown>>
export type State = Readonly<Record<string, unknown>>

/** What the device is to report once it has done it: its desired state. Most commands leave no state behind. */
const desired: Partial<Record<CommandName, (args: Args) => State>> = {
  joinNetwork: () => ({ networkJoined: true }),
  leaveNetwork: () => ({ networkJoined: false }),
  setChMax: ({ chSetPoint }) => ({ chMax: chSetPoint }),
  setDhwSetPoint: ({ dhwSetPoint }) => ({ dhwSetPoint }),
  setChLimit: ({ isLimited }) => ({ chLimit: isLimited }),
  setBuzzer: ({ isLimited }) => ({ buzzer: isLimited }),
  setRelay: ({ relay, on }) => ({ relays: { [String(relay)]: on } }),
  schedule: ({ part, week }) => ({ schedules: { [String(part)]: week } }),
  setSupplyHold: ({ isHeld }) => ({ supplyHeld: isHeld }),
}

/** The state that a command asks for; undefined where it leaves none behind. */
export function desiredState({ name, args = {} }: Pick<CommandLife, 'name' | 'args'>): State | undefined {
  return isKnown(name) ? desired[name]?.(args) : undefined
}

const isState = (value: unknown): value is State => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether what is reported holds a state, part by part. */
function holds(reported: unknown, state: unknown): boolean {
  if (Array.isArray(state)) return JSON.stringify(reported) === JSON.stringify(state)
  if (!isState(state)) return reported === state
  return isState(reported) && Object.entries(state).every(([key, value]) => holds(reported[key], value))
}

/** Whether a command sets a value, of which the device's report alone says whether it is so. */
export function isSetting(name: string): boolean {
  const kind = kindOf(name)
  return settingKinds.some((one) => one === kind)
}

/** A state with what a command asks for in it; parts of a part, such as other relays, stay as they are. */
export function withState(state: State, asked: State): Record<string, unknown> {
  return merge(state, asked, (value) => value)
}

/** The same without it: what was desired is then whatever the device reports. */
export function withoutState(state: State, asked: State): Record<string, unknown> {
  return merge(state, asked, () => undefined)
}

function merge(state: State, asked: State, leaf: (value: unknown) => unknown): Record<string, unknown> {
  const next: Record<string, unknown> = { ...state }
  for (const [key, value] of Object.entries(asked)) {
    const before = next[key]
    const merged = isState(value) ? merge(isState(before) ? before : {}, value, leaf) : leaf(value)
    if (merged === undefined || (isState(merged) && Object.keys(merged).length === 0)) delete next[key]
    else next[key] = merged
  }
  return next
}

/** What a command sets of several of its kind: the number of a relay, or which of the schedules. */
export const settingOf = (args: Args = {}): unknown => args['relay'] ?? args['part']

/**
 * The last command that asked for a value of this kind, from commands that begin with the newest; of several of the kind, such as relays,
 * of the one that is named.
 */
export function lastSetting<C extends Pick<CommandLife, 'name' | 'args'>>(
  commands: readonly C[],
  kind: (typeof settingKinds)[number],
  one?: string,
): C | undefined {
  return commands.find(
    ({ name, args }) => kindOf(name) === kind && (one === undefined || String(settingOf(args)) === one),
  )
}

/** How far it has come by now: one whose time is over has expired, whether or not that was written down yet. */
export function statusAt({ status, expiresAt }: Pick<CommandLife, 'status' | 'expiresAt'>, now: number): CommandStatus {
  return mayBecome(status, 'expired') && Date.parse(expiresAt) <= now ? 'expired' : status
}

/**
 * Whether it can be taken back: it was not sent yet, or it came to nothing and is still wanted. So did one that the device has
 * confirmed while it reports something else.
 */
export function mayTakeBack(command: CommandLife, reported: State): boolean {
  const { status, takenBackAt } = command
  if (takenBackAt !== null) return false
  if (status === 'confirmed') return awaitsConfirmation(command, reported)
  return mayBecome(status, 'withdrawn') || status === 'failed' || status === 'expired'
}

/**
 * Whether the device still has to confirm what was asked for: until it has, or reports it by itself, or nobody wants it any
 * more, because what was desired is then what it reports.
 */
export function awaitsConfirmation(command: CommandLife, reported: State): boolean {
  if (command.takenBackAt !== null) return false
  const state = desiredState(command)
  const answered = command.status === 'confirmed' || command.lateAnswer === 'confirmed'
  if (answered && command.toldTest === false) return true
  // A device may say yes and do something else: of a setting only what it reports counts, and of its network too where it
  // reports that.
  const tells = state !== undefined && (isSetting(command.name) || Object.keys(state).every((key) => key in reported))
  if (answered && !tells) return false
  return !state || !holds(reported, state)
}

/** Milliseconds after its yes in which a device has told how it is since: until then it is not said to have done something else. */
const tellsWithin = 10_000

/** Whether a device has said yes so lately that what it reports may be from before. */
export function hasJustConfirmed({ status, answeredAt, lateAnswer }: CommandLife, now: number): boolean {
  const yes = status === 'confirmed' || lateAnswer === 'confirmed'
  return yes && answeredAt !== null && now - Date.parse(answeredAt) < tellsWithin
}

/** What a device reports that has confirmed to join or leave its network, and has not; '' where it reports nothing else. */
export function butReports(command: CommandLife, reported: State, now: number): string {
  const answered = command.status === 'confirmed' || command.lateAnswer === 'confirmed'
  if (hasJustConfirmed(command, now)) return ''
  if (!answered || kindOf(command.name) !== 'network' || !awaitsConfirmation(command, reported)) return ''
  return `The device reports that it is ${reported['networkJoined'] === true ? 'in' : 'not in'} the network.`
}

/** Whether it came to nothing, so that one may ask for it again: not where the device has come to it by itself. */
export function mayTryAgain(command: CommandLife, reported: State, now: number): boolean {
  const status = statusAt(command, now)
  if (status === 'queued' || status === 'sent' || hasJustConfirmed(command, now)) return false
  return awaitsConfirmation({ ...command, takenBackAt: null }, reported)
}

/** How things stand, in the words of the devices specification, section 4, where there is a state to confirm. */
export function standing(command: CommandLife, reported: State): string {
  const hasState = desiredState(command) !== undefined
  // Nothing is desired any more of what has no state: nobody waits for a test that was refused.
  if (!hasState && command.takenBackAt === null && command.lateAnswer !== 'confirmed') {
    if (command.status === 'failed') return 'Refused by the device'
    if (command.status === 'expired') return 'Not confirmed'
  }
  if (awaitsConfirmation(command, reported)) return 'Waiting for device confirmation'
  if (hasState) return 'State confirmed'
  return command.takenBackAt !== null && command.lateAnswer !== 'confirmed' ? 'Taken back' : 'Confirmed by the device'
}

export interface Circumstances {
  /** Whether the device is connected; undefined where nobody knows. */
  connected?: boolean | undefined
  /** When it was heard last, as an instant; null where it never was, undefined where nobody asks. */
  heard?: string | null | undefined
  /** ms since the epoch */
  now: number
  /** An instant as people read it. */
  time: (at: string) => string
}

/** What has become of a command so far, and when, in whole sentences. */
export function outcomeText(command: CommandLife, circumstances: Circumstances): string {
  const { time } = circumstances
  const sentences = [ownOutcome(command, circumstances)]
  if (command.takenBackAt !== null) {
    const before = command.status === 'withdrawn' ? ', before it was sent' : ''
    sentences.push(`Taken back at ${time(command.takenBackAt)}${by(command.takenBackBy)}${before}.`)
  }
  if (command.lateAnswer !== null && command.answeredAt !== null) {
    const yes = command.toldTest === false ? 'it said yes, and has told of no test since' : 'it has done it'
    const answer = command.lateAnswer === 'confirmed' ? yes : 'it refused'
    sentences.push(`At ${time(command.answeredAt)} the device answered all the same: ${answer}${said(command)}`)
  }
  return sentences.filter(Boolean).join(' ')
}

const by = (name: string | null) => (name === null ? '' : ` by ${name}`)

/** The device's own words to end a sentence with, or the end of the sentence. */
function said({ message }: CommandLife): string {
  if (!message) return '.'
  return /[.!?]$/.test(message) ? `: ${message}` : `: ${message}.`
}

/** When the device was heard last, after a sentence that says that it could not be reached. */
function heardLast({ heard, time }: Circumstances): string {
  if (heard === undefined) return ''
  return heard === null ? ' It was never heard.' : ` It was last heard at ${time(heard)}.`
}

function ownOutcome(command: CommandLife, circumstances: Circumstances): string {
  const { connected, now, time } = circumstances
  const { sentAt, answeredAt, expiresAt } = command
  switch (statusAt(command, now)) {
    case 'queued':
      return connected === false
        ? `Not sent yet: the device is not connected. It is sent when the device connects, until ${time(expiresAt)}.`
        : `Not sent yet. It is sent as soon as the device can take it, until ${time(expiresAt)}.${heardLast(circumstances)}`
    case 'sent':
      return `Sent at ${time(sentAt ?? expiresAt)}, not answered yet. What was sent cannot be taken back; it expires at ${time(expiresAt)}.`
    case 'confirmed':
      return command.toldTest === false
        ? `The light said yes at ${time(answeredAt ?? expiresAt)}, and has told of no test since${said(command)}`
        : `Confirmed at ${time(answeredAt ?? expiresAt)}${said(command)}`
    case 'failed':
      return `Refused at ${time(answeredAt ?? expiresAt)}${said(command)}`
    case 'expired':
      return sentAt === null
        ? `Not delivered: until ${time(expiresAt)} the device could not be reached.${heardLast(circumstances)}`
        : `Expired at ${time(expiresAt)}: it was sent at ${time(sentAt)} and not answered.`
    case 'withdrawn':
      return ''
  }
}
