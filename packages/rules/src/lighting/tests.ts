/** Emergency light tests by their duration in minutes; T0 is the short flick test. */
export const testTypes = ['T0', 'T5', 'T60', 'T180'] as const
export type TestType = (typeof testTypes)[number]
/** Minutes of light that each asks for; a flick test lasts some seconds. */
export const minutesOf: Record<TestType, number> = { T0: 0, T5: 5, T60: 60, T180: 180 }

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

export const components = ['Battery', 'Inverter', 'Lamp', 'Emered'] as const
export type Component = (typeof components)[number]
export const componentStates = ['Ok', 'Degraded', 'Failed'] as const
export type ComponentState = (typeof componentStates)[number]
export type ComponentStates = Partial<Record<Component, ComponentState>>

/** Any component Failed gives Failed; otherwise any Degraded gives Degraded; otherwise Passed. */
export function resultOf(states: ComponentStates): 'Passed' | 'Degraded' | 'Failed' {
  const values = Object.values(states)
  if (values.includes('Failed')) return 'Failed'
  return values.includes('Degraded') ? 'Degraded' : 'Passed'
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

/** '1 h 52 min', '3 h', '12 min'. */
function minutesText(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return [hours > 0 && `${hours} h`, (rest > 0 || hours === 0) && `${rest} min`].filter(Boolean).join(' ')
}

/**
 * What a light that went out early means; undefined where the test asks for no time, or the light burned for as long.
 * @param test `lasted` in seconds; null where nobody knows
 */
export function shortfall({ testType, lasted }: { testType: TestType; lasted: number | null }): string | undefined {
  const asked = minutesOf[testType]
  if (lasted === null || lasted >= asked * 60) return undefined
  return `The light went out after ${minutesText(Math.floor(lasted / 60))} of the ${minutesText(asked)} it must last.`
}
