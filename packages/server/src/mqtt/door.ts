import type { z } from 'zod'
import type { Reading } from '@caretaker/contract/mqtt/payloads.ts'
import {
  Event,
  furthestAhead,
  oldestReading,
  Reply,
  State,
  Telemetry,
  Test,
} from '@caretaker/contract/mqtt/payloads.ts'
import type { UpChannel } from '@caretaker/contract/mqtt/topics.ts'
import { payloadLimit } from '@caretaker/contract/mqtt/topics.ts'
import type { BadMessageReason } from '@caretaker/rules/devices/messages.ts'
import { looksLikeSeconds } from '@caretaker/rules/devices/messages.ts'

/** What devices say, by channel. */
export interface Payloads {
  telemetry: Reading[]
  state: z.infer<typeof State>
  events: z.infer<typeof Event>
  tests: z.infer<typeof Test>
  replies: z.infer<typeof Reply>
}

/** Why a message, or a part of it, is set aside. */
export interface Fault {
  reason: BadMessageReason
  detail: string
  /** The field that is wrong, as a path into the payload; left out where it is the message as a whole. */
  field?: string | undefined
}

/** A payload that has passed, a fault, or both where only some of its readings could be used. */
export interface Opened<C extends UpChannel> {
  payload?: Payloads[C]
  fault?: Fault
}

const schemas = { telemetry: Telemetry, state: State, events: Event, tests: Test, replies: Reply }

/** Reads a payload that came at `now`. Never throws: whatever is wrong with it is a fault with its reason. */
export function openPayload<C extends UpChannel>(channel: C, bytes: Buffer, now: number): Opened<C> {
  if (bytes.length > payloadLimit) return { fault: tooLarge(bytes.length) }
  let json: unknown
  try {
    json = JSON.parse(bytes.toString())
  } catch {
    return { fault: { reason: 'not JSON', detail: '' } }
  }
  // Numbers and known words are all that the schema of a reading lets through.
  if (channel !== 'telemetry' && !isPlain(json)) return { fault: wrongShape('text or nesting that cannot be stored') }
  const parsed = schemas[channel].safeParse(json)
  if (!parsed.success) return { fault: faultOf(parsed.error) }
  return inTime(channel, parsed.data as Payloads[C], now)
}

export function tooLarge(bytes: number): Fault {
  return { reason: 'too large', detail: `${bytes} bytes` }
}

export function wrongShape(detail: string, field?: string): Fault {
  return { reason: 'wrong shape', detail, field }
}

const deepest = 10

/** The database cannot hold NUL or half a surrogate pair in a text, and very deep nesting would exhaust its stack. */
function isPlain(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value !== 'object' || value === null) return true
  if (depth === deepest) return false
  return Array.isArray(value)
    ? value.every((item) => isPlain(item, depth + 1))
    : Object.entries(value).every(([key, item]) => isPlain(key) && isPlain(item, depth + 1))
}

function faultOf(error: z.ZodError): Fault {
  const issues = error.issues.flatMap(flatten)
  const unknown = issues.find((issue) => issue.message.startsWith('unknown metric'))
  if (unknown) return { reason: 'unknown metric', detail: unknown.message, field: fieldOf(unknown) }
  const text = issues.find(isTextForNumber)
  if (text) return { reason: 'not a number', detail: worded(text), field: fieldOf(text) }
  const [first] = issues
  return first ? wrongShape(worded(first), fieldOf(first)) : wrongShape('')
}

const fieldOf = ({ path }: Issue) => path.slice(0, 6).join('.').slice(0, 100) || undefined
const worded = (issue: Issue) => [fieldOf(issue), issue.message].filter(Boolean).join(': ')

/** A reading whose value or time is anything else than a number. */
const isTextForNumber = (issue: Issue) =>
  issue.code === 'invalid_type' &&
  issue.expected === 'number' &&
  issue.path.some((part) => part === 'values' || part === 'ts')

type Issue = z.core.$ZodIssue

/** A union reports what is wrong with each of its members; the one that came furthest is the one that was meant. */
function flatten(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union' || !issue.errors.length) return [issue]
  const depth = (issues: Issue[]) => Math.max(0, ...issues.map(({ path }) => path.length))
  const meant = issue.errors.reduce((best, issues) => (depth(issues) > depth(best) ? issues : best))
  return meant.flatMap(flatten)
}

const checks: { [C in UpChannel]?: (payload: Payloads[C], now: number) => Opened<C> } = {
  telemetry: readingsInTime,
  events: (event, now) => {
    const { start, end = 0 } = event
    if (start > now + furthestAhead) return wrongTime('in the future', 'start')
    if (end > now + furthestAhead) return wrongTime('in the future', 'end')
    if (looksLikeSeconds(start, now + furthestAhead)) return inSeconds('', 'start')
    if (looksLikeSeconds(end, now + furthestAhead)) return inSeconds('', 'end')
    if (event.end !== undefined && end < start) return wrongTime('ends before it starts', 'end')
    return { payload: event }
  },
}

function inTime<C extends UpChannel>(channel: C, payload: Payloads[C], now: number): Opened<C> {
  return checks[channel]?.(payload, now) ?? { payload }
}

/** A device that was away for a week sends more than may still be stored: what is in time is kept. */
function readingsInTime(readings: Reading[], now: number): Opened<'telemetry'> {
  const [oldest, newest] = [now - oldestReading, now + furthestAhead]
  const good = readings.filter(({ ts }) => ts >= oldest && ts <= newest)
  if (good.length === readings.length) return { payload: readings }
  const seconds = readings.some(({ ts }) => looksLikeSeconds(ts, newest))
  const { fault } = (seconds ? inSeconds : wrongTime)(
    `${readings.length - good.length} of ${readings.length} readings`,
    'ts',
  )
  return good.length ? { payload: good, fault } : { fault }
}

/** The text of a rejected message names its field wherever it is shown. */
const named = (detail: string, field: string) => [field, detail].filter(Boolean).join(': ')

function inSeconds(detail: string, field: string): { fault: Fault } {
  return { fault: { reason: 'time in seconds', detail: named(detail, field), field } }
}

function wrongTime(detail: string, field: string): { fault: Fault } {
  return { fault: { reason: 'wrong time', detail: named(detail, field), field } }
}
