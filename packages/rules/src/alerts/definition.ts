import type { DelayUnit, NotificationType, TriggerType } from './delay.ts'
import { isEmail } from '../forms/validators.ts'
import type { Scope } from './scope.ts'
import { conditionsOf } from './triggers.ts'

/** An alert rule as entered in the form. */
export interface Definition {
  /** The one tag that the rule covers; empty where `scope` is used instead. */
  tagId: string
  scope?: Scope | undefined
  /** A disabled rule opens no alerts. */
  enabled?: boolean | undefined
  delay: number
  delayUnit: DelayUnit
  notificationType: NotificationType
  notificationTarget: string
  triggerType: TriggerType
  triggerCondition: string
}

const unitMs: Record<DelayUnit, number> = { mins: 60_000, hours: 3_600_000, days: 86_400_000 }
export const delayMs = ({ delay, delayUnit }: Pick<Definition, 'delay' | 'delayUnit'>) => delay * unitMs[delayUnit]

/** The longest delay; larger numbers are treated as typing errors. */
export const longestDelayDays = 365
const mostAddresses = 10
/** Maximum number of families, buildings or tags in one rule. */
export const mostInScope = 100
/** RFC 5321, section 4.5.3. */
const longestAddress = 254

/**
 * The addresses in a target, separated by commas or semicolons, each with or without a display name: 'Mill, Ann
 * <ann@x.org>; bob@x.org'.
 */
export function addressesIn(target: string): string[] {
  const parts = (target.match(/(?:"[^"]*"|<[^<>]*>|[^,;])+/g) ?? []).map((part) => part.trim()).filter(Boolean)
  const all = parts.flatMap((part, at) => {
    // The comma is part of a display name.
    if (!part.includes('@') && parts[at + 1] && named.test(parts[at + 1]!)) return []
    return named.exec(part)?.[1]?.trim() ?? part
  })
  return [...new Map(all.map((address) => [address.toLowerCase(), address])).values()]
}

/** An address in angle brackets, optionally after a display name. */
const named = /^[^<>@]*<([^<>]*)>$/
const isAddress = isEmail('')

function targetFault(target: string): string | undefined {
  // oxlint-disable-next-line no-control-regex -- control characters are refused
  if (/[\u0000-\u001f\u007f\u2028\u2029]/.test(target)) return 'An address must be one line'
  const addresses = addressesIn(target)
  if (!addresses.length) return 'E-mail address is required'
  if (addresses.length > mostAddresses) return `At most ${mostAddresses} addresses`
  const wrong = addresses.find((one) => one.length > longestAddress || isAddress(one) !== undefined)
  return wrong === undefined ? undefined : `${wrong} is not an e-mail address`
}

export interface Fault {
  field: keyof Definition
  message: string
}

/** All validation errors of a rule; empty if it can be saved. */
export function definitionFaults(definition: Definition): Fault[] {
  const { tagId, scope, delay, notificationType, notificationTarget, triggerType, triggerCondition } = definition
  const faults: Fault[] = []
  const wrong = (field: keyof Definition, message: string) => faults.push({ field, message })
  if (!scope && !tagId) wrong('tagId', 'Tag is required')
  if (scope && [scope.families, scope.buildingIds, scope.tagIds].some(({ length }) => length > mostInScope))
    wrong('scope', `At most ${mostInScope} of each`)
  if (!Number.isInteger(delay)) wrong('delay', 'Delay must be a whole number')
  else if (delay < 0) wrong('delay', 'Delay cannot be negative')
  else if (delayMs(definition) > delayMs({ delay: longestDelayDays, delayUnit: 'days' }))
    wrong('delay', `Delay can be at most ${longestDelayDays} days`)
  if (!conditionsOf(triggerType).includes(triggerCondition))
    wrong('triggerCondition', 'Choose a condition from the list')
  const target = notificationType === 'NONE' ? undefined : targetFault(notificationTarget)
  if (target) wrong('notificationTarget', target)
  return faults
}
