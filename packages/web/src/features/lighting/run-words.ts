import type { LightRun } from '@caretaker/contract/lighting.ts'
import { notAgainText } from '@caretaker/rules/lighting/again.ts'
import type { LightRunState } from '@caretaker/rules/lighting/runs.ts'
import type { TestType } from '@caretaker/rules/lighting/tests.ts'
import { dateTimeText } from '../../ui/age.ts'

/** The states of a planned test in words. */
export const runWords: Record<LightRunState | 'planned', string> = {
  planned: 'Scheduled',
  waiting: 'Queued',
  sent: 'Start command sent',
  running: 'Running',
  finished: 'Finished',
  missed: 'Missed',
  notStarted: 'Not started',
  interrupted: 'Interrupted',
}

/** The result of a light's planned test, the reason, and when it is repeated or why it is not. */
export const runInWords = (run: LightRun, zone: string): string =>
  withAgain([runWords[run.state], run.reason].filter(Boolean).join(': '), { ...run, isMissed: isMissed(run) }, zone)

interface Again {
  testType: TestType
  again: string | null
  /** Whether the test had no result. */
  isMissed: boolean
}

/** Appends to a text when the test is repeated, or why it is not. */
export function withAgain(text: string, { testType, again, isMissed: missed }: Again, zone: string): string {
  const followUp = again ? `planned again for ${dateTimeText(again, zone)}` : missed && notAgainText(testType)
  if (!followUp) return text
  return text.endsWith('.') ? `${text} ${followUp.charAt(0).toUpperCase()}${followUp.slice(1)}` : `${text}, ${followUp}`
}

const hasEffectFailed: readonly string[] = ['missed', 'notStarted', 'interrupted']
export const isMissed = ({ state }: LightRun) => hasEffectFailed.includes(state)
