import type { RunState } from './runs.ts'

/** The outcome of a run: the worst among its lights, since a single failed light needs attention. */
export const runOutcomes = ['planned', 'running', 'passed', 'degraded', 'failed', 'missed', 'unknown'] as const
export type RunOutcome = (typeof runOutcomes)[number]

/** The number of lights of a run by result; missed includes those not started or interrupted. */
export interface RunLights {
  passed: number
  degraded: number
  failed: number
  missed: number
  /** Tests not started yet or still running. */
  open: number
}

/** `unknown` is a finished run without any reported result, or with a result that a user still has to decide on. */
export function outcomeOf(state: RunState, { passed, degraded, failed, missed, open }: RunLights): RunOutcome {
  if (failed) return 'failed'
  if (degraded) return 'degraded'
  if (missed) return 'missed'
  if (state === 'planned') return 'planned'
  if (state === 'running' || open) return 'running'
  return passed ? 'passed' : 'unknown'
}

/** '2 failed, 7 passed', worst first; empty without results. */
export function runCountsText({ failed, degraded, missed, passed }: Omit<RunLights, 'open'>): string {
  const counts = [
    [failed, 'failed'],
    [degraded, 'degraded'],
    [missed, 'missed'],
    [passed, 'passed'],
  ] as const
  return counts.flatMap(([count, word]) => (count ? [`${count.toLocaleString('en-GB')} ${word}`] : [])).join(', ')
}

export const outcomeWords: Record<RunOutcome, string> = {
  planned: 'Scheduled',
  running: 'Running',
  passed: 'All passed',
  degraded: 'Degraded',
  failed: 'Failed',
  missed: 'Missed',
  unknown: 'No result',
}
/** By precedence. */
const order: readonly RunOutcome[] = ['failed', 'degraded', 'missed', 'running', 'unknown', 'planned', 'passed']

/** The combined outcome of several runs shown in one place. */
export function worstOf(outcomes: readonly RunOutcome[]): RunOutcome | undefined {
  return order.find((outcome) => outcomes.includes(outcome))
}
