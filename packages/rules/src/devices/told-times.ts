import { isClockUnset } from '../calendar/device-clock.ts'

/** A time in a reported state: its path, and the time in ms. */
export interface ToldTime {
  path: string
  at: number
}

/** The times that a reported state tells: since when it has mains or has none, and since when its fault is active. */
export function toldTimes(state: Readonly<Record<string, unknown>>): ToldTime[] {
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

/** The fields of a state that a clock dates which was never set; they count as received now. */
export function undatedFields(state: State, now: number): ('mainsSince' | 'fault')[] {
  return toldTimes(state).flatMap(({ path, at }) =>
    isClockUnset(at, now) ? [path === 'mainsSince' ? 'mainsSince' : 'fault'] : [],
  )
}

/**
 * The same state with the time of receipt in place of such times; what is reported again unchanged keeps the time that it has.
 * @param known what the device has reported before
 */
export function datedByReceipt(state: State, known: State, now: number): Record<string, unknown> {
  const dated: Record<string, unknown> = { ...state }
  for (const field of undatedFields(state, now)) {
    const before = toldTimes({ [field]: known[field] }).find(({ at }) => !isClockUnset(at, now))?.at
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
