import { delayInSentence } from './delay.ts'
import type { DelayUnit, TriggerType } from './delay.ts'
import type { ScopeNames } from './scope.ts'
import { scopeWords } from './scope.ts'
import { conditionWords, isOfHome } from './triggers.ts'

/** The rule as stored with an alert. */
export interface RuleWords {
  /** Its tags by name; empty if the rule covers devices regardless of tags. */
  tagName: string
  /** The scope of the rule; earlier versions stored only the one tag. */
  scope?: ScopeNames | undefined
  triggerType: TriggerType
  triggerCondition: string
  delay: number
  delayUnit: DelayUnit
}

/** The ends of alerts. */
export const alertEndings = [
  'cleared',
  'rule deleted',
  'rule changed',
  'tag taken off',
  'out of scope',
  'out of service',
] as const
export type AlertEnding = (typeof alertEndings)[number]

/** The stored name of the ending 'cleared': processes of earlier versions compare with it, so it stays. */
export const storedCleared = 'it was so no more'
export type StoredEnding = Exclude<AlertEnding, 'cleared'> | typeof storedCleared
export const endingIn = (stored: StoredEnding): AlertEnding => (stored === storedCleared ? 'cleared' : stored)

export const endingSentences: Record<AlertEnding, string> = {
  cleared: 'The device reported that it has cleared',
  'rule deleted': 'The rule was deleted',
  'rule changed': 'The rule was changed or disabled',
  'tag taken off': 'The tag was removed from the device',
  'out of scope': 'The rule no longer covers the device',
  'out of service': 'The device was taken out of service',
}

const endingsOfHomes: Partial<Record<AlertEnding, string>> = {
  cleared: 'It no longer applies to the property',
  'tag taken off': 'No device of the property has the tag any more',
  'out of scope': 'The rule no longer covers the property',
  'out of service': 'The property was archived',
}
/** How the alert of a device or property ended, as a sentence. */
export const endingSentence = (ending: AlertEnding, isHome: boolean): string =>
  (isHome && endingsOfHomes[ending]) || endingSentences[ending]

/** The scope of a rule, with the names at the time of the alert. */
export const namesInScope = ({ scope, tagName }: Pick<RuleWords, 'scope' | 'tagName'>): ScopeNames =>
  scope ?? { families: [], buildings: [], tags: [tagName] }
export const coveredBy = (rule: Pick<RuleWords, 'scope' | 'tagName' | 'triggerType' | 'triggerCondition'>): string =>
  scopeWords(namesInScope(rule), isOfHome(rule.triggerType, rule.triggerCondition))

/** A rule in one line: 'Emergency lights in Oak House: Light failed for 30 mins'. */
export const ruleLine = (rule: RuleWords): string => `${coveredBy(rule)}: ${ruleWords(rule)}`

/** The condition and delay of a rule: 'Failed equipment for 30 mins'. */
export function ruleWords({
  triggerType,
  triggerCondition,
  delay,
  delayUnit,
}: Omit<RuleWords, 'tagName' | 'scope'>): string {
  const what = conditionWords(triggerType, triggerCondition)
  if (!what) return 'Nothing'
  return delay === 0 ? what : `${what} for ${delayInSentence(delay, delayUnit)}`
}

/** A gateway with the devices it affects: 'Roof plant gateway, and 9 devices connected through it'. */
export function withConnected(name: string, behind: number): string {
  if (behind === 0) return name
  return `${name}, and ${behind} ${behind === 1 ? 'device' : 'devices'} connected through it`
}

/** A duration in its two largest units: '4 h 22 min'. */
export function spanWords(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  const hours = Math.floor(minutes / 60)
  const days = Math.floor(hours / 24)
  if (days >= 2) return `${days} days`
  if (hours >= 24) return `${hours} h`
  if (hours > 0) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`
  return `${Math.max(0, minutes)} min`
}
