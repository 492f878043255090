/** Counts of durations by whole milliseconds. */
export type Latency = Map<number, number>

export function addLatency(to: Latency, counts: Iterable<readonly [ms: number, count: number]>): void {
  for (const [ms, count] of counts) to.set(ms, (to.get(ms) ?? 0) + count)
}

/**
 * The duration in ms that a share of the messages did not exceed, such as 0.99 for p99; NaN if there are no messages.
 */
export function latencyPercentile(latency: Latency, share: number): number {
  const total = [...latency.values()].reduce((sum, count) => sum + count, 0)
  let seen = 0
  for (const [ms, count] of [...latency].toSorted(([one], [other]) => one - other)) {
    seen += count
    if (seen >= total * share) return ms
  }
  return Number.NaN
}
