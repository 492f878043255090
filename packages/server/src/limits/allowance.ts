/** The remaining allowance of a limit. It starts full and refills over time. */
export interface Allowance {
  /** Negative if other processes have used what would have been left. */
  left: number
  at: number
  /** The amount used here since the other processes were last informed. */
  unreported: number
}

/** The remaining allowances of several limits of one device or caller. */
export type Allowances<Name extends string> = Partial<Record<Name, Allowance>>

export const whole = (limit: number, now: number): Allowance => ({ left: limit, at: now, unreported: 0 })

/** The current remainder of an allowance that refills within `over` ms. */
export function refilled(allowance: Allowance, limit: number, now: number, over: number): number {
  const since = Math.max(0, now - allowance.at)
  allowance.left = Math.min(limit, allowance.left + (since * limit) / over)
  allowance.at = now
  return allowance.left
}

export function take(allowance: Allowance, amount: number): void {
  allowance.left -= amount
  allowance.unreported += amount
}

/**
 * Concurrent usage in other processes is deducted only up to this share of the limit, so that it
 * blocks no caller for long.
 */
const largestDeduction = 0.25

/** Deducts what was used in another process. */
export function takenElsewhere(allowance: Allowance, amount: number, limit: number): void {
  allowance.left = Math.max(-limit * largestDeduction, allowance.left - amount)
}
