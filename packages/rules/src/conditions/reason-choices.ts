import { requiredTests } from '../lighting/overdue.ts'
import type { ConditionKind } from './conditions.ts'
import { reasonWord } from './words.ts'

/** Kinds of conditions that lists of devices are filtered by, whatever worse stands open beside them. */
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

/** The reasons by which lists are filtered, as people read them. */
export const reasonChoices: readonly string[] = [...choices.keys()]

/** The conditions that reasons name. Case does not matter; an unknown one names none. */
export function conditionsNamed(reasons: readonly string[]): Choice[] {
  const wanted = new Set(reasons.map((reason) => reason.toLowerCase()))
  return [...choices].flatMap(([word, choice]) => (wanted.has(word.toLowerCase()) ? [choice] : []))
}

/** The words of all reasons of these kinds. */
export const reasonsOfKinds = (...kinds: ConditionKind[]): string[] =>
  [...choices].flatMap(([word, { kind }]) => (kinds.includes(kind) ? [word] : []))
