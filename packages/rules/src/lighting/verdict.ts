import type { Component, ComponentState, ComponentStates, TestResult, TestType } from './tests.ts'
import { components, isPending, minutesOf, reasonOf, resultOf } from './tests.ts'

/** What a light tells of one test: its own word, and what shows whether that is so. */
export interface TestEvidence {
  testType: TestType
  /** The light's word for the result; undefined while the test runs. It is kept, and never believed alone. */
  word?: TestResult | undefined
  componentStates: ComponentStates
  /** The voltage of the battery while the lamp burned from it. */
  series: readonly { seconds: number; batteryVoltage: number }[]
  /** The status bytes of DALI part 202, and its duration result in steps of two minutes (255: 510 minutes or more). */
  failureStatus?: number | undefined
  emergencyStatus?: number | undefined
  durationResult?: number | undefined
  /** V, of the whole battery as its label says; undefined where nobody has said it. */
  nominalVoltage?: number | null | undefined
}

/** A result, or that there was no test that could have one. */
export type Verdict =
  | { kind: 'result'; result: TestResult; componentStates: ComponentStates; reason: string }
  | { kind: 'missed'; reason: string }

/**
 * DALI part 202, failure status (device type 1; sources in the research on the domain, section 1: python-dali
 * `gear/emergency.py`, infosys.beckhoff.com).
 */
export const failureBits = {
  circuit: 0,
  batteryDuration: 1,
  battery: 2,
  lamp: 3,
  functionTestDelayed: 4,
  durationTestDelayed: 5,
  functionTestFailed: 6,
  durationTestFailed: 7,
} as const

/** The same, emergency status. */
export const emergencyBits = {
  inhibited: 0,
  functionResultValid: 1,
  durationResultValid: 2,
  batteryFull: 3,
  functionTestPending: 4,
  durationTestPending: 5,
  identifying: 6,
  selected: 7,
} as const

/**
 * Which bits speak of a test: T0 is DALI's function test, T180 its duration test. T5 and T60 have no command there: the
 * controller begins and ends them itself, so that only what is wrong with a part counts.
 */
const bitsOf: Record<TestType, { delayed?: number; failed?: number; valid?: number; pending?: number }> = {
  T0: { delayed: 4, failed: 6, valid: 1, pending: 4 },
  T5: {},
  T60: {},
  T180: { delayed: 5, failed: 7, valid: 2, pending: 5 },
}

/** A battery with less than this share of the test's time in reserve is marginal (the research, section 1: within 5 % of rated). */
export const marginalShare = 0.05

/** A cell of 1.2 V is empty at 1 V under load; so is a battery at that share of what its label says. */
const emptyShare = 1 / 1.2

const isSet = (byte: number | undefined, bit: number | undefined) =>
  byte !== undefined && bit !== undefined && (byte & (1 << bit)) !== 0

const worse: readonly (ComponentState | undefined)[] = [undefined, 'Ok', 'Degraded', 'Failed']

function worst(one: ComponentStates, other: ComponentStates): ComponentStates {
  return Object.fromEntries(
    components.flatMap((component): [Component, ComponentState][] => {
      const state = worse[Math.max(worse.indexOf(one[component]), worse.indexOf(other[component]))]
      return state ? [[component, state]] : []
    }),
  )
}

/** Seconds that the lamp is known to have burned from the battery; undefined where nothing tells. */
export function burned({
  series,
  durationResult,
}: Pick<TestEvidence, 'series' | 'durationResult'>): number | undefined {
  if (series.length > 0) return series.reduce((longest, { seconds }) => Math.max(longest, seconds), 0)
  return durationResult === undefined ? undefined : durationResult * 120
}

/**
 * What a test says, by what the light shows of it and not by its word alone. A part is as bad as the worst that is known of
 * it. The word counts where it is the worse of both, and where it is one that no measurement can give: review,
 * suppression, and a test that came to nothing.
 */
export function verdictOf(evidence: TestEvidence): Verdict {
  const { testType, word, failureStatus, emergencyStatus } = evidence
  const bits = bitsOf[testType]
  const isValid = isSet(emergencyStatus, bits.valid)
  const states = worst(evidence.componentStates, shownBy(evidence))
  const told = evidence.componentStates
  if (isSet(failureStatus, bits.delayed) && !isValid)
    return { kind: 'missed', reason: 'The light could not begin the test in its time.' }
  if (word === undefined && !isValid) return result('AwaitingAnalysis', told)
  if (word !== undefined && (isPending(word) || word === 'Suppressed' || word === 'Indeterminate'))
    return result(word, told)
  const shown = resultOf(states)
  // A failure is a failure; that all is well is another matter.
  if (shown === 'Failed' || word === 'Failed') return result('Failed', states)
  if (isSet(emergencyStatus, bits.pending) || (emergencyStatus !== undefined && bits.valid !== undefined && !isValid))
    return result('Indeterminate', states, 'The light says that it has no valid result of this test.')
  if (!isShown(evidence)) return result('Indeterminate', states, `The light sent nothing that shows it ${word}.`)
  return result(shown === 'Degraded' || word === 'Degraded' ? 'Degraded' : 'Passed', states)
}

/** Whether there is anything but a word: states of parts, a curve, or the status of the light. */
const isShown = ({ componentStates, series, failureStatus, durationResult }: TestEvidence) =>
  Object.keys(componentStates).length > 0 ||
  series.length > 0 ||
  failureStatus !== undefined ||
  durationResult !== undefined

/** States of parts that follow from bits and from how long the lamp burned. */
function shownBy(evidence: TestEvidence): ComponentStates {
  const { testType, failureStatus } = evidence
  const has = (bit: number | undefined) => isSet(failureStatus, bit)
  const isLong = minutesOf[testType] > 0
  const states: ComponentStates = {}
  if (has(failureBits.circuit)) states.Inverter = 'Failed'
  // What a flick test finds says nothing of the duration: that bit is of the last duration test.
  if (has(failureBits.battery) || (testType === 'T180' && has(failureBits.batteryDuration))) states.Battery = 'Failed'
  if (has(failureBits.lamp)) states.Lamp = 'Failed'
  if (has(bitsOf[testType].failed) && Object.keys(states).length === 0) states.Emered = 'Failed'
  const battery = isLong ? batteryBy(evidence) : undefined
  return battery ? worst(states, { Battery: battery }) : states
}

/**
 * What its time says of the battery: Failed when the lamp went out before its time, Degraded when little was left after it:
 * it went out soon after, or its voltage was falling so that it would have been empty soon after.
 */
function batteryBy(evidence: TestEvidence): ComponentState | undefined {
  const lasted = burned(evidence)
  if (lasted === undefined) return undefined
  const asked = minutesOf[evidence.testType] * 60
  if (lasted < asked) return 'Failed'
  const reserve = asked * marginalShare
  const wentOut =
    lasted > asked + stepOf(evidence.series) && lasted < asked + reserve && evidence.durationResult !== 255
  return wentOut || leftAtEnd(evidence) < reserve ? 'Degraded' : undefined
}

const stepOf = (series: TestEvidence['series']) => {
  const [before, last] = [series.at(-2), series.at(-1)]
  return before && last ? Math.abs(last.seconds - before.seconds) : 0
}

/** Seconds until the battery would have been empty, had its voltage gone on falling as in the last tenth of the test. */
function leftAtEnd({ series, nominalVoltage, testType }: TestEvidence): number {
  if (!nominalVoltage || series.length < 3) return Infinity
  const curve = [...series].sort((a, b) => a.seconds - b.seconds)
  const last = curve.at(-1)!
  const from = curve.findLast(({ seconds }) => seconds <= last.seconds - minutesOf[testType] * 6) ?? curve[0]!
  const slope = (from.batteryVoltage - last.batteryVoltage) / (last.seconds - from.seconds)
  const above = last.batteryVoltage - nominalVoltage * emptyShare
  if (above <= 0) return 0
  return slope > 0 ? above / slope : Infinity
}

/** The generated reason stands where it says the same as the result; an empty one is '-' (devices specification, section 4). */
function result(result: TestResult, componentStates: ComponentStates, why?: string): Verdict {
  const reason = why ?? (resultOf(componentStates) === result ? reasonOf(componentStates) : '-')
  return { kind: 'result', result, componentStates, reason }
}
