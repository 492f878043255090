import { clockText } from '../calendar/days.ts'
import type { Component, ComponentState, ComponentStates, Correction, Judged, TestBits, TestPoint } from './tests.ts'
import type { TestResult, TestType } from './tests.ts'
import { components, durationText, generatedReason, minutesOf, resultOf } from './tests.ts'
import { litOf, verdictOf } from './verdict.ts'

/**
 * How a test result changes: a user corrects it, disputes it or confirms it after a dispute, or a new version evaluates
 * its evidence again.
 */
export const resultChangeKinds = ['corrected', 'disputed', 'kept', 'judged'] as const
export type ResultChangeKind = (typeof resultChangeKinds)[number]

/**
 * A change to a result. Changes are never deleted: the last one is shown beside the result, earlier ones in its
 * history.
 */
export interface ResultChange {
  kind: ResultChangeKind
  at: string
  by: string
  /** The user's own reason; '' for corrections from before it was required. */
  reason: string
  /** The result before and after. */
  was: TestResult
  now: TestResult
}

/** Longest reason in characters: with its generated part it must fit an index in any script. */
export const reasonLength = 500

/** The error for a missing reason. */
export const reasonMissing = 'Give the reason in your own words.'

/**
 * The user's own part of a correction's reason, without the generated part and the reason for the rule. '' if nothing
 * is left.
 */
export function ownWords(reason: string, after: Correction, judged: Pick<Judged, 'reason'>): string {
  const known = [generatedReason(after), judged.reason].filter((text) => text !== '' && text !== '-')
  const rest = known.reduce(
    (text, part) => (text.startsWith(part) ? text.slice(part.length).trim() : text),
    reason.trim(),
  )
  return /[\p{L}\p{N}]/u.test(rest) ? rest : ''
}

/** Whether a result can be disputed: only those against the light. */
export const isDisputable = (result: TestResult) => result === 'Failed' || result === 'Degraded'

/** The stored evidence of a test, which users cannot correct. */
export interface StoredEvidence {
  testType: TestType
  series: readonly TestPoint[]
  bits: TestBits | null
  /** Nominal voltage of the whole battery in V, from its label. */
  nominalVoltage: number | null
}

/** The results that the evidence of a test excludes, with the reason. */
export interface RuledOut {
  /** Why the result is neither Passed nor Degraded. */
  passed: string | null
  /** Why a part is neither well nor only degraded. */
  parts: Partial<Record<Component, string>>
}

/** The results that the stored evidence excludes, whatever a user enters. */
export function ruledOutBy({ testType, series, bits, nominalVoltage }: StoredEvidence): RuledOut {
  const status = { failureStatus: bits?.failure, emergencyStatus: bits?.emergency }
  const byBits = failedParts({ testType, series: [], nominalVoltage, ...status })
  const parts = Object.fromEntries(
    components
      // A failed test as a whole implies nothing about a single part.
      .filter((part) => part !== 'Emered' && byBits.includes(part))
      .map((part) => [part, `The light reports its ${part.toLowerCase()} as failed`]),
  )
  return { passed: whyNotPassed(), parts }

  function whyNotPassed(): string | null {
    const asked = minutesOf[testType]
    const curve = litOf({ testType, componentStates: {}, series, nominalVoltage }).seconds
    const reported = bits?.durationResult === undefined ? undefined : bits.durationResult * 120
    // The duration result belongs to the last T180, so it is ignored beside the curve of a shorter test.
    const durations = testType === 'T180' ? [curve, reported] : [curve ?? reported]
    const lit = Math.min(...durations.filter((seconds) => seconds !== undefined))
    if (lit < asked * 60) return `The readings show ${durationText(lit)} of ${durationText(asked * 60)}`
    if (byBits.length) return Object.values(parts)[0] ?? 'The light reports that this test failed'
    const durationResult = bits?.durationResult
    const all = failedParts({ testType, series, nominalVoltage, durationResult, ...status })
    return all.length ? 'The readings show a failure' : null
  }
}

/** The failed parts according to the evidence alone. */
function failedParts(evidence: Omit<Parameters<typeof verdictOf>[0], 'word' | 'componentStates'>): Component[] {
  const verdict = verdictOf({ ...evidence, word: 'Passed', componentStates: {} })
  if (verdict.kind === 'missed' || verdict.result !== 'Failed') return []
  return components.filter((part) => verdict.componentStates[part] === 'Failed')
}

const isBetterThanFailed = (state: ComponentState | undefined) => state === 'Ok' || state === 'Degraded'
/** Whether a result means that the light worked. */
const isWorking = (result: TestResult) => result === 'Passed' || result === 'Degraded'

/** Why a part cannot be in that state; undefined if it can. */
export function partContradiction(ruledOut: RuledOut, part: Component, state: ComponentState): string | undefined {
  const why = ruledOut.parts[part]
  return why && isBetterThanFailed(state) ? `${why}, so it cannot become “${state}”.` : undefined
}

/** Why a result cannot become the requested one; undefined if it can. */
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
  return ruledOut.passed && isNew && isWorking(after.result)
    ? `${ruledOut.passed}, so the result cannot become “${after.result}”.`
    : undefined
}

const changeVerbs: Record<ResultChangeKind, (change: ResultChange) => string> = {
  corrected: ({ was, now }) => `Corrected from ${was} to ${now}`,
  disputed: ({ was }) => `Result ${was} disputed`,
  kept: ({ now }) => `Dispute decided, kept as ${now},`,
  judged: ({ was, now }) => `Judged again, from ${was} to ${now},`,
}

/**
 * A change as a sentence: 'Corrected from Failed to Indeterminate by Priya Nair, 20/11/2026, 09:12: “Mains came back”.'
 */
export const resultChangeText = (change: ResultChange, zone: string): string =>
  `${changeVerbs[change.kind](change)} by ${change.by}, ${clockText(Date.parse(change.at), zone)}${
    change.reason ? `: “${change.reason}”` : ''
  }.`
