/** The value below which the given share of the samples lies: 0.95 for p95. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const rounded = (value: number, digits = 1) => Number(value.toFixed(digits))

/**
 * Milliseconds that each of `count` runs took, for each of the works, after a few that do not count. They take turns, each time in another
 * order: what comes at intervals, as the sweeping of memory, would meet the same work again and again.
 */
export async function timed(count: number, ...works: readonly (() => Promise<unknown>)[]): Promise<number[][]> {
  for (let warm = 0; warm < Math.min(20, count); warm++) for (const work of works) await work()
  const samples = works.map((): number[] => [])
  for (let run = 0; run < count; run++)
    for (const [at, work] of shuffled([...works.entries()])) {
      const start = performance.now()
      await work()
      samples[at]!.push(performance.now() - start)
    }
  return samples
}

/** The same items, in any order. */
export function shuffled<Item>(some: readonly Item[]): Item[] {
  const items = [...some]
  for (let at = items.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1))
    ;[items[at], items[other]] = [items[other]!, items[at]!]
  }
  return items
}
