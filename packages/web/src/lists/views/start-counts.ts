import { countStartPages } from '@caretaker/contract/calls/views.ts'
import type { View } from '@caretaker/rules/views/view.ts'
import { call } from '../../api/call.ts'

/** The number of other users with a view as their start page. */
export const countStarts = (tenant: string, { viewId }: View) => call(countStartPages, { body: { tenant, viewId } })

/** The sentence about users who lose their start page; undefined for none. */
export function startsLost(own: boolean, others: number): string | undefined {
  const people = others === 1 ? '1 other person' : `${others} other people`
  const whose = own
    ? others > 0
      ? `your start page and that of ${people}`
      : 'your start page'
    : `the start page of ${people}`
  return own || others > 0 ? `It is ${whose}. The next sign-in opens the Dashboard instead.` : undefined
}
