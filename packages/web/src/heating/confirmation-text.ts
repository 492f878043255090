import type { Command } from '@caretaker/contract/lighting.ts'
import type { State } from '@caretaker/rules/commands/life.ts'
import { awaitsConfirmation, hasJustConfirmed, outcomeText, statusAt } from '@caretaker/rules/commands/life.ts'
import { ageText } from '../ui/age.ts'

/** Milliseconds without an answer after which a pending command is highlighted. */
export const patience = 5 * 60_000

interface Around {
  connected: boolean
  now: number
  zone: string
  time: (at: string) => string
  /** The reported value, as the end of a sentence; undefined without a report. */
  reported: string | undefined
}

/** Whether a pending command needs attention: it failed, or has been pending too long. */
export function needsAttention(command: Command, now: number): boolean {
  if (hasJustConfirmed(command, now)) return false
  const status = statusAt(command, now)
  return (status !== 'queued' && status !== 'sent') || now - Date.parse(command.createdAt) > patience
}

const by = ({ requestedBy }: Command) => (requestedBy === null ? '' : ` by ${requestedBy}`)

/** The line below an unconfirmed value: state of the command, reported value and sender. */
export function waitingText(command: Command, { connected, now, zone, time, reported }: Around): string {
  const asked = ` Requested${by(command)} at ${time(command.createdAt)}.`
  const still = reported === undefined ? '' : ` The device still reports ${reported}.`
  const status = statusAt(command, now)
  if (hasJustConfirmed(command, now)) return `Confirmed ${ageText(command.answeredAt!, now, zone)}.${still}${asked}`
  if (status === 'confirmed')
    return `Confirmed at ${time(command.answeredAt!)}, but the device reports ${reported ?? 'no value'}.${asked}`
  if (status !== 'queued' && status !== 'sent')
    return `${outcomeText(command, { connected, now, time })}${still}${asked}`
  const away = connected ? '' : ' The device is not connected.'
  const age = now - Date.parse(command.createdAt)
  if (age > patience) return `No answer for ${Math.floor(age / 60_000)} min.${away}${still}${asked}`
  if (status === 'queued') return `Not sent yet.${away}${still}${asked}`
  return `Sent ${ageText(command.sentAt ?? command.createdAt, now, zone)}${by(command)}.${still}`
}

interface Confirmed {
  /** The reported state. */
  state: State
  /** The current value, in words. */
  value: string
  time: (at: string) => string
}

/** The line below a confirmed value: since when, and who requested it; undefined if the command is not related. */
export function confirmedText(command: Command, { state, value, time }: Confirmed): string | undefined {
  if (command.withdrawnAt !== null || awaitsConfirmation(command, state)) return undefined
  const asked = `equested${by(command)}`
  const isDone = command.status === 'confirmed' || command.lateAnswer === 'confirmed'
  // A device may reach the value without answering; then the time is unknown.
  if (!isDone || command.answeredAt === null) return `R${asked} at ${time(command.createdAt)}`
  return `${value} since ${time(command.answeredAt)}${command.requestedBy === null ? '' : `, r${asked}`}`
}
