import type { LightRun } from '@caretaker/contract/lighting.ts'
import type { LightRunState } from '@caretaker/rules/lighting/runs.ts'

/** A planned test in words. */
export const runWords: Record<LightRunState | 'planned', string> = {
  planned: 'Scheduled',
  waiting: 'Waiting for its turn',
  sent: 'Told to begin',
  running: 'Running',
  finished: 'Finished',
  missed: 'Missed',
  notStarted: 'Not started',
  interrupted: 'Interrupted',
}

const cameToNothing: readonly string[] = ['missed', 'notStarted', 'interrupted']
export const isMissed = ({ state }: LightRun) => cameToNothing.includes(state)
