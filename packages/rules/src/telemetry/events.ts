/** How severe an event is (devices specification, section 3), the mildest first. */
export const severities = ['Low', 'Medium', 'High'] as const
export type Severity = (typeof severities)[number]

/** A period in which something was so; without an end it still goes on. Times in milliseconds since the epoch. */
export interface Period {
  start: number
  end: number | null
}

/** What was going on at a time, or began or ended no further from it than `near` milliseconds; the nearest first. */
export function goingOn<E extends Period>(events: readonly E[], time: number, near: number): E[] {
  const away = ({ start, end }: E) => Math.max(0, start - time, end === null ? 0 : time - end)
  return events.filter((event) => away(event) <= near).toSorted((a, b) => away(a) - away(b) || b.start - a.start)
}
