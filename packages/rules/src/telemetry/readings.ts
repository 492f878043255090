import { furthestAhead, isClockUnset, looksLikeSeconds, oldestReading } from '../calendar/device-clock.ts'
import type { BadMessageReason, Fault } from '../devices/messages.ts'
import { clockNotSet } from '../devices/messages.ts'
import { isMetricKey, metrics } from './metrics.ts'

/** Values of one instant by metric, including raw names of extra series if the client keeps these. */
export interface Reading {
  /** ms since the epoch */
  ts: number
  values: Record<string, number>
}

export interface JudgedReadings {
  /** The readings that can be stored. */
  readings: Reading[]
  faults: Fault[]
}

/** Maximum readings per message; the rest are rejected. */
export const mostReadings = 500
/** The longest name of an extra series, and the range of its values, in which sums stay finite. */
const longestName = 60
const extraRange = { min: -1e12, max: 1e12 }

interface Receipt {
  /** Time of receipt, in ms. */
  now: number
  /** Whether the client keeps unknown metrics as extra series. */
  keepsUnknown: boolean
  /** How old readings may be, in ms; a week if left out. */
  oldest?: number
}

/**
 * Validates the telemetry of one message, a reading or an array of them: each value separately, with path and reason of
 * each invalid one. A reading without a time, or with the time of an unset clock, is dated with its time of receipt;
 * several keep their order, a millisecond apart.
 */
export function judgeReadings(json: unknown, receipt: Receipt): JudgedReadings {
  const { now, oldest = oldestReading } = receipt
  const readings: Reading[] = []
  const faults: Fault[] = []
  const undated: Reading[] = []
  const judge = (item: unknown, path: string) => {
    if (!isRecord(item)) {
      faults.push(faultAt(path, 'wrong shape', 'not a reading'))
      return
    }
    const ts = timeOf(item['ts'], { now, oldest }, path)
    if (ts !== undefined && 'reason' in ts && ts.reason !== clockNotSet) {
      faults.push(ts)
      return
    }
    const values = judgeValues(item['values'], within(path, 'values'), receipt, faults)
    if (!values) return
    const reading = { ts: now, values }
    if (ts === undefined || 'reason' in ts) undated.push(reading)
    else reading.ts = ts.at
    if (ts && 'reason' in ts) faults.push(ts)
    readings.push(reading)
  }
  if (Array.isArray(json)) {
    for (let at = 0; at < json.length && at < mostReadings; at++) judge(json[at], String(at))
    if (json.length > mostReadings)
      faults.push(faultAt(String(mostReadings), 'too large', `${json.length - mostReadings} readings too many`))
    if (json.length === 0) faults.push({ reason: 'wrong shape', detail: 'no readings' })
  } else judge(json, '')
  // With equal times only the first value of an instant would be kept.
  for (const [place, reading] of undated.entries()) reading.ts = now - (undated.length - 1 - place)
  return { readings, faults }
}

/** The time of a reading; undefined if missing, a fault if invalid. */
function timeOf(
  ts: unknown,
  { now, oldest }: { now: number; oldest: number },
  path: string,
): { at: number } | Fault | undefined {
  if (ts === undefined || ts === null) return undefined
  const field = within(path, 'ts')
  if (typeof ts !== 'number') return faultAt(field, 'not a number', shown(ts))
  const at = Math.trunc(ts)
  if (at >= now - oldest && at <= now + furthestAhead) return { at }
  if (looksLikeSeconds(at, now)) return faultAt(field, 'time in seconds', shown(ts))
  if (isClockUnset(at, now)) return faultAt(field, clockNotSet, shown(ts))
  return faultAt(field, 'wrong time', at > now ? 'in the future' : 'too long ago')
}

/** The valid values of a reading; undefined if there are none. */
function judgeValues(
  values: unknown,
  path: string,
  { keepsUnknown }: Receipt,
  faults: Fault[],
): Record<string, number> | undefined {
  if (!isRecord(values)) {
    faults.push(faultAt(path, 'wrong shape', 'no values'))
    return undefined
  }
  const good: Record<string, number> = {}
  let hasGood = false
  let isEmpty = true
  for (const key in values) {
    isEmpty = false
    const value = values[key]
    const fault = faultIn(key, value, keepsUnknown)
    if (fault) faults.push(faultAt(within(path, key.slice(0, longestName)), fault.reason, fault.detail))
    else {
      good[key] = value as number
      hasGood = true
    }
  }
  if (isEmpty) faults.push(faultAt(path, 'wrong shape', 'no values'))
  return hasGood ? good : undefined
}

function faultIn(key: string, value: unknown, keepsUnknown: boolean): Fault | undefined {
  const isKnown = isMetricKey(key)
  if (!isKnown && !(keepsUnknown && isExtraName(key)))
    return { reason: 'unknown metric', detail: `unknown metric ${key.slice(0, longestName)}` }
  if (value === null) return { reason: 'no value', detail: 'null' }
  if (typeof value !== 'number') return { reason: 'not a number', detail: shown(value) }
  const { min, max } = isKnown ? metrics[key] : extraRange
  if (value >= min && value <= max) return undefined
  return { reason: 'out of range', detail: `${value} is not within ${min} to ${max}` }
}

/** Whether a name is allowed for an extra series: a limited number of printable characters. */
export function isExtraName(key: string): boolean {
  return (
    key.trim() !== '' && key.length <= longestName && key !== '__proto__' && !/\p{C}/u.test(key) && key.isWellFormed()
  )
}

/** The detail of an unknown metric names it; other faults are identified by their path. */
function faultAt(path: string, reason: BadMessageReason, detail: string): Fault {
  const isNamed = !path || reason === 'unknown metric'
  return { reason, detail: isNamed ? detail : `${path}: ${detail}`, field: path || undefined }
}

const within = (path: string, key: string) => (path ? `${path}.${key}` : key)
const shown = (value: unknown) => (JSON.stringify(value) ?? '').slice(0, 40)

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
