import { isClockUnset } from '../calendar/device-clock.ts'

/** A time in a reported state: its path, and the time in ms. */
export interface StateTime {
  path: string
  at: number
}

/** The times in a reported state: the last change in the mains supply, and the start of the fault. */
export function timesInState(state: Readonly<Record<string, unknown>>): StateTime[] {
  const fault = state['fault']
  const timestamp =
    typeof fault === 'object' && fault !== null ? (fault as Record<string, unknown>)['timestamp'] : undefined
  const at = typeof timestamp === 'string' ? Date.parse(timestamp) : timestamp
  return [
    ...(typeof state['mainsSince'] === 'number' ? [{ path: 'mainsSince', at: state['mainsSince'] }] : []),
    ...(typeof at === 'number' && Number.isFinite(at) ? [{ path: 'fault.timestamp', at }] : []),
  ]
}

type State = Readonly<Record<string, unknown>>

/** The fields of a state that were dated by an unset clock; they get the time of receipt. */
export function undatedFields(state: State, now: number): ('mainsSince' | 'fault')[] {
  return timesInState(state).flatMap(({ path, at }) =>
    isClockUnset(at, now) ? [path === 'mainsSince' ? 'mainsSince' : 'fault'] : [],
  )
}

/**
 * The state with the time of receipt in place of such times; a value reported again unchanged keeps its time.
 * @param known what the device has reported before
 */
export function datedByReceipt(state: State, known: State, now: number): Record<string, unknown> {
  const dated: Record<string, unknown> = { ...state }
  for (const field of undatedFields(state, now)) {
    const before = timesInState({ [field]: known[field] }).find(({ at }) => !isClockUnset(at, now))?.at
    if (field === 'mainsSince') {
      const isSame = state['mains'] === undefined || state['mains'] === known['mains']
      dated['mainsSince'] = isSame && before !== undefined ? before : now
    } else {
      const isSame = (state['faultCode'] ?? known['faultCode']) === known['faultCode']
      dated['fault'] = { ...(state['fault'] as object), timestamp: isSame && before !== undefined ? before : now }
    }
  }
  return dated
}
