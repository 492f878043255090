/**
 * Whole percentages of the counts that sum to exactly 100, or zeros when there is nothing (devices specification, 2).
 * What was lost by rounding down goes to the largest remainders, the first of equal ones first. A count above zero never
 * reads 0 %, because one failure in a thousand must still be seen: it takes its 1 % from the largest.
 */
export function percentages(counts: readonly number[]): number[] {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return counts.map(() => 0)
  const shares = counts.map((count) => Math.floor((count * 100) / total))
  const byRemainder = counts
    .map((count, index) => ({ index, remainder: (count * 100) % total }))
    .sort((a, b) => b.remainder - a.remainder || a.index - b.index)
  const lost = 100 - shares.reduce((sum, share) => sum + share, 0)
  for (const { index } of byRemainder.slice(0, lost)) shares[index]! += 1
  const donors = counts.map((count, index) => ({ count, index })).sort((a, b) => a.count - b.count || b.index - a.index)
  for (const [index, count] of counts.entries()) {
    if (count === 0 || shares[index]! > 0) continue
    const most = Math.max(...shares)
    if (most <= 1) break
    // The smallest of those that read most, so that a larger count still never reads less.
    shares[donors.find((donor) => shares[donor.index] === most)!.index]! -= 1
    shares[index] = 1
  }
  return shares
}
