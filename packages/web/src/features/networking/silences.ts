/** A time span, in milliseconds since the epoch. */
export interface Span {
  from: number
  to: number
}

/** The points of a series: one without a value marks the beginning of a gap. */
type Points = readonly { date: number; value: number | null }[]

/**
 * When a device was silent, in ms: gaps of a series in which no other series has a reading, and the time since the last
 * contact for an offline device.
 */
export function silencesIn(series: readonly Points[], range: Span, silentSince: number | null): Span[] {
  const points = series.flat().toSorted((a, b) => a.date - b.date)
  const heard = points.filter(({ value }) => value !== null).map(({ date }) => date)
  const last = heard.at(-1)
  if (last === undefined) return [range]
  // A series marks the beginning of its own gap: readings of another series show that the device was connected.
  const gapOf = (one: Points, at: number): Span | undefined => {
    const own = one.filter(({ value }) => value !== null).map(({ date }) => date)
    const [from, to] = [own.findLast((date) => date <= at), own.find((date) => date > at)]
    return from === undefined || to === undefined ? undefined : { from, to }
  }
  const gaps = series.flatMap((one) =>
    one.flatMap(({ date, value }) => {
      const gap = value === null ? gapOf(one, date) : undefined
      return gap && !heard.some((at) => at > gap.from && at < gap.to) ? [gap] : []
    }),
  )
  const since = silentSince !== null && Math.max(last, silentSince)
  const tail = since !== false && since < range.to ? [{ from: since, to: range.to }] : []
  return [...gaps, ...tail]
    .toSorted((a, b) => a.from - b.from)
    .filter((span, index, all) => all[index - 1]?.from !== span.from)
}

/** Spans without the parts covered by others. */
export function outside(spans: readonly Span[], others: readonly Span[]): Span[] {
  return others.reduce<Span[]>(
    (left, other) =>
      left.flatMap(({ from, to }) =>
        [
          { from, to: Math.min(to, other.from) },
          { from: Math.max(from, other.to), to },
        ].filter((span) => span.from < span.to),
      ),
    // Overlapping spans count once.
    spans
      .toSorted((a, b) => a.from - b.from)
      .reduce<Span[]>((joined, span) => {
        const last = joined.at(-1)
        if (!last || span.from > last.to) return [...joined, span]
        return [...joined.slice(0, -1), { from: last.from, to: Math.max(last.to, span.to) }]
      }, []),
  )
}

export const lengthOf = (spans: readonly Span[]): number => spans.reduce((sum, { from, to }) => sum + to - from, 0)
