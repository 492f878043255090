import { createHash } from 'node:crypto'
import type { ConnectionError, MessageResult } from '@caretaker/rules/connections/connections.ts'
import type { StoredOutcome } from '@caretaker/rules/connections/stored.ts'
import { sensorEvents } from '@caretaker/rules/connectors/types.ts'
import type { Decoded, SensorMessage } from '@caretaker/rules/connectors/types.ts'
import type { BadMessageReason } from '@caretaker/rules/devices/messages.ts'
import { clockNotSet, rejectionTexts } from '@caretaker/rules/devices/messages.ts'
import { isMetricKey, metrics } from '@caretaker/rules/telemetry/metrics.ts'
import type { Reading } from '@caretaker/rules/telemetry/readings.ts'
import { ingestEvents, ingestLinks, ingestStates } from '../features/devices/ingest.ts'
import type { IncomingEvent, IncomingState } from '../features/devices/ingest.ts'
import { applyCommandAnswers, unansweredCommands } from '../features/commands/store.ts'
import { closedBefore, sumUpDaysAgain } from '../features/telemetry/days.ts'
import type { IncomingReadings, SeriesCache } from '../features/telemetry/ingest.ts'
import { ingestTelemetry, seriesCache } from '../features/telemetry/ingest.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import type { MappedWithPaths } from './decode.ts'
import { mapMessage } from './decode.ts'
import type { KnownSensor } from './sensors.ts'

/** A decoded message of a sensor, to be stored as readings, states and events of its device. */
export interface Decodable {
  sensor: KnownSensor
  message: SensorMessage
  decoded: Decoded | null
  receivedAt: Date
}

/** The result of a message, and what was stored of it. */
export interface StoredResult {
  result: MessageResult
  reason: string | null
  outcome: StoredOutcome
  /** Errors to be counted, with a sentence. */
  errors: { error: ConnectionError; detail: string }[]
}

const day = 86_400_000

/** The series of devices of connections, as far as they are known. */
export interface SensorSeries extends SeriesCache {
  /** Forgets the series of devices that were uninstalled or installed since they were noted last. */
  noteRoutes(sensors: Iterable<Pick<KnownSensor, 'deviceId' | 'routeVersion'>>): void
}

export function openSensorSeries(limit = 100_000): SensorSeries {
  const cache = seriesCache(limit)
  const versions = new Map<string, string | null>()
  return {
    ...cache,
    noteRoutes: (sensors) => {
      for (const { deviceId, routeVersion } of sensors) {
        if (!deviceId || versions.get(deviceId) === routeVersion) continue
        cache.forget(deviceId)
        versions.set(deviceId, routeVersion)
        if (versions.size > limit) versions.delete(versions.keys().next().value!)
      }
    },
  }
}

/**
 * Stores messages of sensors through the same functions as messages of devices. A message of a sensor without a device
 * waits; its outcome shows what it would become. Each value is judged separately: an invalid one does not affect the
 * others.
 */
export async function storeDecodedMessages(
  tx: TenantTx,
  series: SeriesCache,
  items: readonly Decodable[],
  now: Date,
): Promise<StoredResult[]> {
  const mapped = items.map(({ sensor, message, decoded }) => mapMessage(sensor, message, decoded, +now))
  const readings = new Map<number, IncomingReadings>()
  const states: IncomingState[] = []
  const events: IncomingEvent[] = []
  const heard = new Map<string, Date>()
  const setPoints: ReportedSetPoint[] = []
  for (const [place, { sensor, message, receivedAt }] of items.entries()) {
    const { deviceId } = sensor
    if (!deviceId || sensor.refusal) continue
    const of = { deviceId, tenant: tx.tenant, receivedAt }
    const found = mapped[place]!
    if (found.readings.length) readings.set(place, { ...of, payload: found.readings as Reading[] })
    const setPoint = setPointIn(message, found, now)
    if (setPoint !== undefined) setPoints.push({ deviceId, at: timeOf(message), setPoint, receivedAt })
    const state = { ...statesOf(message, found), ...(setPoint !== undefined && { setPoint }) }
    if (Object.keys(state).length) states.push({ ...of, payload: state })
    for (const { at, event, value } of found.events)
      events.push({ ...of, payload: eventOf(deviceId, at, event, value) })
    if (message.isAvailable !== false) heard.set(deviceId, maxOf(heard.get(deviceId), receivedAt))
  }
  const judged = readings.size
    ? await ingestTelemetry(tx, [...readings.values()], series)
    : { setAside: [], unknown: [] }
  await sumUpLateDays(tx, [...readings.values()], now)
  if (states.length) await ingestStates(tx, states)
  await confirmSetPoints(tx, setPoints)
  if (events.length) await ingestEvents(tx, events)
  if (heard.size)
    await ingestLinks(
      tx,
      [...heard]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([deviceId, heardAt]) => ({ deviceId, heardAt, drops: [] })),
      now,
    )
  return items.map((item, place) => {
    const setAside = judged.setAside.filter(
      (one) =>
        one.deviceId === item.sensor.deviceId &&
        mapped[place]!.readings.some(({ ts, values }) => ts === one.at && values[one.metric] === one.value),
    )
    return storedResultOf(item, mapped[place]!, setAside)
  })
}

interface ReportedSetPoint {
  deviceId: string
  /** When the sensor sent it, in ms. */
  at: number
  setPoint: number
  receivedAt: Date
}

/** In ms: a message that is older than this when it is stored does not describe the current state. */
const presentWithin = 900_000

const timeOf = ({ measuredAt, receivedAt }: SensorMessage) => measuredAt ?? receivedAt

/**
 * The set point that a thermostat reports as its current one, in °C; entries of a stored log and late messages report
 * none.
 */
function setPointIn(message: SensorMessage, { readings }: MappedWithPaths, now: Date): number | undefined {
  if (message.kind !== 'uplink' || +now - timeOf(message) > presentWithin) return undefined
  const value = readings.findLast(({ ts, values }) => ts >= timeOf(message) && values['setPoint'] !== undefined)
    ?.values['setPoint']
  return value === undefined ? undefined : Math.round(value * 100) / 100
}

/**
 * Confirms changed set points that sensors report. The acknowledgement of a network server proves only that the sensor
 * received something.
 */
async function confirmSetPoints(tx: TenantTx, reported: readonly ReportedSetPoint[]): Promise<void> {
  if (!reported.length) return
  const deviceIds = [...new Set(reported.map(({ deviceId }) => deviceId))].toSorted()
  const commands = await unansweredCommands(tx, deviceIds, 'changeSetPoint')
  await applyCommandAnswers(
    tx,
    commands.flatMap(({ id, device_id: deviceId, args, sent_at: sentAt }) => {
      const found = reported.find(
        (one) => one.deviceId === deviceId && one.at >= +sentAt! && one.setPoint === args['setPoint'],
      )
      if (!found) return []
      return [{ commandId: id, deviceId, status: 'confirmed' as const, message: null, answeredAt: found.receivedAt }]
    }),
  )
}

const maxOf = (a: Date | undefined, b: Date) => (a && a > b ? a : b)

function statesOf(message: SensorMessage, { states }: MappedWithPaths): IncomingState['payload'] {
  return {
    ...states,
    ...(message.isAvailable !== undefined && { isAvailable: message.isAvailable }),
    ...(message.kind === 'join' && { joinedAt: new Date(message.receivedAt).toISOString() }),
  }
}

function eventOf(
  deviceId: string,
  at: number,
  event: keyof typeof sensorEvents,
  value: unknown,
): IncomingEvent['payload'] {
  const { label } = sensorEvents[event]
  // A sensor's own test result is a claim, not proof: it never becomes a test of an emergency light.
  const description =
    event === 'testResult'
      ? `${typeof value === 'boolean' ? (value ? 'Passed' : 'Failed') : String(value).slice(0, 200)} by its own report, duration not reported`
      : `${label}: ${String(value).slice(0, 200)}`
  return {
    eventId: idOf(JSON.stringify([deviceId, event, at, value])),
    start: at,
    end: at,
    severity: event === 'alarm' ? 'High' : 'Low',
    category: label,
    description,
  }
}

/** The same id for the same event, so that a replayed log adds none. */
const idOf = (event: string) =>
  createHash('sha256')
    .update(event)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')

/** Days that are closed for other devices are summed up again: sensors replay their logs for up to 90 days. */
async function sumUpLateDays(tx: TenantTx, messages: readonly IncomingReadings[], now: Date): Promise<void> {
  const closed = +closedBefore(now)
  const late = messages.filter(({ payload }) => payload.some(({ ts }) => ts < closed))
  if (!late.length) return
  const days = late.flatMap(({ payload }) =>
    payload.flatMap(({ ts }) => (ts < closed ? [Math.floor(ts / day) * day] : [])),
  )
  await sumUpDaysAgain(
    tx,
    [...new Set(late.map(({ deviceId }) => deviceId))],
    [...new Set(days)].toSorted((a, b) => a - b),
  )
}

function storedResultOf(
  { sensor, message, decoded }: Decodable,
  mapped: MappedWithPaths,
  setAside: readonly { metric: string; value: number; at: number; reason: BadMessageReason }[],
): StoredResult {
  const rejected = [
    ...mapped.rejected.map(({ path, value, text }) => ({ path, value, text, metric: mapped.paths.get(path) ?? null })),
    ...setAside.map(({ metric, value, reason }) => ({
      ...{ path: pathOf(mapped, metric), value, metric, text: wordOf(reason) },
    })),
  ]
  const readings = mapped.readings.flatMap(({ ts, values }) =>
    Object.entries(values).flatMap(([metric, value]) =>
      setAside.some((one) => one.metric === metric && one.at === ts && one.value === value)
        ? []
        : [{ path: pathOf(mapped, metric), metric, value, at: ts }],
    ),
  )
  const outcome: StoredOutcome = { readings, rejected, unused: mapped.unused }
  const name = sensor.name ?? sensor.deviceKey
  const errors = [
    ...mapped.rejected.map(({ path, value, reason, text }) => ({
      error: reason === 'out of range' || reason === 'wrong time' ? reason : ('wrong value' as const),
      detail: `${labelOf(mapped.paths.get(path) ?? path)} ${String(value).slice(0, 40)} from ${name}. ${text}`,
    })),
    ...setAside.map(({ metric, value, reason }) => ({
      error: 'wrong value' as const,
      detail: `${labelOf(metric)} ${value} from ${name}: ${wordOf(reason)}`,
    })),
  ]
  const failure = failureOf(message, decoded)
  if (failure)
    return {
      result: 'Not decoded',
      reason: failure.detail,
      outcome,
      errors: [{ ...failure, detail: `${failure.detail} (${name})` }],
    }
  if (!sensor.deviceId)
    return { result: 'Waiting', reason: 'The sensor has not been added to a property', outcome, errors }
  if (sensor.refusal)
    return {
      result: 'Ignored',
      reason: `The device is refused: ${wordOf(sensor.refusal)}`,
      outcome: {},
      errors: [],
    }
  // Signal and battery from the envelope are stored beside the sensor's own values.
  const own = readings.filter(({ path }) => mapped.paths.has(path)).length
  const isUsed = own || mapped.events.length || Object.keys(mapped.states).length || message.kind !== 'uplink'
  if (!rejected.length)
    return { result: 'Stored', reason: isUsed ? null : 'No value of this message is used', outcome, errors }
  return { result: 'Partial', reason: `${own} of ${own + rejected.length} values stored`, outcome, errors }
}

const wordOf = (reason: BadMessageReason): string => (reason === clockNotSet ? reason : rejectionTexts[reason])

const pathOf = ({ paths }: MappedWithPaths, metric: string) =>
  [...paths].find(([, name]) => name === metric)?.[0] ?? metric

/** Label of a metric, or the name of an extra one. */
export const labelOf = (metric: string): string => (isMetricKey(metric) ? metrics[metric].label : metric)

/** The reason why an uplink was not decoded; undefined if it was, or if there was nothing to decode. */
function failureOf(
  message: SensorMessage,
  decoded: Decoded | null,
): { error: ConnectionError; detail: string } | undefined {
  if (message.kind !== 'uplink' || !decoded || decoded.samples.length || !decoded.errors.length) return undefined
  const detail = decoded.errors.join('; ').slice(0, 500)
  if (!decoded.decoder.startsWith('Codec')) return { error: 'not decoded', detail }
  return { error: /^(Stopped|Result larger)/.test(detail) ? 'codec stopped' : 'codec failed', detail }
}
