import { dayAt, dayText, localTime } from '../calendar/days.ts'
import type { TestResult, TestType } from './tests.ts'
import { durationText, minutesOf, testNames } from './tests.ts'

/** A test in progress, after the light reported its start. */
export interface RunningTest {
  testType: TestType
  /** ISO */
  startedAt: string
  /** ISO; the end of its rated time. */
  endsAt: string
}

/** A flick test takes some seconds and is reported within a minute. */
const shortest = 60_000

/** The fields of a stored test that show whether it is still running. */
export interface StoredTest {
  testType: TestType
  /** ISO */
  testDate: string
  result: TestResult
  /** The reported result; null if none yet. */
  reportedResult?: TestResult | null
}

/**
 * The test while it is running; undefined after its rated time, even if the result is still awaited. A test that a user
 * set to AwaitingAnalysis is over: its light has reported a result.
 */
export function runningTest(
  { testType, testDate, result, reportedResult }: StoredTest,
  now: number,
): RunningTest | undefined {
  if (result !== 'AwaitingAnalysis' || (reportedResult ?? result) !== 'AwaitingAnalysis') return undefined
  const start = Date.parse(testDate)
  const end = start + Math.max(minutesOf[testType] * 60_000, shortest)
  if (now < start || now >= end) return undefined
  return { testType, startedAt: testDate, endsAt: new Date(end).toISOString() }
}

/**
 * 'running since 02:00, 2 h 10 min left', with the day if it is not today; 'started at 02:00, awaiting the result'
 * after the rated time.
 */
export function runningText({ startedAt, endsAt }: RunningTest, now: number, zone: string): string {
  const [start, end] = [Date.parse(startedAt), Date.parse(endsAt)]
  const [day, time] = [dayAt(start, zone), new Date(localTime(start, zone)).toISOString().slice(11, 16)]
  const since = day === dayAt(now, zone) ? time : `${dayText(day)} ${time}`
  if (now >= end) return `started at ${since}, awaiting the result`
  const minutes = Math.ceil((end - now) / 60_000)
  return `running since ${since}, ${durationText(minutes * 60)} left`
}

/** '3-hour test (T180): running since 02:00, 2 h 10 min left'. */
export function runningTestText(test: RunningTest, now: number, zone: string): string {
  return `${testNames[test.testType]}: ${runningText(test, now, zone)}`
}

/** 'Running since 02:00, 2 h 10 min left', instead of the result; undefined for a test that is not running. */
export function pendingText(test: StoredTest, now: number, zone: string): string | undefined {
  const running = runningTest(test, now)
  if (!running) return undefined
  const text = runningText(running, now, zone)
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
