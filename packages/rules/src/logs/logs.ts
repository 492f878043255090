import type { AlertEnding, RuleWords } from '../alerts/words.ts'
import { endingSentences, ruleLine } from '../alerts/words.ts'
import type { AuditAction } from '../audit/audit.ts'
import { relayName } from '../boilers/power-switch.ts'
import type { CommandName, VoidCommand } from '../commands/commands.ts'
import { isVoidCommand } from '../commands/commands.ts'
import { testCommandName } from '../actions/command-names.ts'
import type { CommandLife } from '../commands/life.ts'
import { statusAt } from '../commands/life.ts'
import type { ConditionKind, Ending, Evidence } from '../conditions/conditions.ts'
import { conditionKinds, isOfFaults, stages } from '../conditions/conditions.ts'
import type { ConditionFacts } from '../conditions/words.ts'
import { conditionText, endingWords } from '../conditions/words.ts'
import { operationOfCommand } from '../actions/operations.ts'
import { partsText } from '../maintenance/forms.ts'

/** Categories of entries in a device's log. */
export const logCategories = ['Fault', 'Status', 'Alert', 'Command', 'Change', 'Installation'] as const
export type LogCategory = (typeof logCategories)[number]

const installing: readonly ConditionKind[] = [...stages, 'neverTested', 'neverHeard']

/** The log category of a condition. */
export function categoryOfCondition(kind: ConditionKind): LogCategory {
  if (isOfFaults(kind)) return 'Fault'
  return installing.includes(kind) ? 'Installation' : 'Status'
}

/** The conditions in a category. */
export const conditionsIn = (category: LogCategory): ConditionKind[] =>
  conditionKinds.filter((kind) => categoryOfCondition(kind) === category)

/** Audit entries about the installation and removal of a device. */
export const installationActions: readonly AuditAction[] = ['device added', 'device uninstalled', 'device installed']
/** Audit entries that the log replaces by the conditions that they began or ended. */
export const actionsLoggedByConditions: readonly AuditAction[] = [
  'device condition set',
  'device condition ended',
  'device repair recorded',
]

/** The entry of a user: the repaired or replaced parts, and a note. */
type EntryDetails = Pick<Evidence, 'repaired' | 'note'>

/** The log text for the beginning of a condition. */
export function beganText(facts: ConditionFacts, details: EntryDetails = {}): string {
  const more = detailsText(details)
  return more ? `${conditionText(facts)}.${more}` : conditionText(facts)
}

/** The log text for its end and cause. */
export function endedText(facts: ConditionFacts, ending: Ending, details: EntryDetails = {}): string {
  return `Over: ${conditionText(facts)}. ${endingWords[ending]}.${detailsText(details)}`
}

function detailsText({ repaired = [], note }: EntryDetails): string {
  const parts = partsText(Object.fromEntries(repaired.map((part) => [part, true])))
  return [parts && `Replaced or repaired: ${parts.toLowerCase()}.`, note && `“${note}”`]
    .filter(Boolean)
    .map((sentence) => ` ${sentence}`)
    .join('')
}

/** An alert in a device's log. */
export interface LoggedAlert {
  rule: RuleWords
  /** Recipients; empty if it was shown in the portal only. */
  to: readonly string[]
  isOver: boolean
  ending: AlertEnding | null
}

/** The log text for a sent alert, or for its end. */
export function alertText({ rule, to, isOver, ending }: LoggedAlert): string {
  const what = ruleLine(rule)
  if (isOver) return `Alert over: ${what}.${ending ? ` ${endingSentences[ending]}.` : ''}`
  return `Alert: ${what}. ${to.length ? `E-mail sent to ${to.join(', ')}.` : 'Shown in the portal only.'}`
}

const voidWords: Record<VoidCommand, string> = { fireBoiler: 'fire boiler', setSupplyHold: 'hold electricity off' }

/** The description of a command; for commands of newer versions, their name. */
function describeCommand({ name, args }: Pick<CommandLife, 'name' | 'args'>): string {
  const test = testCommandName({ name, args })
  if (test !== undefined) return test
  const operation: string = isVoidCommand(name)
    ? voidWords[name]
    : (operationOfCommand[name as Exclude<CommandName, VoidCommand>] ?? name)
  return operation.charAt(0).toUpperCase() + operation.slice(1)
}

/** The requested value of a setting: degrees, or on and off. */
function valueOf(args: CommandLife['args'] = {}): string {
  const { relay, ...values } = args
  const parts = Object.entries(values).flatMap(([name, value]) => {
    if (typeof value === 'number') return [name === 'minutes' ? `for ${value} min` : `${value} °C`]
    return typeof value === 'boolean' ? [value ? 'on' : 'off'] : []
  })
  return [relay !== undefined && String(relay as string | number), ...parts].filter(Boolean).join(' ')
}

/** A command in a few words for a chart: 'Immersion heater asked on'. */
export function requestText({ name, args }: Pick<CommandLife, 'name' | 'args'>): string {
  if (name === 'setRelay') return `${relayName(String(args?.['relay']))} asked ${args?.['on'] === true ? 'on' : 'off'}`
  return [describeCommand({ name, args }), valueOf(args)].filter(Boolean).join(' ')
}

/** A command with its result so far. */
export function commandText(
  command: Pick<CommandLife, 'name' | 'args' | 'status' | 'expiresAt' | 'message' | 'lateAnswer' | 'reportedTest'>,
  now: number,
): string {
  const what = [describeCommand(command), valueOf(command.args)].filter(Boolean).join(' ')
  const answer = command.message ? ` (${command.message})` : ''
  const answered = command.status === 'confirmed' || command.lateAnswer === 'confirmed'
  if (answered && command.reportedTest === false)
    return `${what}: accepted by the device, but no test reported since${answer}`
  if (command.lateAnswer === 'confirmed') return `${what}: confirmed late by the device${answer}`
  switch (statusAt(command, now)) {
    case 'queued':
    case 'sent':
      return `${what}: not answered yet`
    case 'confirmed':
      return `${what}: confirmed by the device${answer}`
    case 'failed':
      return `${what}: refused by the device${answer}`
    case 'expired':
      return `${what}: not answered in time`
    case 'withdrawn':
      return `${what}: taken back before it was sent`
  }
}

/**
 * Parses the time of a log entry, in ms since the epoch; without a zone it is UTC (devices specification, section 9).
 * NaN if invalid.
 */
export function instantOfLog(text: string): number {
  const isoText = text
    .trim()
    .replace(/^(\d{4}-\d\d-\d\d) (?=\d)/, '$1T')
    .replace(/ ?UTC$/i, 'Z')
  const hasZone = /(Z|[+-]\d\d:?\d\d)$/i.test(isoText)
  return Date.parse(hasZone || !isoText.includes('T') ? isoText : `${isoText}Z`)
}
