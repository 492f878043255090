import type { RunState } from './runs.ts'

/** What became of a run, the worst that one of its lights makes of it: one failed light is why people came. */
export const runOutcomes = ['planned', 'running', 'passed', 'degraded', 'failed', 'missed', 'unknown'] as const
export type RunOutcome = (typeof runOutcomes)[number]

/** The lights of a run by how each fared; missed are those that were not started or were interrupted, too. */
export interface RunLights {
  passed: number
  degraded: number
  failed: number
  missed: number
  /** Whose test is still to come, or under way. */
  open: number
}

/** `unknown` is a run that is over and of which no light has told a result, or somebody has still to decide. */
export function outcomeOf(state: RunState, { passed, degraded, failed, missed, open }: RunLights): RunOutcome {
  if (failed) return 'failed'
  if (degraded) return 'degraded'
  if (missed) return 'missed'
  if (state === 'planned') return 'planned'
  if (state === 'running' || open) return 'running'
  return passed ? 'passed' : 'unknown'
}

/** '2 failed, 7 passed', the worst first; nothing where nobody has told yet. */
export function faredWords({ failed, degraded, missed, passed }: Omit<RunLights, 'open'>): string {
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
/** From the one that is looked at first. */
const order: readonly RunOutcome[] = ['failed', 'degraded', 'missed', 'running', 'unknown', 'planned', 'passed']

/** The outcome of several runs that stand in one place. */
export function worstOf(outcomes: readonly RunOutcome[]): RunOutcome | undefined {
  return order.find((outcome) => outcomes.includes(outcome))
}
