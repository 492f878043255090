import type { CommandName, CommandStatus } from './commands.ts'
import { mayBecome } from './commands.ts'

/** A command as far as it has come; instants are ISO 8601. */
export interface CommandLife {
  name: string
  status: CommandStatus
  /** What the device said. */
  message: string | null
  sentAt: string | null
  answeredAt: string | null
  expiresAt: string
  takenBackAt: string | null
  takenBackBy: string | null
  lateAnswer: 'confirmed' | 'failed' | null
}

/** What commands are about. How things stand with a device is told by the last command of each kind. */
export const commandKinds = ['test', 'network', 'reset'] as const
export type CommandKind = (typeof commandKinds)[number]

const kinds: Record<CommandName, CommandKind> = {
  runTest: 'test',
  joinNetwork: 'network',
  leaveNetwork: 'network',
  resetBoiler: 'reset',
  resetAutofill: 'reset',
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

/** What the device is to report once it has done it: its desired state. Most commands leave no state behind. */
const desired: Partial<Record<CommandName, Readonly<Record<string, unknown>>>> = {
  joinNetwork: { networkJoined: true },
  leaveNetwork: { networkJoined: false },
}

/** How far it has come by now: one whose time is over has expired, whether or not that was written down yet. */
export function statusAt({ status, expiresAt }: Pick<CommandLife, 'status' | 'expiresAt'>, now: number): CommandStatus {
  return mayBecome(status, 'expired') && Date.parse(expiresAt) <= now ? 'expired' : status
}

/** Whether it can be taken back: it was not sent yet, or it came to nothing and is still wanted. */
export function mayTakeBack({ status, takenBackAt }: Pick<CommandLife, 'status' | 'takenBackAt'>): boolean {
  return takenBackAt === null && (mayBecome(status, 'withdrawn') || status === 'failed' || status === 'expired')
}

/**
 * Whether the device still has to confirm what was asked for: until it has, or reports it by itself, or nobody wants it any
 * more, because what was desired is then what it reports.
 */
export function awaitsConfirmation(command: CommandLife, reported: Readonly<Record<string, unknown>>): boolean {
  if (command.status === 'confirmed' || command.lateAnswer === 'confirmed' || command.takenBackAt !== null) return false
  const state = isKnown(command.name) ? desired[command.name] : undefined
  return !state || Object.entries(state).some(([key, value]) => reported[key] !== value)
}

/** Whether it came to nothing, so that one may ask for it again: not where the device has come to it by itself. */
export function mayTryAgain(command: CommandLife, reported: Readonly<Record<string, unknown>>, now: number): boolean {
  if (!['failed', 'expired', 'withdrawn'].includes(statusAt(command, now))) return false
  return awaitsConfirmation({ ...command, takenBackAt: null }, reported)
}

/** How things stand, in the words of the devices specification, section 4, where there is a state to confirm. */
export function standing(command: CommandLife, reported: Readonly<Record<string, unknown>>): string {
  const hasState = isKnown(command.name) && desired[command.name] !== undefined
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
    const answer = command.lateAnswer === 'confirmed' ? 'it has done it' : 'it refused'
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

function ownOutcome(command: CommandLife, { connected, now, time }: Circumstances): string {
  const { sentAt, answeredAt, expiresAt } = command
  switch (statusAt(command, now)) {
    case 'queued':
      return connected === false
        ? `Not sent yet: the device is not connected. It is sent when the device connects, until ${time(expiresAt)}.`
        : `Not sent yet. It is sent as soon as the device can take it, until ${time(expiresAt)}.`
    case 'sent':
      return `Sent at ${time(sentAt ?? expiresAt)}, not answered yet. What was sent cannot be taken back; it expires at ${time(expiresAt)}.`
    case 'confirmed':
      return `Confirmed at ${time(answeredAt ?? expiresAt)}${said(command)}`
    case 'failed':
      return `Refused at ${time(answeredAt ?? expiresAt)}${said(command)}`
    case 'expired':
      return sentAt === null
        ? `Not delivered: until ${time(expiresAt)} the device could not be reached.`
        : `Expired at ${time(expiresAt)}: it was sent at ${time(sentAt)} and not answered.`
    case 'withdrawn':
      return ''
  }
}
