import type { BreachState } from './breach-states.ts'
import type { LawDeadline } from './awaabs-deadlines.ts'

/** The name of a deadline's step; for an emergency, making safe. */
export const deadlineName = ({ step, isEmergency }: Pick<LawDeadline, 'step' | 'isEmergency'>): string =>
  isEmergency && step === 'Repairs' ? 'Make safe' : step

/** The action that a running deadline requires. */
export const deadlineWords = ({ step, isEmergency }: Pick<LawDeadline, 'step' | 'isEmergency'>): string => {
  const words = { Investigation: 'investigate by', Summary: 'send the written summary by', Repairs: 'make safe by' }[
    step
  ]
  return isEmergency ? `Emergency: ${words}` : words.charAt(0).toUpperCase() + words.slice(1)
}

export const deadlineStates = [
  'Met',
  'Running',
  'Not done',
  'Done late',
  'Case closed',
  'Closed in time',
  'Moved since',
] as const
export type DeadlineStateWord = (typeof deadlineStates)[number]

/** The state of a deadline in a word. */
export function deadlineState(state: BreachState | undefined, { done, ended }: LawDeadline): DeadlineStateWord {
  if (state === 'moved') return 'Moved since'
  if (state === 'not done') return 'Not done'
  if (state === 'done late') return 'Done late'
  if (state === 'closed') return 'Case closed'
  return done ? 'Met' : ended ? 'Closed in time' : 'Running'
}
