import { clockNotSet } from '../devices/messages.ts'
import type { CommandName } from '../commands/commands.ts'
import { isMetricKey } from '../telemetry/metrics.ts'
import { components, testNames, testResults, testTypes } from '../lighting/tests.ts'
import type { Circumstances, Field, Fields } from './state-fields.ts'
import { argumentFields, fieldOf, stateFields } from './state-fields.ts'

/** The message channels of a device: the topics below its own. */
export const messageChannels = ['telemetry', 'state', 'events', 'tests', 'replies', 'commands'] as const
export type MessageChannel = (typeof messageChannels)[number]

/** One piece of information in a message. */
export interface Part {
  /** Its label; '' if the value is self-explanatory. */
  words: string
  /** With its unit. */
  value: string
  /** The previous value, if this message changed it. */
  was?: string
  /** There is no rule for it, or the value is not allowed. */
  notUnderstood?: true
}

export interface Known extends Circumstances {
  /** The previous values of state fields that this message changed. */
  was?: Readonly<Record<string, unknown>> | undefined
  /** Names of commands by their ids. */
  commands?: Readonly<Record<string, string>> | undefined
}

type Rule = (payload: Record<string, unknown>, known: Known) => Part[]

/** A status byte in the order of the DALI table: '00000010'. */
function bitsPart(bits: unknown): Part {
  const names = ['failure', 'emergency', 'durationResult'] as const
  if (!isRecord(bits) || Object.keys(bits).some((name) => !names.includes(name as (typeof names)[number])))
    return notUnderstood('status bits', bits)
  const texts = names.flatMap((name) => {
    const byte = bits[name]
    if (typeof byte !== 'number') return []
    return name === 'durationResult' ? [`lasted ${byte * 2} min`] : [`${name} ${byte.toString(2).padStart(8, '0')}`]
  })
  return { words: 'status bits', value: texts.join(', ') }
}

/** The rules by topic; fields and measurements within a topic have their own (`state-fields.ts`). */
const rules: Record<MessageChannel, Rule> = {
  telemetry: ({ values, ts, ...rest }, known) => [
    ...(isRecord(values) && typeof ts === 'number' ? readValues(values, known) : [notUnderstood('values', undefined)]),
    ...unknownOf(rest),
  ],
  state: (payload, known) => readFields(payload, stateFields, known),
  events: ({ eventId: _, start, end, severity, category, description, ...rest }, known) => [
    typeof category === 'string' && typeof description === 'string' && typeof severity === 'string'
      ? { words: `${category}, ${severity.toLowerCase()}`, value: description }
      : notUnderstood('event', category),
    ...instantPart('since', start, known),
    ...(end === undefined ? [] : instantPart('until', end, known)),
    ...unknownOf(rest),
  ],
  tests: ({ eventId: _, runId: __, testType, start, componentStates, result, series, statusBits, ...rest }, known) => [
    oneOf(testTypes, testType) && (result === undefined || oneOf(testResults, result))
      ? { words: testNames[testType], value: result === undefined ? 'awaits analysis' : resultWords(result) }
      : notUnderstood('test', testType),
    ...instantPart('started', start, known),
    ...Object.entries(isRecord(componentStates) ? componentStates : {}).map(([component, state]) =>
      oneOf(components, component) && typeof state === 'string'
        ? { words: component, value: state.toLowerCase() }
        : notUnderstood(component, state),
    ),
    ...(Array.isArray(series) && series.length > 0
      ? [{ words: 'battery voltage', value: `${series.length} ${series.length === 1 ? 'reading' : 'readings'}` }]
      : []),
    ...(statusBits === undefined ? [] : [bitsPart(statusBits)]),
    ...unknownOf(rest),
  ],
  replies: ({ commandId, status, message, ...rest }, { commands }) => [
    status === 'confirmed' || status === 'failed'
      ? {
          words: commandWords(commands?.[String(commandId).toLowerCase()]) ?? 'Command',
          value: [status === 'confirmed' ? 'confirmed' : 'refused', message]
            .filter((word) => typeof word === 'string' && word)
            .join(': '),
        }
      : notUnderstood('status', status),
    ...unknownOf(rest),
  ],
  commands: ({ commandId: _, name, args, expiresAt, ...rest }, known) => {
    const words = typeof name === 'string' ? commandWords(name) : undefined
    return [
      words ? { words: '', value: words } : notUnderstood('command', name),
      ...(isRecord(args) ? readFields(args, argumentFields, known) : []),
      ...instantPart('expires', expiresAt, known),
      ...unknownOf(rest),
    ]
  },
}

/**
 * The content of a message in words: each part with its unit, and its previous value if that changed. Unknown content
 * is included and marked as such.
 */
export function parsed(channel: MessageChannel, payload: unknown, known: Known): Part[] {
  const messages = Array.isArray(payload) ? payload : [payload]
  return messages.flatMap((one) => (isRecord(one) ? rules[channel](one, known) : [notUnderstood('message', one)]))
}

/** The parts as one line: 'Flow temperature 31.2 °C; Buzzer is on, was off'. */
export function parsedText(parts: readonly Part[]): string {
  return parts.map(partText).join('; ')
}

export function partText({ words, value, was }: Part): string {
  const phrase = was === undefined ? [words, value] : [words, words && 'is', value]
  return `${phrase.filter(Boolean).join(' ')}${was === undefined ? '' : `, was ${was}`}`
}

/** Why a message was not stored, or which parts of it. */
export interface Refused {
  reason: string
  detail: string
  parts?: readonly { path: string; reason: string; detail: string }[]
  isPartial?: boolean
}

/** 'Refused: unknown metric flowTemp'; 'Stored without: out of range (values.co2: -1 is not within 0 to 100000)'. */
export function refusedText({ reason, detail, parts = [], isPartial = false }: Refused): string {
  const all = parts.length ? parts : [{ reason, detail }]
  const dated = all.filter((part) => part.reason === clockNotSet)
  const others = all.filter((part) => part.reason !== clockNotSet)
  return [
    ...(others.length ? [`${isPartial ? 'Stored without' : 'Refused'}: ${others.map(faultText).join('; ')}`] : []),
    ...(dated.length ? [`Stored with the time of receipt: ${dated.map(faultText).join('; ')}`] : []),
  ].join('. ')
}

function faultText({ reason, detail }: { reason: string; detail: string }): string {
  if (detail.startsWith(reason)) return detail
  return detail ? `${reason} (${detail})` : reason
}

const commandsInWords: Record<CommandName, string> = {
  runTest: 'Run test',
  stopTest: 'Stop test',
  joinNetwork: 'Join network',
  leaveNetwork: 'Leave network',
  resetBoiler: 'Reset boiler',
  resetAutofill: 'Reset autofill',
  setChMax: 'Set CH max',
  setDhwSetPoint: 'Set DHW set point',
  setChLimit: 'Limit CH max',
  setBuzzer: 'Buzzer',
  setRelay: 'Switch relay',
  schedule: 'Set schedule',
  fireBoiler: 'Fire boiler',
  setSupplyHold: 'Hold electricity off',
  changeSetPoint: 'Change set point',
}

/** A command in words; undefined if the device link does not define it. */
export function commandWords(name: string | undefined): string | undefined {
  return name !== undefined && Object.hasOwn(commandsInWords, name) ? commandsInWords[name as CommandName] : undefined
}

/** An extra series has only its raw name. */
const readValues = (values: Record<string, unknown>, known: Known): Part[] =>
  Object.entries(values).flatMap(([name, value]) =>
    typeof value === 'number' && !isMetricKey(name)
      ? [{ words: name, value: String(value) }]
      : readFields({ [name]: value }, {}, known),
  )

function readFields(values: Record<string, unknown>, fields: Fields, known: Known): Part[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const field = fieldOf(fields, name)
    const was = known.was && Object.hasOwn(known.was, name) ? { value: known.was[name] } : undefined
    return field ? readField(field, name, value, was, known) : [notUnderstood(name, value)]
  })
}

function readField(
  field: Field,
  name: string,
  value: unknown,
  was: { value: unknown } | undefined,
  known: Known,
): Part[] {
  const words = /^\d+$/.test(name) ? [field.words, name].filter(Boolean).join(' ') : field.words
  if ('fields' in field) return readGroup(field, value, was, known)
  const read = inWords(field, value, known)
  if (read === undefined) return [notUnderstood(words, value)]
  const before = was && inWords(field, was.value, known)
  return [
    { words, value: read, ...(was && { was: before ?? (was.value === null ? 'not set' : JSON.stringify(was.value)) }) },
  ]
}

/** A group of fields, each with the name of the group; null means that there is none. */
function readGroup(
  { words, fields }: Extract<Field, { fields: Fields }>,
  value: unknown,
  was: { value: unknown } | undefined,
  known: Known,
): Part[] {
  if (value === null) return [{ words, value: 'none', ...(was && { was: was.value === null ? 'none' : 'there' }) }]
  if (!isRecord(value)) return [notUnderstood(words, value)]
  const before = was && isRecord(was.value) ? was.value : was && {}
  return Object.entries(value).flatMap(([name, part]) => {
    const field = fieldOf(fields, name)
    if (!field) return [notUnderstood(`${words} ${name}`, part)]
    const changed = before && !same(before[name], part) ? { value: before[name] ?? null } : undefined
    return readField(field, name, part, changed, known).map((one) => ({
      ...one,
      words: [words, one.words].filter(Boolean).join(' '),
    }))
  })
}

function inWords(field: Extract<Field, { read: unknown }>, value: unknown, known: Known): string | undefined {
  if (value === null && field.read(null, known) === undefined) return 'not set'
  const read = field.read(value, known)
  return read === undefined ? undefined : [read, field.unit].filter(Boolean).join(' ')
}

function instantPart(words: string, at: unknown, { time }: Known): Part[] {
  if (typeof at !== 'number' || !(Math.abs(at) <= 8.64e15)) return [notUnderstood(words, at)]
  return [{ words, value: time(at) }]
}

const unknownOf = (rest: Record<string, unknown>): Part[] =>
  Object.entries(rest).map(([name, value]) => notUnderstood(name, value))

function notUnderstood(words: string, value: unknown): Part {
  const shown = value === undefined ? '' : JSON.stringify(value).slice(0, 60)
  return { words, value: shown ? `${shown} not understood` : 'not understood', notUnderstood: true }
}

const resultWords = (result: string) => result.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
const oneOf = <W extends string>(words: readonly W[], value: unknown): value is W =>
  words.some((word) => word === value)
const same = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
