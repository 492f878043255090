import type { Command } from '@caretaker/contract/lighting.ts'
import { hasJustConfirmed, outcomeText, statusAt } from '@caretaker/rules/commands/life.ts'
import { ageText } from '../ui/age.ts'

/** Milliseconds without an answer after which waiting looks like something to care about. */
export const patience = 5 * 60_000

interface Around {
  connected: boolean
  now: number
  zone: string
  time: (at: string) => string
  /** What the device reports, to end a sentence with; undefined where it reports nothing. */
  reported: string | undefined
}

/** Whether what is waited for should be looked at: it came to nothing, or has been on its way for too long. */
export function worries(command: Command, now: number): boolean {
  if (hasJustConfirmed(command, now)) return false
  const status = statusAt(command, now)
  return (status !== 'queued' && status !== 'sent') || now - Date.parse(command.createdAt) > patience
}

/** The line below a value that the device does not report yet: what became of the command, and what the device says. */
export function waitingText(command: Command, { connected, now, zone, time, reported }: Around): string {
  const still = reported === undefined ? '' : ` The device still reports ${reported}.`
  const status = statusAt(command, now)
  if (hasJustConfirmed(command, now)) return `Confirmed ${ageText(command.answeredAt!, now, zone)}.${still}`
  if (status === 'confirmed')
    return `Confirmed at ${time(command.answeredAt!)}, but the device reports ${reported ?? 'no value'}.`
  if (status !== 'queued' && status !== 'sent') return `${outcomeText(command, { connected, now, time })}${still}`
  const away = connected ? '' : ' The device is not connected.'
  const age = now - Date.parse(command.createdAt)
  if (age > patience) return `No answer for ${Math.floor(age / 60_000)} min.${away}${still}`
  if (status === 'queued') return `Not sent yet.${away}${still}`
  return `Sent ${ageText(command.sentAt ?? command.createdAt, now, zone)}.${still}`
}
