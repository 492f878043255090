import type { TestResult } from '@caretaker/rules/lighting/tests.ts'
import type { StoredTest } from '@caretaker/rules/lighting/running.ts'
import { pendingText } from '@caretaker/rules/lighting/running.ts'
import { useClock } from '../../ui/age-view.tsx'
import { StatusIcon } from '../../ui/status-icon.tsx'
import type { StatusTone } from '../../ui/tokens.ts'
import { useZone } from '../../ui/zone.tsx'
import classes from './test-results.module.css'

const tones: Record<TestResult, StatusTone> = {
  Passed: 'passed',
  Degraded: 'warning',
  Failed: 'failed',
  Indeterminate: 'not-installed',
  AwaitingAnalysis: 'not-installed',
  AwaitingReview: 'not-installed',
  Suppressed: 'not-installed',
}

const words: Partial<Record<TestResult, string>> = {
  AwaitingAnalysis: 'Awaiting analysis',
  AwaitingReview: 'Awaiting review',
}

/** A result in words. */
export const resultWord = (result: string): string => words[result as TestResult] ?? result

interface ResultProps {
  test: StoredTest
  /** Only 'Running', if the reason beside it states the start. */
  brief?: boolean
}

/** The result of a test: icon and word. A running test has its start and the time left instead. */
export function Result({ test, brief }: ResultProps) {
  const tone = tones[test.result]
  return (
    <span className={classes.word} style={{ color: `var(--status-${tone}-text)` }}>
      <StatusIcon tone={tone} />
      {test.result === 'AwaitingAnalysis' ? <Pending test={test} brief={brief} /> : resultWord(test.result)}
    </span>
  )
}

function Pending({ test, brief }: ResultProps) {
  const [zone, now] = [useZone(), useClock()]
  const text = pendingText(test, now, zone)
  return text && brief ? 'Running' : (text ?? resultWord(test.result))
}

/** The reason of a result; for a running test, its start and the time left. */
export function Reason({ test }: { test: StoredTest & { reason: string } }) {
  const [zone, now] = [useZone(), useClock()]
  return pendingText(test, now, zone) ?? test.reason
}
