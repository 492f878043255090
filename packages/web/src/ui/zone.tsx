import { createContext, useContext } from 'react'
import type { Instant } from './age.ts'
import { dateText, dateTimeText } from './age.ts'

export const ZoneContext = createContext<string | undefined>(undefined)

/** The zone of shown days and times: the client's, wherever the user is. */
export function useZone(): string {
  const zone = useContext(ZoneContext)
  if (zone === undefined) throw new Error('Times have no zone here.')
  return zone
}

/** The day of an instant: DD/MM/YYYY. */
export function DateOf({ at }: { at: Instant }) {
  return dateText(at, useZone())
}

/** An instant to the minute: DD/MM/YYYY HH:mm. */
export function TimeOf({ at }: { at: Instant }) {
  return dateTimeText(at, useZone())
}
