import type { Day } from '../calendar/days.ts'

/** Emergency light tests by their duration in minutes; T0 is the short flick test. */
export const testTypes = ['T0', 'T5', 'T60', 'T180'] as const
export type TestType = (typeof testTypes)[number]
/** Minutes of light that each asks for; a flick test lasts some seconds. */
export const minutesOf: Record<TestType, number> = { T0: 0, T5: 5, T60: 60, T180: 180 }

/** The names of tests where people read them. T180 is a 3-hour test, and never a flick test. */
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

/** The results by how much they matter, the worst first; what is still to be decided stands before what is well. */
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

/** What a light measures of itself during a test, so many seconds after it began. */
export type TestPoint = { seconds: number; batteryVoltage: number } & Partial<Record<TestSeriesId, number>>

/**
 * The series of a test's chart in their order. Everybody sees the first three that a test has, administrators see all, and for them
 * battery and PLive, the power that the light takes from its live conductor, have an axis of their own (devices specification, section 4).
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
/** Series that people see who are no administrators. */
export const seriesForAll = 3

/** The series that somebody sees of a test that has these. */
export function seriesSeen<Series>(all: readonly Series[], seesAll: boolean): readonly Series[] {
  return seesAll ? all : all.slice(0, seriesForAll)
}

/** Status bytes of the light, as they were when it told of the test (DALI part 202). */
export interface TestBits {
  failure?: number
  emergency?: number
  durationResult?: number
}

/** What the rule said of a test. */
export interface Judged {
  result: TestResult
  reason: string
  componentStates: ComponentStates
}

/** Any component Failed gives Failed; otherwise any Degraded gives Degraded; otherwise Passed. */
export function resultOf(states: ComponentStates): 'Passed' | 'Degraded' | 'Failed' {
  const values = Object.values(states)
  if (values.includes('Failed')) return 'Failed'
  return values.includes('Degraded') ? 'Degraded' : 'Passed'
}

/** A test as far as it tells of a battery; its day by the clocks of its client. */
interface BatteryTest {
  day: Day
  componentStates: ComponentStates
}

/**
 * How the battery that a test found worn did in the test of the same length before, where that found it worn, too. Undefined where it
 * did well, where another battery is in since, or where nobody has said since when this one is.
 */
export function sameBattery(
  test: BatteryTest,
  before: BatteryTest | undefined,
  installed: Day | null,
): 'Degraded' | 'Failed' | undefined {
  const isWorn = ({ componentStates: { Battery } }: BatteryTest) => Battery === 'Degraded' || Battery === 'Failed'
  // On its first day a battery may have been put in after the test.
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

/** Whether somebody or something still has to decide what became of a test. */
export function isPending(result: TestResult): boolean {
  return result === 'AwaitingAnalysis' || result === 'AwaitingReview'
}

/**
 * Whether a device's later word on a test replaces what is stored: only on the way from analysis over review to a final
 * result. A final result stays, and so does one that is merely repeated.
 */
export function mayReplace(stored: TestResult, told: TestResult): boolean {
  return isPending(stored) && stored !== told && told !== 'AwaitingAnalysis'
}

/** States that say something else than what is wrong with the parts: chosen, they stand in place of the derived result. */
export const otherStates = ['Indeterminate', 'AwaitingAnalysis', 'AwaitingReview', 'Suppressed'] as const
export type OtherState = (typeof otherStates)[number]

/** What somebody says of a test in the form that corrects it. */
export interface Correction {
  componentStates: ComponentStates
  other?: OtherState | undefined
}

/** The result of a correction: an other state that was chosen, or what follows from the parts. */
export const correctedResult = ({ componentStates, other }: Correction): TestResult =>
  other ?? resultOf(componentStates)

/** The part of a reason that is generated; of an other state there is none. */
export const generatedReason = ({ componentStates, other }: Correction): string =>
  other ? '' : reasonOf(componentStates)

/**
 * The reason after a choice has changed: its generated part becomes the new one, and what somebody typed after it stays
 * (devices specification, section 4). Where it does not begin as it was generated, all of it was typed.
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
 * The duration of a light that was lit for less than its time; undefined where the test asks for no time, or it was lit for as long.
 * @param test `lasted` in seconds, null where nothing measured it; `evidenceEnd` why the evidence ends there, null where that is not known
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

/** The most tests that are counted, and the most that are sorted by anything but their start. */
export const mostTestsCounted = 10_000

export const tooManyTestsToSort = `Sort by test date, or narrow the filter to at most ${mostTestsCounted.toLocaleString('en-GB')} tests.`
