import type { Connection } from '@caretaker/contract/connections.ts'
import { dateTimeText } from '../../ui/age.ts'

/** Why the connection has its state, and since when: 'Value out of range, since 28/11/2026 15:30'. */
export function stateText({ state, stateReason, stateSince }: Connection, zone: string): string | undefined {
  if (state === 'Working' && stateReason === null) return undefined
  return `${stateReason ? `${stateReason}, since` : 'Since'} ${dateTimeText(stateSince, zone)}`
}
