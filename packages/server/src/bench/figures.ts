/** The value below which the given share of the samples lies: 0.95 for p95. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const rounded = (value: number, digits = 1) => Number(value.toFixed(digits))

/** Milliseconds that each of `count` runs took, one after the other, after a few that do not count. */
export async function timed(count: number, work: () => Promise<unknown>): Promise<number[]> {
  for (let warm = 0; warm < Math.min(20, count); warm++) await work()
  const samples: number[] = []
  for (let run = 0; run < count; run++) {
    const start = performance.now()
    await work()
    samples.push(performance.now() - start)
  }
  return samples
}
