import type { LightRun } from '@caretaker/contract/lighting.ts'
import { notAgainText } from '@caretaker/rules/lighting/again.ts'
import type { LightRunState } from '@caretaker/rules/lighting/runs.ts'
import type { TestType } from '@caretaker/rules/lighting/tests.ts'
import { dateTimeText } from '../../ui/age.ts'

/** A planned test in words. */
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

/** What became of a planned test of a light, why, and when it comes again or why it does not. */
export const runInWords = (run: LightRun, zone: string): string =>
  withAgain([runWords[run.state], run.reason].filter(Boolean).join(': '), { ...run, isMissed: isMissed(run) }, zone)

interface Again {
  testType: TestType
  again: string | null
  /** Whether it came to nothing. */
  isMissed: boolean
}

/** What is said of a test, and when it comes again or why it does not. */
export function withAgain(said: string, { testType, again, isMissed: missed }: Again, zone: string): string {
  const told = again ? `planned again for ${dateTimeText(again, zone)}` : missed && notAgainText(testType)
  if (!told) return said
  return said.endsWith('.') ? `${said} ${told.charAt(0).toUpperCase()}${told.slice(1)}` : `${said}, ${told}`
}

const cameToNothing: readonly string[] = ['missed', 'notStarted', 'interrupted']
export const isMissed = ({ state }: LightRun) => cameToNothing.includes(state)
