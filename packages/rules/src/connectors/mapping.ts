import { furthestAhead, isClockUnset } from '../calendar/device-clock.ts'
import type { MetricKey } from '../telemetry/metrics.ts'
import { isMetricKey, metrics } from '../telemetry/metrics.ts'
import { isExtraName } from '../telemetry/readings.ts'
import type {
  Decoded,
  DecodedSample,
  DecodedValue,
  MappedMessage,
  Mapping,
  MappingRow,
  RejectedValue,
  SensorEvent,
  SensorMessage,
} from './types.ts'
import { oldestSensorReading } from './types.ts'
import { toOwnUnit, unitsOf } from './units.ts'
import { mostValues, numberOf } from './values.ts'

/**
 * Narrower than the device link allows: the range of a sensor in a building. A value beyond it means that the sensor
 * has none.
 */
const plausible: Partial<Record<MetricKey, { min: number; max: number }>> = { co2: { min: 0, max: 10_000 } }
/** The limit that keeps sums of extra metrics finite. */
const extraRange = { min: -1e12, max: 1e12 }
/** The highest numbers of 1, 2 and 4 bytes: sensors send them instead of a missing value. */
const noValues = new Set([255, 32_767, -32_768, 65_535, 2_147_483_647, 4_294_967_295])

/** Words of contacts and alarms, in lower case, unless a mapping has its own. */
const usualWords: Readonly<Record<string, number>> = {
  ...{
    true: 1,
    on: 1,
    yes: 1,
    open: 1,
    opened: 1,
    trigger: 1,
    triggered: 1,
    occupied: 1,
    motion: 1,
    leak: 1,
    alarm: 1,
  },
  ...{ wet: 1, detected: 1, active: 1, leaking: 1 },
  ...{ false: 0, off: 0, no: 0, close: 0, closed: 0, idle: 0, normal: 0, vacant: 0, unoccupied: 0, none: 0, clear: 0 },
  ...{ dry: 0, ok: 0, inactive: 0, pending: 0 },
}

export const rangeOf = (metric: MetricKey): { min: number; max: number } => plausible[metric] ?? metrics[metric]

/** Whether a metric is either 0 or 1, so that its values may be words. */
export const isYesNo = (metric: MetricKey): boolean => metrics[metric].unit === '' && metrics[metric].max === 1

interface Circumstances {
  /** When Caretaker received the message, in ms. */
  now: number
  message: Pick<SensorMessage, 'receivedAt'> &
    Partial<Pick<SensorMessage, 'measuredAt' | 'radio' | 'battery' | 'hasExternalPower' | 'kind'>>
}

/**
 * Turns decoded values into readings, states and events. Each value is judged by itself: a rejected one does not affect
 * the others. Signal and battery of the envelope become readings too.
 */
export function mapReadings(decoded: Decoded, mapping: Mapping, { now, message }: Circumstances): MappedMessage {
  const rows = new Map(mapping.map((row) => [row.path, row]))
  const mapped: MappedMessage = { readings: [], states: {}, events: [], rejected: [], unused: [] }
  const own = timeOf(message, now)
  const readings = new Map<number, Record<string, number>>()
  const newest = new Map<string, number>()
  for (const sample of decoded.samples) {
    const at = sample.measuredAt ?? own
    const wrongTime = faultOfTime(at, now)
    const values = readings.get(at) ?? {}
    for (const [path, value] of Object.entries(sample.values)) {
      const row = rows.get(path)
      if (!row || row.to === 'unused') {
        if (!mapped.unused.some((one) => one.path === path)) mapped.unused.push({ path, value })
        continue
      }
      if (wrongTime) {
        mapped.rejected.push({ path, value, reason: 'wrong time', text: wrongTime })
        continue
      }
      if (row.to === 'state') {
        if (at >= (newest.get(row.state) ?? -Infinity)) mapped.states[row.state] = value
        newest.set(row.state, at)
      } else if (row.to === 'event') {
        if (happened(row.event, value)) mapped.events.push({ at, event: row.event, value })
      } else {
        const reading = readValue(row, value)
        if ('reason' in reading) mapped.rejected.push(reading)
        // Of two paths for one metric, the first is used.
        else if (Object.hasOwn(values, reading.name)) mapped.unused.push({ path, value })
        else values[reading.name] = reading.value
      }
    }
    if (Object.keys(values).length) readings.set(at, values)
  }
  for (const [path, value] of Object.entries(decoded.beyond ?? {}))
    mapped.rejected.push({ path, value, reason: 'too many values', text: `Only ${mostValues} values are read` })
  const envelope = envelopeReadings(message)
  if (Object.keys(envelope).length && !faultOfTime(own, now)) readings.set(own, { ...envelope, ...readings.get(own) })
  if (message.hasExternalPower !== undefined) mapped.states.externalPower = message.hasExternalPower
  mapped.readings = [...readings].map(([ts, values]) => ({ ts, values })).toSorted((a, b) => a.ts - b.ts)
  return mapped
}

/** Whether a value reports an event: a failed test does; an alarm in its normal state does not. */
function happened(event: SensorEvent, value: DecodedValue): boolean {
  if (value === '') return false
  if (event === 'testResult') return true
  if (event === 'button') return value !== false
  const word = String(value).trim().toLowerCase()
  return Object.hasOwn(usualWords, word) ? usualWords[word] !== 0 : Number(value) !== 0
}

/** Signal strength, link quality and battery, as far as the envelope contains them. */
export function envelopeReadings({
  radio = {},
  battery,
}: Partial<Pick<SensorMessage, 'radio' | 'battery'>>): Record<string, number> {
  const values = {
    gsmSignal: radio.rssi,
    linkQuality: radio.linkQuality === undefined ? undefined : Math.round((radio.linkQuality * 1000) / 255) / 10,
    batteryLevel: battery === undefined ? undefined : Math.round(battery * 10) / 10,
  } satisfies Partial<Record<MetricKey, number | undefined>>
  return Object.fromEntries(
    Object.entries(values).flatMap(([metric, value]) => {
      const { min, max } = metrics[metric as keyof typeof values]
      return value !== undefined && value >= min && value <= max ? [[metric, value]] : []
    }),
  )
}

/**
 * When the values of a message were measured: by the sensor's own time unless its clock was never set, otherwise by the
 * network server's. A server whose clock is ahead does not produce readings in the future.
 */
function timeOf({ measuredAt, receivedAt }: Pick<SensorMessage, 'measuredAt' | 'receivedAt'>, now: number): number {
  if (measuredAt !== undefined && !isClockUnset(measuredAt, now)) return measuredAt
  return Math.min(receivedAt, now)
}

function faultOfTime(at: number, now: number): string | undefined {
  if (at > now + furthestAhead) return 'The time is in the future'
  if (at < now - oldestSensorReading) return 'The time is more than 90 days ago'
  return undefined
}

function readValue(
  row: Extract<MappingRow, { to: 'metric' | 'extra' }>,
  value: DecodedValue,
): { name: string; value: number } | RejectedValue {
  const { path } = row
  const number = row.to === 'metric' ? numberIn(row, value) : numberOf(value)
  if (number === undefined) {
    const isWord = row.to === 'metric' && (row.words !== undefined || isYesNo(row.metric))
    const shown = String(value).slice(0, 60)
    return isWord
      ? { path, value, reason: 'unknown word', text: `'${shown}' is mapped to neither 1 nor 0` }
      : { path, value, reason: 'not a number', text: `'${shown}' is not a number` }
  }
  const scaled = exact(number * row.factor)
  if (row.to === 'extra')
    return isExtraName(row.name) && scaled >= extraRange.min && scaled <= extraRange.max
      ? { name: row.name, value: scaled }
      : { path, value, reason: 'out of range', text: 'Too large to be stored' }
  const own = toOwnUnit(row.metric, scaled, row.unit)
  const { min, max } = rangeOf(row.metric)
  if (own !== undefined && own >= min && own <= max) return { name: row.metric, value: exact(own) }
  const range = `Outside ${shownNumber(min)}–${shownNumber(max)} ${metrics[row.metric].unit}`.trimEnd()
  const hint = noValues.has(number) ? `. The value ${shownNumber(number)} often means that the sensor has no value` : ''
  return { path, value, reason: 'out of range', text: `${range}${hint}` }
}

function numberIn(row: Extract<MappingRow, { to: 'metric' }>, value: DecodedValue): number | undefined {
  const word = String(value).trim().toLowerCase()
  if (row.words && Object.hasOwn(row.words, word)) return row.words[word]
  if (typeof value !== 'number' && isYesNo(row.metric) && !row.words && Object.hasOwn(usualWords, word))
    return usualWords[word]
  return typeof value === 'boolean' ? undefined : numberOf(value)
}

/** Without the noise of binary fractions. */
const exact = (value: number) => Number(value.toPrecision(12))
const shownNumber = (value: number) => value.toLocaleString('en-GB').replace('-', '−')

/** The paths with a value that no row of the mapping uses: '3 values of this sensor are not used'. */
export function unusedFields(samples: readonly DecodedSample[], mapping: Mapping): string[] {
  const used = new Set(mapping.filter((row) => row.to !== 'unused').map(({ path }) => path))
  return [...new Set(samples.flatMap(({ values }) => Object.keys(values)))].filter((path) => !used.has(path))
}

/** The errors that prevent a mapping from being saved, by path. */
export function faultsOfMapping(mapping: Mapping): { path: string; text: string }[] {
  const paths = new Set<string>()
  const targets = new Map<string, string>()
  return mapping.flatMap((row) => {
    const faults: string[] = []
    if (paths.has(row.path)) faults.push('This path is mapped twice')
    paths.add(row.path)
    if (row.to === 'metric' || row.to === 'extra') {
      const name = row.to === 'metric' ? row.metric : row.name
      const other = targets.get(name)
      const label = isMetricKey(name) ? metrics[name].label : name
      if (other !== undefined) faults.push(`${label} is already read from ${other}`)
      targets.set(name, row.path)
      if (!Number.isFinite(row.factor) || row.factor === 0) faults.push('Enter a factor other than 0')
    }
    if (row.to === 'metric' && !unitsOf(row.metric).includes(row.unit))
      faults.push(`Choose one of these units: ${unitsOf(row.metric).join(', ')}`)
    if (row.to === 'extra' && (!isExtraName(row.name) || isMetricKey(row.name)))
      faults.push('Enter a name of 1 to 60 characters that no metric has')
    return faults.map((text) => ({ path: row.path, text }))
  })
}
