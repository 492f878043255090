import type { Day } from '../calendar/days.ts'

/** Emergency light tests, named after their duration in minutes; T0 is the short flick test. */
export const testTypes = ['T0', 'T5', 'T60', 'T180'] as const
export type TestType = (typeof testTypes)[number]
/** Required minutes of light; a flick test takes some seconds. */
export const minutesOf: Record<TestType, number> = { T0: 0, T5: 5, T60: 60, T180: 180 }

/** Display names of tests. T180 is a 3-hour test, never a flick test. */
export const testNames: Record<TestType, string> = {
  T0: 'Function test (T0)',
  T5: '5-minute test (T5)',
  T60: '1-hour test (T60)',
  T180: '3-hour test (T180)',
}

export const testResults = [
  'Passed',
  'Degraded',
  'Failed',
  'Indeterminate',
  'AwaitingAnalysis',
  'AwaitingReview',
  'Suppressed',
] as const
export type TestResult = (typeof testResults)[number]

/** The results by importance, worst first; pending ones come before good ones. */
export const worstResults: readonly TestResult[] = [
  'Failed',
  'Degraded',
  'Indeterminate',
  'AwaitingReview',
  'AwaitingAnalysis',
  'Suppressed',
  'Passed',
]

export const components = ['Battery', 'Inverter', 'Lamp', 'Emered'] as const
export type Component = (typeof components)[number]
export const componentStates = ['Ok', 'Degraded', 'Failed'] as const
export type ComponentState = (typeof componentStates)[number]
export type ComponentStates = Partial<Record<Component, ComponentState>>

/** Measurements of a light during a test, by seconds after its start. */
export type TestPoint = { seconds: number; batteryVoltage: number } & Partial<Record<TestSeriesId, number>>

/**
 * The series of a test's chart, in order. All users see the first three that a test has; administrators see all, with a
 * separate axis for battery and PLive, the power taken from the live conductor (devices specification, section 4).
 */
export const testSeries = {
  batteryVoltage: { label: 'Battery', unit: 'V', secondary: true },
  lampPower: { label: 'Lamp power', unit: 'W', secondary: false },
  lampCurrent: { label: 'Lamp current', unit: 'A', secondary: false },
  lampVoltage: { label: 'Lamp voltage', unit: 'V', secondary: false },
  pLive: { label: 'PLive', unit: 'W', secondary: true },
} as const
export type TestSeriesId = keyof typeof testSeries
export const testSeriesIds = Object.keys(testSeries) as TestSeriesId[]
/** Number of series visible to users who are not administrators. */
export const seriesForAll = 3

/** The series of a test that the user sees. */
export function seriesSeen<Series>(all: readonly Series[], seesAll: boolean): readonly Series[] {
  return seesAll ? all : all.slice(0, seriesForAll)
}

/** Status bytes of the light at the time of its report (DALI part 202). */
export interface TestBits {
  failure?: number
  emergency?: number
  durationResult?: number
}

/** The verdict of the rule on a test. */
export interface Judged {
  result: TestResult
  reason: string
  componentStates: ComponentStates
}

/** Failed if any component is Failed; otherwise Degraded if any is Degraded; otherwise Passed. */
export function resultOf(states: ComponentStates): 'Passed' | 'Degraded' | 'Failed' {
  const values = Object.values(states)
  if (values.includes('Failed')) return 'Failed'
  return values.includes('Degraded') ? 'Degraded' : 'Passed'
}

/** The facts about a test that concern the battery; its day in the client's time zone. */
interface BatteryTest {
  day: Day
  componentStates: ComponentStates
}

/**
 * The previous test of the same length if a worn battery was already found worn in it. Undefined if it was good then,
 * has been replaced since, or its fitting date is unknown.
 */
export function sameBattery(
  test: BatteryTest,
  before: BatteryTest | undefined,
  installed: Day | null,
): 'Degraded' | 'Failed' | undefined {
  const isWorn = ({ componentStates: { Battery } }: BatteryTest) => Battery === 'Degraded' || Battery === 'Failed'
  // On its first day a battery may have been fitted after the test.
  if (!before || !isWorn(test) || !isWorn(before) || installed === null || installed >= before.day) return undefined
  return before.componentStates.Battery as 'Degraded' | 'Failed'
}

/** The generated reason of a result (devices specification, section 4, Test results). */
export function reasonOf(states: ComponentStates): string {
  const named = (state: ComponentState) => components.filter((component) => states[component] === state).join(', ')
  const [failed, degraded] = [named('Failed'), named('Degraded')]
  if (!failed && !degraded) return 'Device successfully completed test.'
  return [
    failed && `Predicted Failed Components: ${failed}.`,
    degraded && `Predicted degraded Components: ${degraded}.`,
  ]
    .filter(Boolean)
    .join(' ')
}

/** Whether a result is still to be decided. */
export function isPending(result: TestResult): boolean {
  return result === 'AwaitingAnalysis' || result === 'AwaitingReview'
}

/**
 * Whether a device's later report replaces the stored result: only from analysis via review to a final result. Final
 * and repeated results stay.
 */
export function mayReplace(stored: TestResult, reported: TestResult): boolean {
  return isPending(stored) && stored !== reported && reported !== 'AwaitingAnalysis'
}

/** States that do not depend on the parts; if chosen, they replace the derived result. */
export const otherStates = ['Indeterminate', 'AwaitingAnalysis', 'AwaitingReview', 'Suppressed'] as const
export type OtherState = (typeof otherStates)[number]

/** The values of the form that corrects a test. */
export interface Correction {
  componentStates: ComponentStates
  other?: OtherState | undefined
}

/** The result of a correction: the other state if chosen, or the result derived from the parts. */
export const correctedResult = ({ componentStates, other }: Correction): TestResult =>
  other ?? resultOf(componentStates)

/** The generated part of a reason; empty for another state. */
export const generatedReason = ({ componentStates, other }: Correction): string =>
  other ? '' : reasonOf(componentStates)

/**
 * The reason after a choice has changed: its generated part is replaced, the typed text after it stays (devices
 * specification, section 4). If it does not begin with the generated part, all of it was typed.
 */
export function changedReason(reason: string, before: Correction, after: Correction): string {
  const old = generatedReason(before)
  const rest = reason.startsWith(old) ? reason.slice(old.length) : reason === '-' ? '' : reason
  return [generatedReason(after), rest.trim()].filter(Boolean).join(' ')
}

/** A duration in seconds as hours and whole minutes: '1 h 52 min', '3 h', '12 min'. */
export function durationText(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return [hours > 0 && `${hours} h`, (rest > 0 || hours === 0) && `${rest} min`].filter(Boolean).join(' ')
}

/**
 * The lit time of a light that fell short of the required duration; undefined if the test requires none or it was
 * reached.
 * @param test `lasted` in seconds, null if not measured; `evidenceEnd` why the evidence ends there, null if unknown
 */
export function shortfall({
  testType,
  lasted,
  evidenceEnd,
}: {
  testType: TestType
  lasted: number | null
  evidenceEnd: 'dark' | 'ended' | 'no further evidence' | null
}): string | undefined {
  const asked = minutesOf[testType] * 60
  if (lasted === null || lasted >= asked) return undefined
  return `${evidenceEnd === 'dark' ? 'Went out after' : 'Lit for'} ${durationText(lasted)} of ${durationText(asked)}.`
}

/** Maximum tests that are counted, and that are sorted by anything but their start. */
export const mostTestsCounted = 10_000

export const tooManyTestsToSort = `Sort by test date, or narrow the filter to at most ${mostTestsCounted.toLocaleString('en-GB')} tests.`
