import type { AlertState } from '@caretaker/contract/alerts.ts'

const known: readonly AlertState[] = ['over', 'pending']

/** The state in an address of the alerts; open is the default. */
export function validAlertsSearch(search: Record<string, unknown>): { state?: AlertState } {
  const state = known.find((one) => one === search['state'])
  return state ? { state } : {}
}
