/** The result of one attempt: a response, or none because the connection failed. */
export interface Attempt {
  /** The HTTP status; 0 without a response. */
  status: number
  /** The header Retry-After, in seconds. */
  retryAfter: number | undefined
}

/** The first and the longest delay without a Retry-After, in ms. */
const [firstDelay, longestDelay] = [250, 10_000]

/**
 * The delay in ms before the next attempt; undefined if another attempt is useless or unsafe. `isRepeatable` is whether
 * repeating a call cannot make the same change twice; `chance` from 0 to 1 spreads the attempts of several programs.
 */
export function delayBefore(
  attempt: number,
  { status, retryAfter }: Attempt,
  { isRepeatable, chance }: { isRepeatable: boolean; chance: number },
): number | undefined {
  // 409 with a Retry-After: the first call with the same Idempotency-Key is still in progress.
  const isPassing = status === 0 || status === 429 || status > 501 || (status === 409 && retryAfter !== undefined)
  // The server rejects a call above the limit before it does anything.
  if (!isPassing || (!isRepeatable && status !== 429)) return undefined
  if (retryAfter !== undefined) return (retryAfter + chance) * 1000
  return Math.min(firstDelay * 2 ** (attempt - 1), longestDelay) * (0.5 + chance / 2)
}
