import { requiredTests } from '../lighting/overdue.ts'
import type { ConditionKind } from './conditions.ts'
import { reasonWord } from './words.ts'

/** Condition kinds offered as list filters, even where a worse condition is open. */
const plain = [
  'batteryLow',
  'unstable',
  'inhibited',
  'noMains',
  'batteryNotFull',
  'neverTested',
  'neverHeard',
  'noContact',
  'notHeard',
] as const satisfies readonly ConditionKind[]
const owed = ['testOverdue', 'testMissed', 'testNotProven'] as const satisfies readonly ConditionKind[]

interface Choice {
  kind: ConditionKind
  key: string
}

const choices: ReadonlyMap<string, Choice> = new Map(
  [
    ...owed.flatMap((kind) => requiredTests.map((key): Choice => ({ kind, key }))),
    ...plain.map((kind): Choice => ({ kind, key: '' })),
  ].map((choice) => [reasonWord(choice), choice]),
)

/** The filter labels of the reasons. */
export const reasonChoices: readonly string[] = [...choices.keys()]

/** The conditions named by reasons, ignoring case; unknown reasons match nothing. */
export function conditionsNamed(reasons: readonly string[]): Choice[] {
  const wanted = new Set(reasons.map((reason) => reason.toLowerCase()))
  return [...choices].flatMap(([word, choice]) => (wanted.has(word.toLowerCase()) ? [choice] : []))
}

/** The labels of all reasons of these kinds. */
export const reasonsOfKinds = (...kinds: ConditionKind[]): string[] =>
  [...choices].flatMap(([word, { kind }]) => (kinds.includes(kind) ? [word] : []))
