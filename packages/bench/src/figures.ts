/** The value below which the given share of the samples lies: 0.95 for p95. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const rounded = (value: number, digits = 1) => Number(value.toFixed(digits))

/** Milliseconds that each of `count` runs took, for each of the works; they take turns, after a few that do not count. */
export async function timed(count: number, ...works: readonly (() => Promise<unknown>)[]): Promise<number[][]> {
  for (let warm = 0; warm < Math.min(20, count); warm++) for (const work of works) await work()
  const samples = works.map((): number[] => [])
  for (let run = 0; run < count; run++)
    for (const [at, work] of works.entries()) {
      const start = performance.now()
      await work()
      samples[at]!.push(performance.now() - start)
    }
  return samples
}
