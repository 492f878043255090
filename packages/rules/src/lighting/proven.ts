import { dayAt, dayText } from '../calendar/days.ts'
import { runningTest, runningText } from './running.ts'
import type { RequiredTest } from './overdue.ts'
import type { TestResult, TestType } from './tests.ts'

/** A test with the fields needed to name it as proof. */
interface NamedTest {
  testType: TestType
  /** ISO */
  testDate: string
  result: TestResult
}

const names: Record<RequiredTest, string> = { T180: '3-hour test', T0: 'function test' }

const resultWords: Record<TestResult, string> = {
  Passed: 'passed on',
  Degraded: 'found a degraded part on',
  Failed: 'failed on',
  Indeterminate: 'without a result on',
  AwaitingAnalysis: 'without a result since',
  AwaitingReview: 'awaits review since',
  Suppressed: 'suppressed on',
}

/**
 * The last required tests of a light, as a sentence: 'Last 3-hour test passed on 26/11/2026; last function test passed
 * on 12/11/2026.'
 * @param tests the newest test of each type
 */
export function provenText(tests: readonly NamedTest[], now: number, zone: string): string {
  const parts = (['T180', 'T0'] as const).map((type) => {
    const test = tests.find(({ testType }) => testType === type)
    if (!test) return `no ${names[type]} on record`
    const running = runningTest(test, now)
    if (running) return `${names[type]} ${runningText(running, now, zone)}`
    return `last ${names[type]} ${resultWords[test.result]} ${dayText(dayAt(Date.parse(test.testDate), zone))}`
  })
  const text = parts.join('; ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
