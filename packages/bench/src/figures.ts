/** The nearest-rank percentile: the smallest sample that the given share of the samples does not exceed; 0.95 for p95. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

/** With fewer samples, these percentiles are not meaningful. */
export const fewestSamples = { p95: 40, p99: 100 }

export interface Spread {
  p50: number
  /** Null with fewer than 40 samples. */
  p95: number | null
  /** Null with fewer than 100 samples. */
  p99: number | null
  longest: number
}

/** The spread of durations in ms. */
export function spreadOf(samples: readonly number[]): Spread {
  const rank = (share: number) => rounded(percentile(samples, share))
  return {
    p50: rank(0.5),
    p95: samples.length < fewestSamples.p95 ? null : rank(0.95),
    p99: samples.length < fewestSamples.p99 ? null : rank(0.99),
    longest: rank(1),
  }
}

export const rounded = (value: number, digits = 1) => Number(value.toFixed(digits))

/** The same items in random order. */
export function shuffled<Item>(some: readonly Item[]): Item[] {
  const items = [...some]
  for (let at = items.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1))
    ;[items[at], items[other]] = [items[other]!, items[at]!]
  }
  return items
}
