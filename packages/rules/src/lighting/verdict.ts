import { earliestClock, furthestAhead } from '../calendar/device-clock.ts'
import type { BatteryType } from './luminaire.ts'
import type { Component, ComponentState, ComponentStates, TestResult, TestType } from './tests.ts'
import { components, durationText, isPending, minutesOf, reasonOf, resultOf } from './tests.ts'

/** The causes of a test's early end, as reported by the light. */
export const testEnders = ['mains', 'person', 'device'] as const
export type TestEnder = (typeof testEnders)[number]

/** The evidence of one test from the light: its reported result, and the measurements that confirm or refute it. */
export interface TestEvidence {
  testType: TestType
  /** The reported result; undefined while the test runs. It is stored but never sufficient alone. */
  word?: TestResult | undefined
  componentStates: ComponentStates
  /** Measurements while running on battery. Lamp power and mains power in W, voltage in V. */
  series: readonly { seconds: number; batteryVoltage: number; lampPower?: number; pLive?: number }[]
  /** The status bytes of DALI part 202, and its duration result in steps of two minutes (255: 510 minutes or more). */
  failureStatus?: number | undefined
  emergencyStatus?: number | undefined
  durationResult?: number | undefined
  /** Nominal voltage of the whole battery in V, from its label; undefined if not entered. */
  nominalVoltage?: number | null | undefined
  batteryType?: BatteryType | null | undefined
  endedBy?: TestEnder | undefined
  /** Whether the light reports that mains returned after the test began. */
  hasMainsReturned?: boolean | undefined
}

/** A result, or the fact that there was no test that could have one. */
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
 * The bits for each test type: T0 is DALI's function test, T180 its duration test. DALI has no commands for T5 and T60:
 * the controller starts and ends them itself, so that only bits about parts count.
 */
const bitsOf: Record<TestType, { delayed?: number; failed?: number; valid?: number; pending?: number }> = {
  T0: { delayed: 4, failed: 6, valid: 1, pending: 4 },
  T5: {},
  T60: {},
  T180: { delayed: 5, failed: 7, valid: 2, pending: 5 },
}

/**
 * A battery with less than this share of the test's duration in reserve is marginal (the research, section 1: within 5
 * % of rated).
 */
export const marginalShare = 0.05

/**
 * The end voltage of a battery under load, as a share of its nominal voltage, and for one cell in V: 1.0 of 1.2 V for
 * nickel cells, 1.75 of 2 V for lead acid, 2.5 of 3.2 V for lithium iron phosphate, which is listed under Lithium Ion.
 */
const emptyAt: Record<BatteryType, { share: number; cell: number }> = {
  Alkaline: { share: 0.8 / 1.5, cell: 0.8 },
  'Lead Acid': { share: 1.75 / 2, cell: 1.75 },
  'Lithium Ion': { share: 2.5 / 3.2, cell: 2.5 },
  'Lithium Polymer': { share: 3 / 3.7, cell: 3 },
  'Nickel Cadmium': { share: 1 / 1.2, cell: 1 },
  'Nickel Metal Hydride': { share: 1 / 1.2, cell: 1 },
  'Zinc Air': { share: 0.9 / 1.4, cell: 0.9 },
}
/** Below this voltage, in V, no listed battery type lights a lamp. */
const lowestCell = Math.min(...Object.values(emptyAt).map(({ cell }) => cell))

/**
 * The end voltage of a battery under load, in V: from its nominal voltage, otherwise from the end voltage of one cell
 * of its type.
 */
export function endVoltageOf({
  nominalVoltage,
  batteryType,
}: Pick<TestEvidence, 'nominalVoltage' | 'batteryType'>): number {
  const type = batteryType ? emptyAt[batteryType] : undefined
  if (nominalVoltage) return nominalVoltage * (type?.share ?? emptyAt['Nickel Cadmium'].share)
  return type?.cell ?? lowestCell
}

/** A lamp below this share of its initial power is dark. */
const darkShare = 0.2
/** The longest time between two readings without a gap, in intervals of the curve. */
const intervalsOfGap = 3
/** The assumed interval of a curve with fewer than three readings, in seconds. */
const assumedInterval = 600
/** Durations that differ by more than this share contradict each other. */
const agreement = 0.05
/** Mains power in W that shows the return of mains: during a test a light draws none. */
const mainsBack = 0.2

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

/** Why the evidence of a duration ends: lamp dark, test ended, or nothing further sent. */
export const evidenceEnds = ['dark', 'ended', 'no further evidence'] as const
export type EvidenceEnd = (typeof evidenceEnds)[number]

/** How long a lamp is known to have been lit in a test, in seconds, and why the evidence ends there. */
export interface LitTime {
  seconds: number
  end: EvidenceEnd
}

/** The lit duration shown by the measurements of a test. */
export interface Lit {
  /** Seconds; undefined if not measured. */
  seconds: number | undefined
  end: EvidenceEnd
  /** Whether the battery was empty when the lamp went dark. */
  isEmpty: boolean
}

type Curve = TestEvidence['series']

const inOrderOf = (series: Curve): Curve => series.toSorted((a, b) => a.seconds - b.seconds)

/** The median time between two readings of a curve, in seconds. */
function intervalOf(curve: Curve): number {
  if (curve.length < 3) return assumedInterval
  const steps = curve.slice(1).map(({ seconds }, at) => seconds - curve[at]!.seconds)
  return steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)]!
}

/** How long the lamp was lit from the battery, as far as the measurements show. */
export function litOf(evidence: TestEvidence): Lit {
  const { durationResult, endedBy, hasMainsReturned = false } = evidence
  const curve = inOrderOf(evidence.series)
  const asked = minutesOf[evidence.testType] * 60
  const last = curve.at(-1)
  const isMainsBack = hasMainsReturned || isBackIn(curve)
  const wasEnded = endedBy !== undefined || isMainsBack
  if (!last) {
    const seconds = durationResult === undefined ? undefined : durationResult * 120
    const isShort = seconds !== undefined && seconds < asked
    return {
      seconds,
      end: wasEnded ? 'ended' : isShort ? 'dark' : 'no further evidence',
      isEmpty: isShort && !wasEnded,
    }
  }
  const endVoltage = endVoltageOf(evidence)
  const start = curve.find(({ lampPower }) => lampPower !== undefined)?.lampPower ?? 0
  const isUnlit = ({ lampPower }: Curve[number]) => lampPower !== undefined && lampPower <= start * darkShare
  const emptyAt = curve.find(({ batteryVoltage }) => batteryVoltage < endVoltage)
  const unlitAt = curve.find(isUnlit)
  const dark = [emptyAt, unlitAt].filter((point) => point !== undefined).sort((a, b) => a.seconds - b.seconds)[0]
  if (!dark || dark.seconds >= asked)
    return { seconds: last.seconds, end: wasEnded ? 'ended' : 'no further evidence', isEmpty: false }
  // A lamp that goes out because mains returned has not failed; one that stays dark while the test continues has.
  const endsThere = last.seconds - dark.seconds <= 2 * intervalOf(curve)
  if (wasEnded && endsThere && !emptyAt) return { seconds: dark.seconds, end: 'ended', isEmpty: false }
  const isEmpty = emptyAt !== undefined || !evidence.nominalVoltage
  return { seconds: dark.seconds, end: 'dark', isEmpty }
}

/** Whether the curve shows power from the mains again. */
function isBackIn(curve: Curve): boolean {
  const known = curve.flatMap(({ pLive }) => (pLive === undefined ? [] : [pLive]))
  return known.length > 1 && known[0]! <= mainsBack && known.at(-1)! > mainsBack
}

/**
 * The verdict on a test, from the measurements and never from the light's report alone. The worst finding about a part
 * counts. The reported result counts if it is worse, and for results that cannot be measured: review, suppression, and
 * a test without a result.
 */
export function verdictOf(evidence: TestEvidence): Verdict {
  const { testType, word, failureStatus, emergencyStatus } = evidence
  const bits = bitsOf[testType]
  const isValid = isSet(emergencyStatus, bits.valid)
  if (isSet(failureStatus, bits.delayed) && !isValid)
    return { kind: 'missed', reason: 'The light could not start the test in time.' }
  if (word === 'AwaitingAnalysis' || (word === undefined && !isValid))
    return result('AwaitingAnalysis', evidence.componentStates)
  const states = worst(evidence.componentStates, shownBy(evidence))
  const shown = resultOf(states)
  // A reported failure counts, unless the light only reports that the test ended early.
  if (shown === 'Failed' || (word === 'Failed' && !wasEndedEarly(evidence))) return result('Failed', states)
  if (word !== undefined && (isPending(word) || word === 'Suppressed')) return result(word, evidence.componentStates)
  const doubt = doubtOf(evidence)
  if (doubt !== undefined) return result('Indeterminate', states, doubt)
  return result(shown === 'Degraded' || word === 'Degraded' ? 'Degraded' : 'Passed', states)
}

/**
 * Whether mains or a person ended the test before its rated time with the lamp lit until then. If the light ended it,
 * it may have had to.
 */
function wasEndedEarly(evidence: TestEvidence): boolean {
  const { seconds, end } = litOf(evidence)
  return (
    end === 'ended' &&
    evidence.endedBy !== 'device' &&
    seconds !== undefined &&
    seconds < minutesOf[evidence.testType] * 60
  )
}

/** Why the evidence of a test without a failure is inconclusive, as a sentence; undefined if it proves the test. */
function doubtOf(evidence: TestEvidence): string | undefined {
  const { testType, word, emergencyStatus, durationResult, endedBy } = evidence
  const bits = bitsOf[testType]
  const lit = litOf(evidence)
  const asked = minutesOf[testType] * 60
  const isShort = asked > 0 && lit.seconds !== undefined && lit.seconds < asked
  if (isShort && (lit.end === 'ended' || word === 'Indeterminate')) {
    const by =
      endedBy === 'person'
        ? 'a person'
        : endedBy === 'device' || lit.end !== 'ended'
          ? 'the light'
          : 'the return of mains power'
    return `Ended by ${by} after ${durationText(lit.seconds!)}. Repeat the test.`
  }
  if (word === 'Indeterminate')
    return endedBy
      ? `Ended by ${endedBy === 'person' ? 'a person' : endedBy === 'mains' ? 'the return of mains power' : 'the light'}. Repeat the test.`
      : '-'
  if (isShort) return `The evidence ends after ${durationText(lit.seconds!)} of ${durationText(asked)}.`
  const isInvalid = bits.valid !== undefined && emergencyStatus !== undefined && !isSet(emergencyStatus, bits.valid)
  if (isSet(emergencyStatus, bits.pending) || isInvalid)
    return 'The light reports that it has no valid result of this test.'
  const own = `${word ?? 'Passed'} by its own report`
  if (asked === 0) return isShown(evidence) ? undefined : `${own}, without measurements.`
  if (lit.seconds === undefined)
    // Worn parts are a finding, whatever the duration.
    return resultOf(evidence.componentStates) === 'Degraded' ? undefined : `${own}, duration not reported.`
  if (!evidence.series.length) return undefined
  const curve = inOrderOf(evidence.series)
  const gap = longestGap(curve, asked)
  if (gap > intervalsOfGap * intervalOf(curve)) return `No readings for ${durationText(gap)} of the test.`
  if (durationResult === undefined || durationResult === 255) return undefined
  const reported = durationResult * 120
  if (Math.abs(reported - lit.seconds) <= agreement * Math.max(reported, lit.seconds)) return undefined
  return `The readings show ${durationText(lit.seconds)}, the duration result shows ${durationText(reported)}.`
}

/** The longest time without a reading, from the start of a test to its required duration, in seconds. */
function longestGap(curve: Curve, asked: number): number {
  const times = [0, ...curve.map(({ seconds }) => seconds).filter((seconds) => seconds <= asked), asked]
  return Math.max(...times.slice(1).map((seconds, at) => seconds - times[at]!))
}

/** Whether the light sent more than its own result: component states, a curve, or status bytes. */
const isShown = ({ componentStates, series, failureStatus, durationResult }: TestEvidence) =>
  Object.keys(componentStates).length > 0 ||
  series.length > 0 ||
  failureStatus !== undefined ||
  durationResult !== undefined

/** Component states derived from the bits and the lit time. */
function shownBy(evidence: TestEvidence): ComponentStates {
  const { testType, failureStatus } = evidence
  const has = (bit: number | undefined) => isSet(failureStatus, bit)
  const isLong = minutesOf[testType] > 0
  const states: ComponentStates = {}
  if (has(failureBits.circuit)) states.Inverter = 'Failed'
  // A function test shows nothing about the duration; that bit belongs to the last duration test.
  if (has(failureBits.battery) || (testType === 'T180' && has(failureBits.batteryDuration))) states.Battery = 'Failed'
  if (has(failureBits.lamp)) states.Lamp = 'Failed'
  if (has(bitsOf[testType].failed) && Object.keys(states).length === 0) states.Emered = 'Failed'
  return isLong ? worst(states, shownByTime(evidence)) : states
}

/**
 * The states derived from the lit time: if the lamp went out before the rated time, Failed for the battery if it was
 * empty, else for the lamp; Degraded for the battery if little was left, that is, the lamp went out soon after or the
 * voltage fell accordingly.
 */
function shownByTime(evidence: TestEvidence): ComponentStates {
  const { seconds, end, isEmpty } = litOf(evidence)
  if (seconds === undefined) return {}
  const asked = minutesOf[evidence.testType] * 60
  if (seconds < asked) {
    if (end !== 'dark') return {}
    const isNamed = Object.values(evidence.componentStates).includes('Failed')
    return isEmpty || !isNamed ? { [isEmpty ? 'Battery' : 'Lamp']: 'Failed' } : {}
  }
  const reserve = asked * marginalShare
  const wentOut =
    seconds > asked + stepOf(evidence.series) && seconds < asked + reserve && evidence.durationResult !== 255
  return wentOut || leftAtEnd(evidence) < reserve ? { Battery: 'Degraded' } : {}
}

const stepOf = (series: Curve) => {
  const [before, last] = [series.at(-2), series.at(-1)]
  return before && last ? Math.abs(last.seconds - before.seconds) : 0
}

/** Seconds until the battery would be empty if its voltage kept falling as in the last tenth of the test. */
function leftAtEnd(evidence: TestEvidence): number {
  const { series, nominalVoltage, testType } = evidence
  if (!nominalVoltage || series.length < 3) return Infinity
  const curve = inOrderOf(series)
  const last = curve.at(-1)!
  const from = curve.findLast(({ seconds }) => seconds <= last.seconds - minutesOf[testType] * 6) ?? curve[0]!
  const slope = (from.batteryVoltage - last.batteryVoltage) / (last.seconds - from.seconds)
  const above = last.batteryVoltage - endVoltageOf(evidence)
  if (above <= 0) return 0
  return slope > 0 ? above / slope : Infinity
}

/**
 * The generated reason is used if it agrees with the result; an empty one is '-' (devices specification, section 4).
 */
function result(result: TestResult, componentStates: ComponentStates, why?: string): Verdict {
  const reason = why ?? (resultOf(componentStates) === result ? reasonOf(componentStates) : '-')
  return { kind: 'result', result, componentStates, reason }
}

/**
 * Whether the light's clock was wrong at the start of a test: start or end lies in the future, or the start before the
 * light existed. All times in ms since the epoch.
 * @param test `seconds` for which the lamp was lit; undefined while the test runs, or if not measured
 * @param existsSince when the light became known; undefined if unknown
 */
export function isClockWrong(
  { start, seconds }: { start: number; seconds: number | undefined },
  { receivedAt, existsSince }: { receivedAt: number; existsSince: number | undefined },
): boolean {
  const end = start + (seconds ?? 0) * 1000
  return start < earliestClock || end > receivedAt + furthestAhead || (existsSince !== undefined && start < existsSince)
}
