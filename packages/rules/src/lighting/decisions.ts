import { clockText } from '../calendar/days.ts'
import type { Component, ComponentState, ComponentStates, Correction, Judged, TestBits, TestPoint } from './tests.ts'
import type { TestResult, TestType } from './tests.ts'
import { components, durationText, generatedReason, minutesOf, resultOf } from './tests.ts'
import { litOf, verdictOf } from './verdict.ts'

/** How the result of a test changes: people correct it, dispute it or keep it after a dispute, or a new version judges its evidence again. */
export const resultChangeKinds = ['corrected', 'disputed', 'kept', 'judged'] as const
export type ResultChangeKind = (typeof resultChangeKinds)[number]

/** One such decision. None is ever taken away: the last one stands beside the result, the others behind it. */
export interface ResultChange {
  kind: ResultChangeKind
  at: string
  by: string
  /** In the person's own words; '' of a correction from before they were required. */
  reason: string
  /** The result before it, and after it. */
  was: TestResult
  now: TestResult
}

/** Characters of a reason: together with its generated part it must fit an index, whatever the script. */
export const reasonLength = 500

/** What a decision without a reason is answered with. */
export const reasonMissing = 'Give the reason in your own words.'

/**
 * What a person has written into the reason of a correction: neither the generated part nor the reason that the rule gave is a
 * reason for the change. '' where nothing is left.
 */
export function ownWords(reason: string, after: Correction, judged: Pick<Judged, 'reason'>): string {
  const known = [generatedReason(after), judged.reason].filter((text) => text !== '' && text !== '-')
  const rest = known.reduce(
    (text, part) => (text.startsWith(part) ? text.slice(part.length).trim() : text),
    reason.trim(),
  )
  return /[\p{L}\p{N}]/u.test(rest) ? rest : ''
}

/** Results that can be disputed: those that count against the light. */
export const isDisputable = (result: TestResult) => result === 'Failed' || result === 'Degraded'

/** What is stored of a test that nobody can correct. */
export interface StoredEvidence {
  testType: TestType
  series: readonly TestPoint[]
  bits: TestBits | null
  /** V, of the whole battery as its label says. */
  nominalVoltage: number | null
}

/** What the evidence of a test rules out, with the reason. */
export interface RuledOut {
  /** Why the test has neither passed nor only degraded. */
  passed: string | null
  /** Why a part is neither well nor only degraded. */
  parts: Partial<Record<Component, string>>
}

/** What the stored evidence of a test rules out, whoever says otherwise. */
export function ruledOutBy({ testType, series, bits, nominalVoltage }: StoredEvidence): RuledOut {
  const status = { failureStatus: bits?.failure, emergencyStatus: bits?.emergency }
  const byBits = failedParts({ testType, series: [], nominalVoltage, ...status })
  const parts = Object.fromEntries(
    components
      // That the test as a whole failed says nothing of one part.
      .filter((part) => part !== 'Emered' && byBits.includes(part))
      .map((part) => [part, `The light reports its ${part.toLowerCase()} as failed`]),
  )
  return { passed: whyNotPassed(), parts }

  function whyNotPassed(): string | null {
    const asked = minutesOf[testType]
    const curve = litOf({ testType, componentStates: {}, series, nominalVoltage }).seconds
    const told = bits?.durationResult === undefined ? undefined : bits.durationResult * 120
    // The duration result is of the last T180: beside the curve of a shorter test it says nothing.
    const durations = testType === 'T180' ? [curve, told] : [curve ?? told]
    const lit = Math.min(...durations.filter((seconds) => seconds !== undefined))
    if (lit < asked * 60) return `The readings show ${durationText(lit)} of ${durationText(asked * 60)}`
    if (byBits.length) return Object.values(parts)[0] ?? 'The light reports that this test failed'
    const durationResult = bits?.durationResult
    const all = failedParts({ testType, series, nominalVoltage, durationResult, ...status })
    return all.length ? 'The readings show a failure' : null
  }
}

/** The parts that the verdict finds failed when nothing but evidence speaks. */
function failedParts(evidence: Omit<Parameters<typeof verdictOf>[0], 'word' | 'componentStates'>): Component[] {
  const verdict = verdictOf({ ...evidence, word: 'Passed', componentStates: {} })
  if (verdict.kind === 'missed' || verdict.result !== 'Failed') return []
  return components.filter((part) => verdict.componentStates[part] === 'Failed')
}

const isBetterThanFailed = (state: ComponentState | undefined) => state === 'Ok' || state === 'Degraded'
/** What follows from its parts, or what is chosen, as far as it says that the light did its work. */
const saysThatItWorked = (result: TestResult) => result === 'Passed' || result === 'Degraded'

/** Why a part cannot be said to be in that state; undefined where it can. */
export function partContradiction(ruledOut: RuledOut, part: Component, state: ComponentState): string | undefined {
  const why = ruledOut.parts[part]
  return why && isBetterThanFailed(state) ? `${why}, so it cannot become “${state}”.` : undefined
}

/** Why a result cannot be what somebody wants it to become; undefined where nothing speaks against it. */
export function contradiction(
  ruledOut: RuledOut,
  before: Pick<Judged, 'result' | 'componentStates'>,
  after: Pick<Judged, 'result' | 'componentStates'>,
): string | undefined {
  const changes = (states: ComponentStates, part: Component) => states[part] !== before.componentStates[part]
  for (const part of components) {
    const state = after.componentStates[part]
    const why = state && changes(after.componentStates, part) && partContradiction(ruledOut, part, state)
    if (why) return why
  }
  const isNew = after.result !== before.result || resultOf(before.componentStates) !== resultOf(after.componentStates)
  return ruledOut.passed && isNew && saysThatItWorked(after.result)
    ? `${ruledOut.passed}, so the result cannot become “${after.result}”.`
    : undefined
}

const changeVerbs: Record<ResultChangeKind, (change: ResultChange) => string> = {
  corrected: ({ was, now }) => `Corrected from ${was} to ${now}`,
  disputed: ({ was }) => `Result ${was} disputed`,
  kept: ({ now }) => `Dispute decided, kept as ${now},`,
  judged: ({ was, now }) => `Judged again, from ${was} to ${now},`,
}

/** A decision as a sentence: 'Corrected from Failed to Indeterminate by Priya Nair, 20/11/2026, 09:12: “Mains came back”.' */
export const resultChangeText = (change: ResultChange, zone: string): string =>
  `${changeVerbs[change.kind](change)} by ${change.by}, ${clockText(Date.parse(change.at), zone)}${
    change.reason ? `: “${change.reason}”` : ''
  }.`
