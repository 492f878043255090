import type { CommandName, CommandStatus } from './commands.ts'
import { mayBecome } from './commands.ts'

/** A command with its current state; instants are ISO 8601. */
export interface CommandLife {
  name: string
  /** The arguments of the command, such as a setting's value. */
  args?: Readonly<Record<string, unknown>> | undefined
  status: CommandStatus
  /** The message of the device's answer. */
  message: string | null
  sentAt: string | null
  answeredAt: string | null
  expiresAt: string
  withdrawnAt: string | null
  withdrawnBy: string | null
  lateAnswer: 'confirmed' | 'failed' | null
  /** For a test: whether the light has reported a test since. An accepted command alone does not prove a test. */
  reportedTest?: boolean | null | undefined
}

/** Kinds of commands. A device page shows the last command of each kind. */
export const commandKinds = ['test', 'network', 'reset'] as const
/** Kinds that set a value; their state is shown beside the value, not in the command list. */
export const settingKinds = [
  'chMax',
  'dhwSetPoint',
  'chLimit',
  'buzzer',
  'relay',
  'schedule',
  'supply',
  'setPoint',
] as const
/** The firing of a boiler is shown on the page of its void property. */
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
  changeSetPoint: 'setPoint',
}

const isKnown = (name: string): name is CommandName => Object.hasOwn(kinds, name)

/** The kind of a command; undefined for commands of newer versions. */
export function kindOf(name: string): CommandKind | undefined {
  return isKnown(name) ? kinds[name] : undefined
}

/** The last command of each kind, in the order of kinds; `commands` starts with the newest. */
export function lastOfEachKind<C extends Pick<CommandLife, 'name'>>(commands: readonly C[]): C[] {
  return commandKinds.flatMap((kind) => commands.find(({ name }) => kindOf(name) === kind) ?? [])
}

type Args = Readonly<Record<string, unknown>>
export type State = Readonly<Record<string, unknown>>

/** The desired state: what the device reports once the command is done. Most commands change no state. */
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
  changeSetPoint: ({ setPoint }) => ({ setPoint }),
}

/** The desired state of a command; undefined if it changes none. */
export function desiredState({ name, args = {} }: Pick<CommandLife, 'name' | 'args'>): State | undefined {
  return isKnown(name) ? desired[name]?.(args) : undefined
}

const isState = (value: unknown): value is State => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a reported value contains a state, compared part by part. */
function holds(reported: unknown, state: unknown): boolean {
  if (Array.isArray(state)) return JSON.stringify(reported) === JSON.stringify(state)
  if (!isState(state)) return reported === state
  return isState(reported) && Object.entries(state).every(([key, value]) => holds(reported[key], value))
}

/** Whether a command sets a value, which is confirmed only by the device's report. */
export function isSetting(name: string): boolean {
  const kind = kindOf(name)
  return settingKinds.some((one) => one === kind)
}

/** A state with the requested values added; nested values that were not requested, such as other relays, stay. */
export function withState(state: State, asked: State): Record<string, unknown> {
  return merge(state, asked, (value) => value)
}

/** The inverse: the desired state is then the state that the device reports. */
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

/** Identifies one of several settings of a kind: the relay number or the schedule. */
export const settingOf = (args: Args = {}): unknown => args['relay'] ?? args['part']

/**
 * The last command for a setting of this kind, or for the given setting if there are several, such as relays;
 * `commands` starts with the newest.
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

/** The state at `now`: a command past its lifetime is expired even if not yet stored as such. */
export function statusAt({ status, expiresAt }: Pick<CommandLife, 'status' | 'expiresAt'>, now: number): CommandStatus {
  return mayBecome(status, 'expired') && Date.parse(expiresAt) <= now ? 'expired' : status
}

/**
 * Whether the command can be withdrawn: it has not been sent, or it failed and is still desired. That includes commands
 * confirmed by a device that reports something else.
 */
export function mayWithdraw(command: CommandLife, reported: State): boolean {
  const { status, withdrawnAt } = command
  if (withdrawnAt !== null) return false
  if (status === 'confirmed') return awaitsConfirmation(command, reported)
  return mayBecome(status, 'withdrawn') || status === 'failed' || status === 'expired'
}

/**
 * Whether confirmation is pending: the device has neither confirmed nor reported the desired state, and the command was
 * not withdrawn.
 */
export function awaitsConfirmation(command: CommandLife, reported: State): boolean {
  if (command.withdrawnAt !== null) return false
  const state = desiredState(command)
  const answered = command.status === 'confirmed' || command.lateAnswer === 'confirmed'
  if (answered && command.reportedTest === false) return true
  // A device may confirm a command but act differently: for settings only its report counts, and for its network too if
  // it reports that.
  const reportsState =
    state !== undefined && (isSetting(command.name) || Object.keys(state).every((key) => key in reported))
  if (answered && !reportsState) return false
  return !state || !holds(reported, state)
}

/**
 * Milliseconds after a confirmation in which a device sends its new state; until then a different report is not treated
 * as a contradiction.
 */
const reportWithin = 10_000

/** Whether the confirmation is recent enough that the report may be older. */
export function hasJustConfirmed({ status, answeredAt, lateAnswer }: CommandLife, now: number): boolean {
  const yes = status === 'confirmed' || lateAnswer === 'confirmed'
  return yes && answeredAt !== null && now - Date.parse(answeredAt) < reportWithin
}

/** What a device reports that contradicts its confirmed joining or leaving of the network; '' if the report agrees. */
export function contradictionText(command: CommandLife, reported: State, now: number): string {
  const answered = command.status === 'confirmed' || command.lateAnswer === 'confirmed'
  if (hasJustConfirmed(command, now)) return ''
  if (!answered || kindOf(command.name) !== 'network' || !awaitsConfirmation(command, reported)) return ''
  return `The device reports that it is ${reported['networkJoined'] === true ? 'in' : 'not in'} the network.`
}

/** Whether the command failed and can be requested again: not if the device has reached the state anyway. */
export function mayTryAgain(command: CommandLife, reported: State, now: number): boolean {
  const status = statusAt(command, now)
  if (status === 'queued' || status === 'sent' || hasJustConfirmed(command, now)) return false
  return awaitsConfirmation({ ...command, withdrawnAt: null }, reported)
}

/** The state in the words of the devices specification, section 4, if there is a state to confirm. */
export function standing(command: CommandLife, reported: State): string {
  const hasState = desiredState(command) !== undefined
  // Without a state, nothing remains to be desired: no one waits for a refused test.
  if (!hasState && command.withdrawnAt === null && command.lateAnswer !== 'confirmed') {
    if (command.status === 'failed') return 'Refused by the device'
    if (command.status === 'expired') return 'Not confirmed'
  }
  if (awaitsConfirmation(command, reported)) return 'Waiting for device confirmation'
  if (hasState) return 'State confirmed'
  return command.withdrawnAt !== null && command.lateAnswer !== 'confirmed' ? 'Taken back' : 'Confirmed by the device'
}

export interface Circumstances {
  /** Whether the device is connected; undefined if unknown. */
  connected?: boolean | undefined
  /** When the device was last heard; null for never, undefined if not requested. */
  heard?: string | null | undefined
  /** ms since the epoch */
  now: number
  /** Formats an instant for display. */
  time: (at: string) => string
}

/** The outcome of a command so far, with times, in full sentences. */
export function outcomeText(command: CommandLife, circumstances: Circumstances): string {
  const { time } = circumstances
  const sentences = [ownOutcome(command, circumstances)]
  if (command.withdrawnAt !== null) {
    const before = command.status === 'withdrawn' ? ', before it was sent' : ''
    sentences.push(`Taken back at ${time(command.withdrawnAt)}${by(command.withdrawnBy)}${before}.`)
  }
  if (command.lateAnswer !== null && command.answeredAt !== null) {
    const yes =
      command.reportedTest === false
        ? 'it accepted the command, but has reported no test since'
        : 'it confirmed the command'
    const answer = command.lateAnswer === 'confirmed' ? yes : 'it refused'
    sentences.push(`At ${time(command.answeredAt)} the device answered anyway: ${answer}${deviceMessageText(command)}`)
  }
  return sentences.filter(Boolean).join(' ')
}

const by = (name: string | null) => (name === null ? '' : ` by ${name}`)

/** The device's message to end a sentence with, or a full stop. */
function deviceMessageText({ message }: CommandLife): string {
  if (!message) return '.'
  return /[.!?]$/.test(message) ? `: ${message}` : `: ${message}.`
}

/** When the device was last heard, appended to 'could not be reached'. */
function heardLast({ heard, time }: Circumstances): string {
  if (heard === undefined) return ''
  return heard === null ? ' It has never reported.' : ` It last reported at ${time(heard)}.`
}

function ownOutcome(command: CommandLife, circumstances: Circumstances): string {
  const { connected, now, time } = circumstances
  const { sentAt, answeredAt, expiresAt } = command
  switch (statusAt(command, now)) {
    case 'queued':
      return connected === false
        ? `Not sent yet: the device is not connected. It is sent when the device connects, until ${time(expiresAt)}.`
        : `Not sent yet. It is sent as soon as the device can receive it, until ${time(expiresAt)}.${heardLast(circumstances)}`
    case 'sent':
      return `Sent at ${time(sentAt ?? expiresAt)}, not answered yet. A sent command cannot be withdrawn; it expires at ${time(expiresAt)}.`
    case 'confirmed':
      return command.reportedTest === false
        ? `The light accepted the command at ${time(answeredAt ?? expiresAt)}, but has reported no test since${deviceMessageText(command)}`
        : `Confirmed at ${time(answeredAt ?? expiresAt)}${deviceMessageText(command)}`
    case 'failed':
      return `Refused at ${time(answeredAt ?? expiresAt)}${deviceMessageText(command)}`
    case 'expired':
      return sentAt === null
        ? `Not delivered: until ${time(expiresAt)} the device could not be reached.${heardLast(circumstances)}`
        : `Expired at ${time(expiresAt)}: it was sent at ${time(sentAt)} and not answered.`
    case 'withdrawn':
      return ''
  }
}
