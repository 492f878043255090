import type { AlertState } from '@caretaker/contract/alerts.ts'

const known: readonly AlertState[] = ['over', 'pending']

/** The state that an address of the alerts names; open ones stand at the bare address. */
export function validAlertsSearch(search: Record<string, unknown>): { state?: AlertState } {
  const state = known.find((one) => one === search['state'])
  return state ? { state } : {}
}
