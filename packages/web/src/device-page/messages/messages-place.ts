import type { Day } from '@caretaker/rules/calendar/days.ts'
import { isDay } from '@caretaker/rules/calendar/days.ts'
import type { MessageChannel } from '@caretaker/rules/messages/parsed.ts'
import { messageChannels } from '@caretaker/rules/messages/parsed.ts'

/** What messages are filtered by: a topic, those that were refused, and those of which something was not understood. */
export const messageFilters = [...messageChannels, 'refused', 'not understood'] as const
export type MessageFilter = MessageChannel | 'refused' | 'not understood'

/** What of the Messages tab the address holds; what is usual is left out. */
export interface MessagesSearch {
  date?: Day
  topic?: MessageFilter
  find?: string
  message?: string
}

const words = (value: unknown, length: number) =>
  ['string', 'number'].includes(typeof value) ? String(value).slice(0, length) : ''

/** The search of an address without what the tab does not know; no day is later than today. */
export function validMessagesSearch(search: Record<string, unknown>, today: Day): MessagesSearch {
  const topic = messageFilters.find((one) => one === search['topic'])
  const [find, message] = [words(search['find'], 200), words(search['message'], 64)]
  const { date } = search
  return {
    ...(isDay(date) && date < today ? { date } : {}),
    ...(topic ? { topic } : {}),
    ...(find ? { find } : {}),
    ...(message ? { message } : {}),
  }
}
