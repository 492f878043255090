import type { DeviceMessage } from '@caretaker/contract/messages.ts'
import { isFound, searchWords } from '@caretaker/rules/texts/search-form.ts'
import type { MessageFilter } from './messages-place.ts'
import { messageFilters } from './messages-place.ts'

type SearchedMessage = Pick<
  DeviceMessage,
  'channel' | 'refused' | 'notUnderstood' | 'source' | 'message' | 'parsedMessage'
>

/** Whether a message passes a filter; a rejected message also counts for its topic. */
export function passes(
  { channel, refused, notUnderstood }: SearchedMessage,
  filter: MessageFilter | undefined,
): boolean {
  switch (filter) {
    case undefined:
      return true
    case 'refused':
      return refused !== null
    case 'not understood':
      return notUnderstood > 0
    default:
      return channel === filter
  }
}

/** The number of messages per filter; filters that match none are left out. */
export function counts(messages: readonly SearchedMessage[]): { filter: MessageFilter; count: number }[] {
  return messageFilters
    .map((filter) => ({ filter, count: messages.filter((one) => passes(one, filter)).length }))
    .filter(({ count }) => count > 0)
}

/** The indexes of messages that contain every word of a search. */
export function hitsIn(messages: readonly SearchedMessage[], text: string): number[] {
  if (searchWords(text).length === 0) return []
  return messages.flatMap(({ source, message, parsedMessage }, at) =>
    isFound(text, [source, message, parsedMessage]) ? [at] : [],
  )
}

/** The next hit after an index, or the previous one; wraps around. */
export function nextHit(hits: readonly number[], from: number, forward: boolean): number | undefined {
  return forward ? (hits.find((at) => at > from) ?? hits[0]) : (hits.findLast((at) => at < from) ?? hits.at(-1))
}

/** The number of messages per quarter of an hour on a day that begins at `from`, in ms. */
export function byQuarter(messages: readonly { time: string }[], from: number, to: number): number[] {
  const quarter = 900_000
  const numbers = Array.from({ length: Math.ceil((to - from) / quarter) }, () => 0)
  for (const { time } of messages) {
    const at = Math.floor((Date.parse(time) - from) / quarter)
    if (at in numbers) numbers[at]!++
  }
  return numbers
}
