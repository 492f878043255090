import type { Day } from '@caretaker/rules/calendar/days.ts'
import { isDay } from '@caretaker/rules/calendar/days.ts'
import type { BreachState } from '@caretaker/rules/properties/breach-states.ts'
import { breachStates } from '@caretaker/rules/properties/breach-states.ts'

/** The period, patch and filter of the register in its address. */
export interface RegisterSearch {
  from?: Day
  to?: Day
  patch?: string
  state?: BreachState
}

/** The known parameters of an address. */
export function validRegisterSearch(search: Record<string, unknown>): RegisterSearch {
  const state = breachStates.find((one) => one === search.state)
  return {
    ...(isDay(search.from) && { from: search.from }),
    ...(isDay(search.to) && { to: search.to }),
    ...(typeof search.patch === 'string' && { patch: search.patch }),
    ...(state && { state }),
  }
}
