import { messageResults } from '@caretaker/rules/connections/connections.ts'
import type { MessageResult } from '@caretaker/rules/connections/connections.ts'

/** The state of a list of messages, as parameters of the address. */
export interface MessageSearch {
  result?: MessageResult
  rejected?: true
  search?: string
  /** The id of the message shown beside the list. */
  message?: string
}

/** The longest text to search for. */
export const searchLength = 100

/** The known parameters of an address; any value may occur. */
export function validMessageSearch({ result, rejected, search, message }: Record<string, unknown>): MessageSearch {
  const known = messageResults.find((one) => one === result)
  const text = ['string', 'number'].includes(typeof search) ? String(search).slice(0, searchLength) : ''
  return {
    ...(known && { result: known }),
    ...(rejected ? { rejected: true as const } : {}),
    ...(text.trim() && { search: text }),
    ...(typeof message === 'string' && message && { message: message.slice(0, 60) }),
  }
}
