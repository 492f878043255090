import type { ComponentState, ComponentStates, TestType } from '../lighting/tests.ts'
import { components, minutesOf, testNames } from '../lighting/tests.ts'
import type { ConditionKind, Ending, SettableKind } from './conditions.ts'
import { conditionRules, inOrder, mayEndBy } from './conditions.ts'

/** The data of a condition that its texts use. */
export interface ConditionFacts {
  kind: ConditionKind
  /** Distinguishes conditions of one kind: test type, or source and code of a fault. */
  key: string
  states?: ComponentStates
  /** The description of the fault, from the device. */
  description?: string | null
}

const partsIn = (states: ComponentStates | undefined, state: ComponentState) =>
  components.filter((component) => states?.[component] === state)

const testOf = ({ key }: ConditionFacts) => key as TestType
const codeOf = ({ key }: ConditionFacts) => key.slice(key.indexOf(' ') + 1)
const sourceOf = ({ key }: ConditionFacts) => key.slice(0, key.indexOf(' '))

const parts = (facts: ConditionFacts) =>
  partsIn(facts.states, facts.kind === 'testDegraded' ? 'Degraded' : 'Failed')
    .map((component) => (component === 'Emered' ? 'Device' : component))
    .join(', ')

/** A condition in a word or two, shown beside its status chip. */
export function reasonWord(facts: ConditionFacts): string {
  switch (facts.kind) {
    case 'testFailed':
    case 'deviceTestFailed':
    case 'testDegraded':
      return [parts(facts), testOf(facts)].filter(Boolean).join(' ')
    case 'fault':
    case 'deviceFault':
      return codeOf(facts)
    case 'highEvent':
      return facts.key
    case 'testNotProven':
    case 'testMissed':
    case 'testOverdue':
      return isUnprovenTest(facts) ? unprovenTestText(facts) : ''
    default:
      return shortWords[facts.kind]
  }
}

/**
 * Why a device has its status, in a word or two: the open condition that takes precedence. Null if there is none or the
 * status is self-explanatory.
 */
export function reasonOf(
  open: readonly (Omit<ConditionFacts, 'states'> & { states?: ComponentStates | null; began: number })[],
) {
  const [decisive] = inOrder(open)
  if (!decisive) return null
  const { states, ...facts } = decisive
  return reasonWord({ ...facts, ...(states && { states }) }) || null
}

type Plain = Exclude<
  ConditionKind,
  | 'testFailed'
  | 'deviceTestFailed'
  | 'testDegraded'
  | 'fault'
  | 'deviceFault'
  | 'highEvent'
  | 'testNotProven'
  | 'testMissed'
  | 'testOverdue'
>

/** The name of a test in a sentence: 'function test (T0)', '3-hour test (T180)'; 'test' if unknown. */
const nameOf = (type: TestType) =>
  type in testNames ? `${testNames[type].charAt(0).toLowerCase()}${testNames[type].slice(1)}` : 'test'
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const unprovenTestWords = { testNotProven: 'not proven', testMissed: 'missed', testOverdue: 'overdue' } as const
const unprovenTestText = (facts: ConditionFacts & { kind: keyof typeof unprovenTestWords }) => {
  const name = nameOf(testOf(facts)).replace(/ \(.*/, '')
  return `${capital(name)} ${unprovenTestWords[facts.kind]}`
}
const isUnprovenTest = (facts: ConditionFacts): facts is ConditionFacts & { kind: keyof typeof unprovenTestWords } =>
  facts.kind in unprovenTestWords

const shortWords: Record<Plain, string> = {
  disposed: '',
  removed: '',
  awaitingRecycling: '',
  inFactory: '',
  inStock: '',
  unaccounted: '',
  allocated: '',
  disabledNonPayment: '',
  disabledOther: '',
  equipmentBroken: 'Broken',
  deviceBroken: 'Broken',
  notHeard: 'Silent',
  batteryNotFull: 'Battery not full',
  equipmentRepaired: '',
  deviceRepaired: '',
  maintenance: '',
  neverTested: 'Never tested',
  neverHeard: 'Never reported',
  noContact: 'No contact',
  unstable: 'Unstable',
  inhibited: 'Inhibited',
  noMains: 'No mains',
  batteryLow: 'Battery low',
  gasCheckFailed: 'Gas check failed',
  gasCheckOverdue: 'Gas check overdue',
  gasNeverChecked: 'Gas never checked',
  waterTreatmentFailed: 'Water treatment failed',
  waterTreatmentOverdue: 'Water treatment overdue',
}

/** A condition as a short sentence, without its time. */
export function conditionText(facts: ConditionFacts): string {
  switch (facts.kind) {
    case 'testFailed':
    case 'deviceTestFailed':
      return `${parts(facts) || 'The light'} failed in the ${nameOf(testOf(facts))}`
    case 'testDegraded':
      return `${parts(facts) || 'The light'} degraded in the ${nameOf(testOf(facts))}`
    case 'fault':
    case 'deviceFault': {
      const detail = facts.description ? `: ${facts.description}` : ''
      return `Fault ${codeOf(facts)} of the ${sourceOf(facts)}${detail}`
    }
    case 'highEvent':
      return `The light reports: ${facts.description ?? facts.key}`
    case 'testNotProven':
    case 'testMissed':
    case 'testOverdue':
      return isUnprovenTest(facts) ? unprovenTestText(facts) : ''
    default:
      return sentences[facts.kind]
  }
}

const sentences: Record<Plain, string> = {
  disposed: 'Disposed of',
  removed: 'Removed',
  awaitingRecycling: 'Waiting to be recycled',
  inFactory: 'In the factory',
  inStock: 'In stock',
  unaccounted: 'Location unknown',
  allocated: 'Allocated, not installed yet',
  disabledNonPayment: 'Disabled for non-payment',
  disabledOther: 'Disabled',
  equipmentBroken: 'Equipment reported broken',
  deviceBroken: 'Device reported broken',
  notHeard: 'No contact for more than 36 hours',
  batteryNotFull: 'Battery not full after 24 hours of charging',
  equipmentRepaired: 'Equipment repaired, not yet proven',
  deviceRepaired: 'Device repaired, not yet proven',
  maintenance: 'Due for maintenance',
  neverTested: 'Never tested',
  neverHeard: 'Never reported',
  noContact: 'No contact: state unknown',
  unstable: 'Unstable: failed five times within an hour and passed in between',
  inhibited: 'Inhibited: the lamp stays off if the mains supply fails',
  noMains: 'No mains',
  batteryLow: 'The battery is too low to light the lamp',
  gasCheckFailed: 'The last gas check of the property failed',
  gasCheckOverdue: 'The gas check of the property is overdue',
  gasNeverChecked: 'No gas check of the property is recorded',
  waterTreatmentFailed: 'The last water treatment of the property failed',
  waterTreatmentOverdue: 'The water treatment of the property is overdue',
}

/** The labels of conditions that a user can set. */
export const settableWords: Record<SettableKind, string> = {
  maintenance: 'Due for maintenance',
  equipmentBroken: 'Equipment is broken',
  deviceBroken: 'Device is broken',
  disabledNonPayment: 'Disabled for non-payment',
  disabledOther: 'Disabled for another reason',
}

/**
 * How an open condition will end, as a sentence. `hasEnd`: it has a last day; `isTested`: the device is a light, which
 * has tests.
 */
export function endsWords(facts: ConditionFacts, { hasEnd = false, isTested = true } = {}): string {
  const ways = conditionRules[facts.kind].endsBy
    .filter(
      (ending) =>
        mayEndBy(facts, ending) && (ending !== 'time over' || hasEnd) && (ending !== 'test passed' || isTested),
    )
    .flatMap((ending) => (ending === 'moved on' || ending === 'result changed' ? [] : [endingTexts[ending](facts)]))
  return ways.length ? `Ends ${ways.join(' or ')}.` : 'Ends when the device is installed or moves to another stage.'
}

const endingTexts: Record<Exclude<Ending, 'moved on' | 'result changed'>, (facts: ConditionFacts) => string> = {
  'fault gone': () => 'when the device no longer reports it',
  'test passed': (facts) => `with a passed ${atLeast(facts.key)}`,
  'first test': () => 'with its first test',
  'repair recorded': () => 'when a repair is recorded',
  heard: () => 'when the device reports again',
  'battery full': () => 'when the light reports a full battery',
  tested: (facts) => `with a conclusive ${atLeast(facts.key)}`,
  'no longer reported': () => 'when the light no longer reports it',
  'event over': () => 'when the light reports its end',
  'check recorded': () => 'when a passed check of the property is recorded',
  'time over': () => 'automatically after its last day',
  'ended by a person': () => 'when a user ends it',
}

/** The tests at least as long as this one, joined by 'or'. */
function atLeast(key: string): string {
  if (!(key in minutesOf)) return 'test'
  const minutes = minutesOf[key as TestType]
  const names = (Object.keys(minutesOf) as TestType[]).filter((type) => minutesOf[type] >= minutes).map(nameOf)
  return `${names.length > 1 ? `${names.slice(0, -1).join(', ')} or ` : ''}${names.at(-1)}`
}

/** The end of a condition, as a sentence. */
export const endingWords: Record<Ending, string> = {
  'fault gone': 'The device stopped reporting it',
  'test passed': 'A test passed',
  'first test': 'It was tested',
  'repair recorded': 'A repair was recorded',
  heard: 'The device reported again',
  'battery full': 'The battery was full',
  tested: 'It was tested',
  'no longer reported': 'The light stopped reporting it',
  'event over': 'The light reported its end',
  'check recorded': 'A check of the property was recorded',
  'result changed': 'The result was changed',
  'time over': 'Its last day passed',
  'ended by a person': 'Ended',
  'moved on': 'The device was installed, uninstalled or moved to another stage',
}
