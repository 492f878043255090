/**
 * Whole percentages that sum to exactly 100, or zeros if all counts are 0 (devices specification, 2). Largest remainder
 * method, first of equal remainders first. A count above zero never shows 0 %, so that one failure in a thousand stays
 * visible: it takes its 1 % from the largest.
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
    // The smallest count among the largest shares, so that a larger count never shows less.
    shares[donors.find((donor) => shares[donor.index] === most)!.index]! -= 1
    shares[index] = 1
  }
  return shares
}
