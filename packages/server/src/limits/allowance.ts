/** What is left of a limit. It is whole at first, and grows back by and by. */
export interface Allowance {
  /** Below nothing while others have taken what would have been left. */
  left: number
  at: number
  /** What was taken here since the other processes were told. */
  untold: number
}

/** What is left of several limits of one device or caller. */
export type Allowances<Name extends string> = Partial<Record<Name, Allowance>>

export const whole = (limit: number, now: number): Allowance => ({ left: limit, at: now, untold: 0 })

/** What is left by now of an allowance that grows back within `over` ms. */
export function refilled(allowance: Allowance, limit: number, now: number, over: number): number {
  const since = Math.max(0, now - allowance.at)
  allowance.left = Math.min(limit, allowance.left + (since * limit) / over)
  allowance.at = now
  return allowance.left
}

export function take(allowance: Allowance, amount: number): void {
  allowance.left -= amount
  allowance.untold += amount
}

/** What other processes took at the same moment is owed, up to this share of the limit: nobody is kept out for long by it. */
const mostOwed = 0.25

/** Counts what was taken in another process. */
export function takenElsewhere(allowance: Allowance, amount: number, limit: number): void {
  allowance.left = Math.max(-limit * mostOwed, allowance.left - amount)
}
