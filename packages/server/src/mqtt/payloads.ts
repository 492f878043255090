import type { z } from 'zod'
import { Event, Reply, State, Test } from '@caretaker/contract/mqtt/payloads.ts'
import type { UpChannel } from '@caretaker/contract/mqtt/topics.ts'
import { payloadLimit } from '@caretaker/contract/mqtt/topics.ts'
import { furthestAhead, isClockUnset, looksLikeSeconds } from '@caretaker/rules/calendar/device-clock.ts'
import type { BadMessageReason, Fault } from '@caretaker/rules/devices/messages.ts'
import { clockNotSet } from '@caretaker/rules/devices/messages.ts'
import type { Reading } from '@caretaker/rules/telemetry/readings.ts'
import { judgeReadings } from '@caretaker/rules/telemetry/readings.ts'
import { timesInState } from '@caretaker/rules/devices/state-times.ts'

/** The payloads of each channel. */
export interface Payloads {
  telemetry: Reading[]
  state: z.infer<typeof State>
  events: z.infer<typeof Event>
  tests: z.infer<typeof Test>
  replies: z.infer<typeof Reply>
}

/** The part of a payload that can be stored (undefined if none), and the faults of the rest. */
export interface Opened<C extends UpChannel> {
  payload?: Payloads[C]
  faults: Fault[]
}

type Reported = Exclude<UpChannel, 'telemetry'>
const schemas = { state: State, events: Event, tests: Test, replies: Reply }

/**
 * Parses a payload received at `now`. Never throws: each invalid part becomes a fault with its reason and is left out
 * of the payload.
 *
 * @param keepsUnknown whether the tenant keeps unknown metrics
 */
export function openPayload<C extends UpChannel>(
  channel: C,
  bytes: Buffer,
  now: number,
  keepsUnknown = false,
): Opened<C> {
  if (bytes.length > payloadLimit) return { faults: [tooLarge(bytes.length)] }
  // A reading without a number has no value. In a state, null means that a fault is cleared, so an invalid number
  // must not become null.
  const json = parseJson(bytes.toString(), channel === 'telemetry' ? null : NaN)
  if (json === undefined) return { faults: [{ reason: 'not JSON', detail: '' }] }
  if (channel === 'telemetry') {
    const { readings, faults } = judgeReadings(json, { now, keepsUnknown })
    return readings.length ? { payload: readings as Payloads[C], faults } : { faults }
  }
  return openReport(channel as Reported, json, now) as Opened<C>
}

/**
 * Spellings of missing numbers in device libraries; strings are matched so that they stay as they are. A string may
 * be unterminated: without that, the search would restart at each of its quotation marks.
 */
const notNumbers = /"(?:[^"\\]|\\[^]?)*(?:"|$)|-?\b(?:nan|inf|infinity)\b/gi
/** Replaces such a number until the text is parsed; no device sends this text. */
const placeholder = '\u{f8ff}not a number'

/**
 * Parses JSON, tolerating a byte-order mark, a trailing NUL and non-numbers. Returns undefined if it is not JSON.
 *
 * @param absent the value for a non-number
 */
function parseJson(text: string, absent: null | number): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    try {
      const bare = text.replace(/^\uFEFF/, '').replace(/[\0\s]+$/, '')
      const marked = bare.replaceAll(notNumbers, (found) =>
        found.startsWith('"') ? found : JSON.stringify(placeholder),
      )
      return JSON.parse(marked, (_, value: unknown) => (value === placeholder ? absent : value)) as unknown
    } catch {
      return undefined
    }
  }
}

export function tooLarge(bytes: number): Fault {
  return { reason: 'too large', detail: `${bytes} bytes` }
}

export function wrongShape(detail: string, field?: string): Fault {
  return { reason: 'wrong shape', detail, field }
}

type Fields = Record<string, unknown>

/** Fields for which null means unknown, as much software writes it. */
const nullable: Record<Reported, readonly string[]> = {
  state: [],
  events: ['end'],
  tests: ['result', 'endedBy', 'runId', 'statusBits'],
  replies: ['message'],
}

/** Measurements of a test curve that do not decide the result: a point with an invalid one still counts. */
const undecisive = ['lampCurrent', 'lampVoltage']

/**
 * The path of the part to remove for a fault at a path; undefined if the message is useless without it. A point that
 * decides a test is removed only if the light itself reports a failure: otherwise a lamp that went dark at an
 * unreadable point would pass.
 */
const partWithout: Record<Reported, (path: PropertyKey[], fields: Fields) => PropertyKey[] | undefined> = {
  state: ([field]) => (field === undefined ? undefined : [field]),
  events: ([field]) => (field === 'end' ? [field] : undefined),
  tests: ([field, at, key], { result }) => {
    if (field === 'endedBy' || field === 'runId') return [field]
    if (field !== 'series' || at === undefined) return undefined
    if (key !== undefined && undecisive.includes(String(key))) return [field, at, key]
    return result === 'Failed' ? [field, at] : undefined
  },
  replies: ([field]) => (field === 'message' ? [field] : undefined),
}

function openReport<C extends Reported>(channel: C, json: unknown, now: number): Opened<C> {
  if (!isFields(json)) return { faults: [wrongShape('not an object')] }
  const faults: Fault[] = []
  const fields = { ...json }
  for (const name of nullable[channel]) if (fields[name] === null) delete fields[name]
  if (channel === 'tests' && Array.isArray(fields['series'])) fields['series'] = withoutUnmeasured(fields['series'])
  if (channel === 'state') faults.push(...withoutUnstorable(fields))
  else if ((channel === 'events' || channel === 'tests') && (fields['start'] ?? null) === null) fields['start'] = now
  if (faults.length && !Object.keys(fields).length) return { faults }
  const first = schemas[channel].safeParse(fields)
  if (first.success) return inTime(channel, first.data as Payloads[C], now, faults)
  const issues = first.error.issues.flatMap(flatten)
  faults.push(...issues.map((issue) => faultOf(issue, fields)))
  const parts = issues.map(({ path }) => partWithout[channel](path, fields))
  if (parts.includes(undefined)) return { faults }
  const rest = schemas[channel].safeParse(without(fields, parts as PropertyKey[][]))
  return rest.success ? inTime(channel, rest.data as Payloads[C], now, faults) : { faults }
}

/** Removes fields that are null at every point of a curve: a light may send them for values it does not measure. */
function withoutUnmeasured(series: readonly unknown[]): unknown[] {
  const unmeasured = ['lampPower', ...undecisive, 'pLive'].filter((name) =>
    series.every((point) => isFields(point) && (point[name] ?? null) === null),
  )
  if (!unmeasured.length) return [...series]
  const isMeasured = ([name]: [string, unknown]) => !unmeasured.includes(name)
  return series.map((point) => Object.fromEntries(Object.entries(point as Fields).filter(isMeasured)))
}

/** The maximum number of fields of a state, and their maximum nesting depth. */
const [mostFields, deepest] = [100, 10]

/** Removes fields of a state that the database cannot store or that exceed the limit; returns the faults. */
function withoutUnstorable(state: Fields): Fault[] {
  const faults: Fault[] = []
  let count = 0
  for (const [name, value] of Object.entries(state)) {
    const isStorable = isPlain(name) && isPlain(value, 1)
    if (isStorable && ++count <= mostFields) continue
    delete state[name]
    const field = name.slice(0, 100)
    if (!isStorable) faults.push(wrongShape(`${field}: text or nesting that cannot be stored`, field))
    else faults.push({ reason: 'too large', detail: `${field}: more than ${mostFields} fields`, field })
  }
  return faults
}

/** Postgres text cannot contain NUL or a lone surrogate, and very deep nesting would exhaust its stack. */
function isPlain(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  // At the top level NaN is reported as such; below it would be stored as null.
  if (typeof value === 'number') return depth < 2 || !Number.isNaN(value)
  if (typeof value !== 'object' || value === null) return true
  if (depth === deepest) return false
  return Array.isArray(value)
    ? value.every((item) => isPlain(item, depth + 1))
    : Object.entries(value).every(([key, item]) => isPlain(key) && isPlain(item, depth + 1))
}

/** A copy without the given parts, at most three levels deep; lists keep their order. */
function without(fields: Fields, parts: readonly PropertyKey[][]): Fields {
  const rest: Fields = { ...fields }
  const gone = new Map<string, Set<number>>()
  for (const [field, at, key] of parts as [string, number?, string?][]) {
    if (at === undefined) delete rest[field]
    else if (key === undefined) gone.set(field, (gone.get(field) ?? new Set()).add(at))
    else {
      const items = [...(rest[field] as Fields[])]
      items[at] = Object.fromEntries(Object.entries(items[at]!).filter(([name]) => name !== key))
      rest[field] = items
    }
  }
  for (const [field, places] of gone) {
    // A state has no lists.
    if (Array.isArray(rest[field])) rest[field] = rest[field].filter((_, place) => !places.has(place))
  }
  return rest
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

type Issue = z.core.$ZodIssue

function faultOf(issue: Issue, fields: Fields): Fault {
  const field = issue.path.slice(0, 6).join('.').slice(0, 100) || undefined
  const value = issue.path.reduce<unknown>((of, key) => (of as Fields | undefined | null)?.[String(key)], fields)
  return { reason: reasonOf(issue, value), detail: [field, issue.message].filter(Boolean).join(': '), field }
}

function reasonOf(issue: Issue, value: unknown): BadMessageReason {
  if (value === null) return 'no value'
  const isTextForNumber = issue.code === 'invalid_type' && issue.expected === 'number' && value !== undefined
  return isTextForNumber ? 'not a number' : 'wrong shape'
}

/** A union reports the issues of all its members; the member that matched furthest is the intended one. */
function flatten(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union' || !issue.errors.length) return [issue]
  const depth = (issues: Issue[]) => Math.max(0, ...issues.map(({ path }) => path.length))
  const meant = issue.errors.reduce((best, issues) => (depth(issues) > depth(best) ? issues : best))
  return meant.flatMap(flatten).map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }))
}

function inTime<C extends Reported>(channel: C, payload: Payloads[C], now: number, faults: Fault[]): Opened<C> {
  if (channel === 'events') return eventInTime(payload as Payloads['events'], now, faults) as Opened<C>
  if (channel === 'state')
    for (const { path, at } of timesInState(payload as Payloads['state']))
      if (isClockUnset(at, now)) faults.push(clockFault(path, at))
  return { payload, faults }
}

/** An event from a clock that was never set counts as received now; an event with an invalid end is stored as open. */
function eventInTime(event: Payloads['events'], now: number, faults: Fault[]): Opened<'events'> {
  const { end, ...begun } = event
  const startFault = timeFault(event.start, 'start', now)
  if (startFault) faults.push(startFault)
  if (startFault && startFault.reason !== clockNotSet) return { faults }
  const endFault = end === undefined ? undefined : timeFault(end, 'end', now)
  if (endFault) faults.push(endFault)
  const ended = endFault?.reason === clockNotSet ? now : endFault ? undefined : end
  const start = startFault ? Math.min(now, ended ?? now) : event.start
  if (ended === undefined) return { payload: { ...begun, start }, faults }
  if (ended >= start) return { payload: { ...begun, start, end: ended }, faults }
  faults.push(fault('wrong time', 'end', 'ends before it starts'))
  return { payload: { ...begun, start }, faults }
}

function timeFault(at: number, field: string, now: number): Fault | undefined {
  if (at > now + furthestAhead) return fault('wrong time', field, 'in the future')
  if (looksLikeSeconds(at, now)) return fault('time in seconds', field, '')
  return isClockUnset(at, now) ? clockFault(field, at) : undefined
}

const clockFault = (field: string, at: number) => fault(clockNotSet, field, new Date(at).toISOString())

/** The text of a rejected part always names its field. */
const fault = (reason: BadMessageReason, field: string, detail: string): Fault => ({
  reason,
  detail: [field, detail].filter(Boolean).join(': '),
  field,
})
