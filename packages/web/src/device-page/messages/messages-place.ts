import type { Day } from '@caretaker/rules/calendar/days.ts'
import { isDay } from '@caretaker/rules/calendar/days.ts'
import type { MessageChannel } from '@caretaker/rules/messages/parsed.ts'
import { messageChannels } from '@caretaker/rules/messages/parsed.ts'

/** Filters for messages: a topic, rejected ones, and those that were not fully understood. */
export const messageFilters = [...messageChannels, 'refused', 'not understood'] as const
export type MessageFilter = MessageChannel | 'refused' | 'not understood'

/** The parameters of the Messages tab in the address; defaults are left out. */
export interface MessagesSearch {
  date?: Day
  topic?: MessageFilter
  find?: string
  message?: string
}

const words = (value: unknown, length: number) =>
  ['string', 'number'].includes(typeof value) ? String(value).slice(0, length) : ''

/** The known parameters of an address; the day is at most today. */
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
