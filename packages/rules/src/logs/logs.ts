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
import type { Told } from '../conditions/words.ts'
import { conditionText, endingWords } from '../conditions/words.ts'
import { operationOfCommand } from '../actions/operations.ts'
import { partsText } from '../maintenance/forms.ts'

/** What entries of a device's log are about. */
export const logCategories = ['Fault', 'Status', 'Alert', 'Command', 'Change', 'Installation'] as const
export type LogCategory = (typeof logCategories)[number]

const installing: readonly ConditionKind[] = [...stages, 'neverTested', 'neverHeard']

/** The category under which the log tells that something was so with a device. */
export function categoryOfCondition(kind: ConditionKind): LogCategory {
  if (isOfFaults(kind)) return 'Fault'
  return installing.includes(kind) ? 'Installation' : 'Status'
}

/** The kinds of conditions that a category tells of. */
export const conditionsIn = (category: LogCategory): ConditionKind[] =>
  conditionKinds.filter((kind) => categoryOfCondition(kind) === category)

/** Recorded changes that belong to a device's coming and going. */
export const installationActions: readonly AuditAction[] = ['device added', 'device uninstalled', 'device installed']
/** Recorded changes that the log tells by the conditions that they began or ended. */
export const toldByConditions: readonly AuditAction[] = [
  'device condition set',
  'device condition ended',
  'device repair recorded',
]

/** What a person said of it: which parts a repair replaced or repaired, and a note. */
type Said = Pick<Evidence, 'repaired' | 'note'>

/** That something came to be so. */
export function beganText(told: Told, said: Said = {}): string {
  const more = saidText(said)
  return more ? `${conditionText(told)}.${more}` : conditionText(told)
}

/** That it is over, and by what. */
export function endedText(told: Told, ending: Ending, said: Said = {}): string {
  return `Over: ${conditionText(told)}. ${endingWords[ending]}.${saidText(said)}`
}

function saidText({ repaired = [], note }: Said): string {
  const parts = partsText(Object.fromEntries(repaired.map((part) => [part, true])))
  return [parts && `Replaced or repaired: ${parts.toLowerCase()}.`, note && `“${note}”`]
    .filter(Boolean)
    .map((sentence) => ` ${sentence}`)
    .join('')
}

/** An alert as the log of its device tells of it. */
export interface ToldAlert {
  rule: RuleWords
  /** Whom it was told to; nobody where it was shown in the portal only. */
  to: readonly string[]
  isOver: boolean
  ending: AlertEnding | null
}

/** That somebody was told, or that it is over. */
export function alertText({ rule, to, isOver, ending }: ToldAlert): string {
  const what = ruleLine(rule)
  if (isOver) return `Alert over: ${what}.${ending ? ` ${endingSentences[ending]}.` : ''}`
  return `Alert: ${what}. ${to.length ? `Told ${to.join(', ')} by e-mail.` : 'Shown in the portal only.'}`
}

const voidWords: Record<VoidCommand, string> = { fireBoiler: 'fire boiler', setSupplyHold: 'hold electricity off' }

/** A command as it was asked for; one that only newer versions know by its name. */
function whatIsAsked({ name, args }: Pick<CommandLife, 'name' | 'args'>): string {
  const test = testCommandName({ name, args })
  if (test !== undefined) return test
  const operation: string = isVoidCommand(name)
    ? voidWords[name]
    : (operationOfCommand[name as Exclude<CommandName, VoidCommand>] ?? name)
  return operation.charAt(0).toUpperCase() + operation.slice(1)
}

/** The value that a setting was asked for with: degrees, or on and off. */
function valueOf(args: CommandLife['args'] = {}): string {
  const { relay, ...values } = args
  const told = Object.entries(values).flatMap(([name, value]) => {
    if (typeof value === 'number') return [name === 'minutes' ? `for ${value} min` : `${value} °C`]
    return typeof value === 'boolean' ? [value ? 'on' : 'off'] : []
  })
  return [relay !== undefined && String(relay as string | number), ...told].filter(Boolean).join(' ')
}

/** A command in the few words that a chart has room for: 'Immersion heater asked on'. */
export function askedText({ name, args }: Pick<CommandLife, 'name' | 'args'>): string {
  if (name === 'setRelay') return `${relayName(String(args?.['relay']))} asked ${args?.['on'] === true ? 'on' : 'off'}`
  return [whatIsAsked({ name, args }), valueOf(args)].filter(Boolean).join(' ')
}

/** A command with what has become of it. */
export function commandText(
  command: Pick<CommandLife, 'name' | 'args' | 'status' | 'expiresAt' | 'message' | 'lateAnswer' | 'toldTest'>,
  now: number,
): string {
  const what = [whatIsAsked(command), valueOf(command.args)].filter(Boolean).join(' ')
  const said = command.message ? ` (${command.message})` : ''
  const answered = command.status === 'confirmed' || command.lateAnswer === 'confirmed'
  if (answered && command.toldTest === false) return `${what}: taken by the device, and no test told since${said}`
  if (command.lateAnswer === 'confirmed') return `${what}: confirmed late by the device${said}`
  switch (statusAt(command, now)) {
    case 'queued':
    case 'sent':
      return `${what}: not answered yet`
    case 'confirmed':
      return `${what}: confirmed by the device${said}`
    case 'failed':
      return `${what}: refused by the device${said}`
    case 'expired':
      return `${what}: not answered in time`
    case 'withdrawn':
      return `${what}: taken back before it was sent`
  }
}

/**
 * The instant of a log's time in text, in ms since the epoch: one that names no zone is in UTC (devices specification,
 * section 9), so that it can be shown by local clocks. NaN for what is no time.
 */
export function instantOfLog(text: string): number {
  const told = text
    .trim()
    .replace(/^(\d{4}-\d\d-\d\d) (?=\d)/, '$1T')
    .replace(/ ?UTC$/i, 'Z')
  const hasZone = /(Z|[+-]\d\d:?\d\d)$/i.test(told)
  return Date.parse(hasZone || !told.includes('T') ? told : `${told}Z`)
}
