/**
 * Fractions of a ring or bar for counts, summing to 1: in proportion, but no count above zero falls below `least` (a
 * fraction), so that one failure in a thousand is visible. All zero for an empty total.
 */
export function visibleShares(counts: readonly number[], least: number): number[] {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return counts.map(() => 0)
  const present = counts.filter((count) => count > 0).length
  const floor = Math.min(least, 1 / present)
  let raised = new Set<number>()
  // Raising one shrinks the others, which may push another below the minimum: repeats until nothing changes.
  for (;;) {
    const freeCount = counts.reduce((sum, count, index) => (raised.has(index) ? sum : sum + count), 0)
    const freeShare = 1 - raised.size * floor
    const share = (count: number, index: number) =>
      count === 0 ? 0 : raised.has(index) || freeCount === 0 ? floor : (count / freeCount) * freeShare
    const shares = counts.map(share)
    const below = counts.flatMap((count, index) =>
      count > 0 && !raised.has(index) && shares[index]! < floor - 1e-12 ? [index] : [],
    )
    if (below.length === 0) return shares
    raised = new Set([...raised, ...below])
  }
}
