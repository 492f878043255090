import type { TestResult } from '@caretaker/rules/lighting/tests.ts'
import { StatusIcon } from '../../ui/status-icon.tsx'
import type { StatusTone } from '../../ui/theme.ts'
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

/** A result as people read it. */
export const resultWord = (result: string): string => words[result as TestResult] ?? result

/** The result of a test: icon and word. */
export function Result({ result }: { result: TestResult }) {
  const tone = tones[result]
  return (
    <span className={classes.word} style={{ color: `var(--status-${tone}-text)` }}>
      <StatusIcon tone={tone} />
      {resultWord(result)}
    </span>
  )
}
