import type { Device } from '@caretaker/contract/devices.ts'
import { clockNotSet, rejectionTexts } from '@caretaker/rules/devices/messages.ts'
import { dateText, dateTimeText } from '../ui/age.ts'

/**
 * 'Some messages, or parts of them, were not stored: they are too large, 37 since 10:04.', with the day unless it is
 * today, and the rejected field; also whether the device clock is unset.
 */
export function rejectedText(messages: Device['messagesNotTaken'], now: number, zone: string): string | undefined {
  if (messages.length === 0) return undefined
  const since = (at: string) =>
    dateText(at, zone) === dateText(now, zone) ? dateTimeText(at, zone).slice(-5) : dateTimeText(at, zone)
  const counted = ({ count, since: at, field }: Device['messagesNotTaken'][number]) =>
    `${field ? ` (field ${field})` : ''}, ${count.toLocaleString('en-GB')} since ${since(at)}`
  const reasons = messages.flatMap((one) =>
    one.reason === clockNotSet ? [] : [`${rejectionTexts[one.reason]}${counted(one)}`],
  )
  const undated = messages.find(({ reason }) => reason === clockNotSet)
  return [
    ...(reasons.length ? [`Some messages, or parts of them, were not stored: ${reasons.join('; ')}.`] : []),
    ...(undated
      ? [`The clock of the device is not set: its messages get the time of their receipt${counted(undated)}.`]
      : []),
  ].join(' ')
}
