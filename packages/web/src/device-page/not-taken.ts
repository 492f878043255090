import type { Device } from '@caretaker/contract/devices.ts'
import { notTaken } from '@caretaker/rules/devices/messages.ts'
import { dateText, dateTimeText } from '../ui/age.ts'

/**
 * 'Some messages were not taken: they are too large, 37 since 10:04.', with the day where it is another one than today, and
 * with the field that was wrong.
 */
export function notTakenText(messages: Device['messagesNotTaken'], now: number, zone: string): string | undefined {
  if (messages.length === 0) return undefined
  const since = (at: string) =>
    dateText(at, zone) === dateText(now, zone) ? dateTimeText(at, zone).slice(-5) : dateTimeText(at, zone)
  const reasons = messages.map(
    ({ reason, count, since: at, field }) =>
      `${notTaken[reason]}${field ? ` (field ${field})` : ''}, ${count.toLocaleString('en-GB')} since ${since(at)}`,
  )
  return `Some messages were not taken: ${reasons.join('; ')}.`
}
