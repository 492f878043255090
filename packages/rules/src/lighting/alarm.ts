import type { DeviceStatus } from '../devices/status.ts'
import type { Component, ComponentStates, TestResult, TestType } from './tests.ts'
import { components, minutesOf } from './tests.ts'

/** What is known of the newest test of a type. */
export interface ToldTest {
  testType: TestType
  result: TestResult
  componentStates: ComponentStates
  /** Seconds that the lamp burned; null where nobody knows. */
  lasted: number | null
}

/** The statuses in which a failed or degraded test is what is wrong with a light: a repair that was recorded ends that. */
const statuses: readonly DeviceStatus[] = ['FailedEquipment', 'PreventativeMaintenance']

/** The test that is the reason for concern about a light: one that failed before one that degraded, the longest of them. */
export function alarmingTest<T extends ToldTest>(status: DeviceStatus, latest: readonly T[]): T | undefined {
  if (!statuses.includes(status)) return undefined
  const longestFirst = latest.toSorted((a, b) => minutesOf[b.testType] - minutesOf[a.testType])
  const of = (result: TestResult) => longestFirst.find((one) => one.result === result)
  return of('Failed') ?? of('Degraded')
}

/** The parts that a test blames. */
export function blamed({ result, componentStates }: Pick<ToldTest, 'result' | 'componentStates'>): Component[] {
  return components.filter((one) => componentStates[one] === result)
}

/** 'T180 test failed – battery'. */
export function alarmTitle(test: ToldTest): string {
  const parts = blamed(test).map((part) => part.toLowerCase())
  const what = `${test.testType} test ${test.result.toLowerCase()}`
  return parts.length > 0 ? `${what} – ${parts.join(', ')}` : what
}

/** '1 h 52 min', '3 h', '12 min'. */
function lengthText(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return [hours > 0 && `${hours} h`, (rest > 0 || hours === 0) && `${rest} min`].filter(Boolean).join(' ')
}

/** What a battery that gave up early means; undefined where the test asked for no time, or the light burned for as long. */
export function shortfall({ testType, lasted }: Pick<ToldTest, 'testType' | 'lasted'>): string | undefined {
  const asked = minutesOf[testType]
  if (lasted === null || asked === 0 || lasted >= asked * 60) return undefined
  return `The light went out after ${lengthText(Math.floor(lasted / 60))} of the ${lengthText(asked)} it must last.`
}
