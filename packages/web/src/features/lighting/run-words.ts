import type { LightRun } from '@caretaker/contract/lighting.ts'
import type { LightRunState } from '@caretaker/rules/lighting/runs.ts'
import { dateTimeText } from '../../ui/age.ts'

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

/** What became of a planned test of a light, why, and when it comes again. */
export const runInWords = ({ state, reason, again }: LightRun, zone: string): string =>
  withAgain([runWords[state], reason].filter(Boolean).join(': '), again, zone)

export function withAgain(said: string, again: string | null, zone: string): string {
  if (!again) return said
  return `${said}${said.endsWith('.') ? ' P' : ', p'}lanned again for ${dateTimeText(again, zone)}`
}

const cameToNothing: readonly string[] = ['missed', 'notStarted', 'interrupted']
export const isMissed = ({ state }: LightRun) => cameToNothing.includes(state)
