import type { CommandLife } from './life.ts'

/** The error text of a failed reset: the server's message if it is text, else the configured one. */
export function resetFailureText(message: unknown, configured: string): string {
  return typeof message === 'string' && message.trim() !== '' ? message : configured
}

/** Days over which resets are counted: another reset does not cure a recurring lockout. */
export const resetDays = 30
const dayLength = 86_400_000

/** The number of confirmed resets in the last 30 days. `now` is in ms since the epoch, `createdAt` ISO 8601. */
export function resetsLately(
  resets: readonly (Pick<CommandLife, 'status' | 'lateAnswer'> & { createdAt: string })[],
  now: number,
): number {
  return resets.filter(
    ({ status, lateAnswer, createdAt }) =>
      (status === 'confirmed' || lateAnswer === 'confirmed') && now - Date.parse(createdAt) <= resetDays * dayLength,
  ).length
}

/** Advice before the next reset: the third lockout in 30 days needs a visit, not a fourth reset. */
export function resetAdvice(count: number): string {
  if (count === 0) return `Not reset in the last ${resetDays} days.`
  if (count === 1) return `Reset once in ${resetDays} days.`
  if (count === 2) return `Reset twice in ${resetDays} days; a third lockout requires a visit.`
  return `Reset ${count} times in ${resetDays} days: this requires a visit, not another reset.`
}
