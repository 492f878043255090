/** Event severities (devices specification, section 3), lowest first. */
export const severities = ['Low', 'Medium', 'High'] as const
export type Severity = (typeof severities)[number]

/** A period of an event; if it has no end, it continues. Times in ms since the epoch. */
export interface Period {
  start: number
  end: number | null
}

/** The events active at a time, or that began or ended within `near` ms of it; nearest first. */
export function eventsAround<E extends Period>(events: readonly E[], time: number, near: number): E[] {
  const away = ({ start, end }: E) => Math.max(0, start - time, end === null ? 0 : time - end)
  return events.filter((event) => away(event) <= near).toSorted((a, b) => away(a) - away(b) || b.start - a.start)
}
