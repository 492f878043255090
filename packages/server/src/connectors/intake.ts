import { createHash } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { ConnectionError, MessageResult } from '@caretaker/rules/connections/connections.ts'
import { mostNewSensors } from '@caretaker/rules/connections/connections.ts'
import { readEnvelope } from '@caretaker/rules/connectors/envelopes.ts'
import type { Decoded, Envelope, Refusal, SensorMessage } from '@caretaker/rules/connectors/types.ts'
import { openAnnouncer } from '../changes/announce.ts'
import { changedQuietly } from '../changes/changed.ts'
import type { Context } from '../context.ts'
import { setReportingIntervals } from '../devices/report.ts'
import { blamesData, openBatch } from '../mqtt/batch.ts'
import type { Db } from '../postgres/pool.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { enter, inTenant, inTransaction } from '../postgres/tenant.ts'
import type { MessageAllowances } from './allowances.ts'
import { openMessageAllowances } from './allowances.ts'
import type { RunCodec } from './decode.ts'
import { decodeMessage } from './decode.ts'
import type { Counts, KeptMessage, SeenMessage } from './messages.ts'
import { countMessages, keepSensorMessages, keysOf, recordRefused } from './messages.ts'
import type { KnownConnection, KnownSensor, SensorUpdate } from './sensors.ts'
import {
  addSensorRows,
  countNewSensors,
  describeSensor,
  findSensors,
  holdSensors,
  isNamedByName,
  intervalsOf,
  recordSensorUpdates,
  sensorsById,
} from './sensors.ts'
import type { SensorSeries } from './store-decoded.ts'
import { openSensorSeries, storeDecodedMessages } from './store-decoded.ts'
import { storable } from './storable.ts'

/** The result of one message in a body. */
export interface Received {
  deviceKey: string
  result: MessageResult
}

export type Outcome =
  | {
      results: Received[]
      /** Entries of the body that are not messages. */
      refused?: { count: number; first: string }
    }
  | { refusal: Refusal }

/** A message that waits to be stored. */
interface Item {
  tenant: string
  connectionId: string
  sensorId: string
  message: SensorMessage
  decoded: Decoded | null
  payload: string
  receivedAt: Date
  result?: MessageResult
  done(result: MessageResult | undefined, error?: unknown): void
}

export interface ConnectorIntake {
  /**
   * How many messages each connection may send. A body counts as the messages in it: `receive` deducts those beyond the
   * first.
   */
  allowances: MessageAllowances
  /**
   * Stores the content of a body; resolves after the commit. From a retained body, only content that does not depend on
   * its arrival is stored.
   */
  receive(
    connection: KnownConnection,
    envelope: Omit<Envelope, 'now' | 'paths'> & { isRetained?: boolean },
    payload: string,
  ): Promise<Outcome>
  /** Counts a message that is not stored. */
  refuse(
    connection: Pick<KnownConnection, 'id' | 'tenant'>,
    error: ConnectionError,
    detail: string | null,
    count?: number,
  ): Promise<void>
  /** Stores the accepted messages; false if it takes longer than `patience` ms. */
  drain(patience: number): Promise<boolean>
}

/** A message that the network server repeats within this time, in ms, is the same one; a frame counter may restart. */
const sameWithin = 86_400_000
/**
 * The network server assigns a new id to a message that the sensor repeats; the sensor repeats it within this time, in
 * ms.
 */
const sentAgainWithin = 300_000

export function openConnectorIntake(
  { db, log }: Pick<Context, 'db'> & { log: FastifyBaseLogger },
  runCodec: RunCodec,
): ConnectorIntake {
  const series = openSensorSeries()
  const announcer = openAnnouncer(db, log)
  const allowances = openMessageAllowances()

  const batch = openBatch<Item>({
    write: async (items) => {
      const unplaced = await store(db, series, items)
      announcer.announce(new Set(items.map(({ tenant }) => tenant)))
      return unplaced
    },
    stored: (items) => {
      for (const { done, result } of items) done(result)
    },
    refused: ({ done }, error) => done(undefined, error),
    full: 500,
    wait: 10,
    log,
  })

  const refuse: ConnectorIntake['refuse'] = async ({ id, tenant }, error, detail, count = 1) => {
    const now = new Date()
    await inTenant(db, tenant, async (tx) => {
      await countMessages(
        tx,
        [{ connectionId: id, messages: 0, lastAt: null, errors: new Map([[error, { count, detail }]]) }],
        now,
      )
      if (error === 'invalid key') await recordRefused(tx, id, 'invalid key', null, now)
      else if (error === 'wrong shape' || error === 'not JSON') await recordRefused(tx, id, 'refused', detail, now)
      await changedQuietly(tx, 'connection', [id])
    })
    announcer.announce([tenant])
  }

  return {
    allowances,
    refuse,
    receive: async (connection, { isRetained = false, ...envelope }, payload) => {
      const receivedAt = new Date()
      const read = readEnvelope(connection.kind, {
        ...envelope,
        now: +receivedAt,
        ...(connection.paths && { paths: connection.paths }),
      })
      if ('refusal' in read) {
        await refuse(connection, read.refusal.reason === 'not JSON' ? 'not JSON' : 'wrong shape', read.refusal.text)
        return read
      }
      if (isRetained) read.messages = read.messages.filter(isTimeless)
      if (isRetained && !read.messages.length) return { results: [] }
      if (!read.messages.length) {
        await inTenant(db, connection.tenant, (tx) =>
          countMessages(
            tx,
            [{ connectionId: connection.id, messages: 1, lastAt: receivedAt, errors: new Map() }],
            receivedAt,
          ),
        )
        return { results: [] }
      }
      allowances.take(connection.id, read.messages.length - 1)
      const messages = read.messages.map(storableMessage)
      // A user who sees one sensor must not see the other sensors of the body.
      const payloads = new Map(
        messages.map((message, place) => {
          const { part } = read.messages[place]!
          return [message, part === undefined ? payload : JSON.stringify(part)] as const
        }),
      )
      const sensors = await inTenant(db, connection.tenant, (tx) => introduce(tx, connection, messages))
      const known = messages.flatMap((message) => {
        const sensor = sensors.get(message.deviceKey)
        return sensor && message.kind !== 'device-list' ? [{ message, sensor }] : []
      })
      const results = await Promise.all(
        known.map(async ({ message, sensor }): Promise<Received> => {
          const decoded = await decodeMessage(runCodec, connection.tenant, connection.kind, sensor, message)
          const { promise, resolve, reject } = Promise.withResolvers<MessageResult>()
          const add = (decoded: Decoded | null, refused: (error: unknown) => void) =>
            batch.add({
              ...{ tenant: connection.tenant, connectionId: connection.id, sensorId: sensor.id },
              ...{ message, decoded, payload: payloads.get(message)!, receivedAt },
              // If there is no error, its connection was deleted meanwhile.
              done: (result, error) => {
                if (!error) resolve(result ?? 'Ignored')
                else if (blamesData(error)) refused(error)
                else reject(error)
              },
            })
          const giveUp = () =>
            void refuse(connection, 'wrong shape', 'A message could not be stored').then(
              () => resolve('Not decoded'),
              reject,
            )
          // A message whose values cannot be stored is kept without them, so that it can be decoded again.
          add(decoded, () => (decoded ? add(notStorable, giveUp) : giveUp()))
          return { deviceKey: message.deviceKey, result: await promise }
        }),
      )
      if (known.length < messages.filter(({ kind }) => kind !== 'device-list').length)
        await refuse(
          connection,
          'too many sensors',
          `More than ${mostNewSensors} sensors wait to be added or are ignored`,
        )
      if (!read.refused) return { results }
      await refuse(connection, 'wrong shape', read.refused.first, read.refused.count)
      return { results, refused: read.refused }
    },
    drain: async (patience) => {
      const drained = await batch.drain(patience)
      await announcer.whenIdle()
      return drained
    },
  }
}

/** Whether a message means the same whenever it arrives: a broker sends a retained one again to each new subscriber. */
const isTimeless = ({ kind, measuredAt }: SensorMessage) =>
  kind === 'device-list' || (kind === 'uplink' && measuredAt !== undefined)

const notStorable: Decoded = {
  ...{ decoder: 'None', samples: [], warnings: [] },
  errors: ['The decoded values could not be stored'],
}

/** Maximum characters of the texts that describe a sensor; maker and model are indexed. */
const longest = { name: 200, maker: 60, model: 60 }

/** A copy that the database can hold. */
function storableMessage({ bytes, part: _, ...message }: SensorMessage): SensorMessage {
  const cut = { ...message }
  for (const field of ['name', 'maker', 'model'] as const)
    if (cut[field] !== undefined) cut[field] = cut[field].slice(0, longest[field]).trim()
  return { ...storable(cut), ...(bytes && { bytes }) }
}

/**
 * The sensors of these messages; those that the connection does not have yet are added as long as there is room for
 * them.
 */
async function introduce(
  tx: TenantTx,
  connection: KnownConnection,
  messages: readonly SensorMessage[],
): Promise<Map<string, KnownSensor>> {
  const keys = [
    ...new Set(
      messages.flatMap(({ deviceKey, name, kind }) =>
        kind === 'device-list' && name ? [deviceKey, name] : [deviceKey],
      ),
    ),
  ]
  let found = await findSensors(tx, connection, keys)
  const isKnown = (message: SensorMessage) =>
    found.has(message.deviceKey) ||
    (message.kind === 'device-list' && message.name !== undefined && found.has(message.name))
  const unknown = [
    ...new Map(messages.flatMap((one) => (isKnown(one) ? [] : [[one.deviceKey, one] as const]))).values(),
  ]
  if (unknown.length) {
    const room = mostNewSensors - (await countNewSensors(tx))
    await addSensorRows(tx, connection.id, unknown.slice(0, Math.max(0, room)))
    found = await findSensors(tx, connection, keys)
    await changedQuietly(tx, 'connection', [connection.id])
  }
  const described = new Map(messages.map((message) => [message.deviceKey, message]))
  let isChanged = false
  for (const [key, message] of described) {
    const isNamed = isNamedByName(connection) && message.name !== undefined
    const sensor = found.get(key) ?? (isNamed ? found.get(message.name!) : undefined)
    if (sensor) isChanged = (await describeSensor(tx, sensor, message)) || isChanged
  }
  return isChanged ? findSensors(tx, connection, keys) : found
}

/** Whether two messages with one key are the same one. */
function isSame(before: SeenMessage, { receivedAt, deduplicationId }: SensorMessage): boolean {
  const isOther =
    before.deduplicationId !== undefined && deduplicationId !== undefined && before.deduplicationId !== deduplicationId
  return Math.abs(before.at - receivedAt) < (isOther ? sentAgainWithin : sameWithin)
}

/** Identifies a repeated message: the network server's own id, and the frame counter with the payload. */
export function onceKeysOf({
  kind,
  deduplicationId,
  sequence,
  session,
  measuredAt,
  bytes,
  object,
}: SensorMessage): string[] {
  if (kind !== 'uplink') return deduplicationId === undefined ? [] : [`d:${kind}:${deduplicationId}`]
  const content = createHash('sha256')
    .update(bytes ?? JSON.stringify(object ?? null))
    .digest('base64url')
    .slice(0, 22)
  return [
    ...(deduplicationId === undefined ? [] : [`d:${deduplicationId}`]),
    ...(sequence === undefined ? [] : [`f:${session ?? ''}:${sequence}:${measuredAt ?? ''}:${content}`]),
    ...(sequence === undefined && deduplicationId === undefined && measuredAt !== undefined
      ? [`t:${measuredAt}:${content}`]
      : []),
  ]
}

/** Writes messages, each tenant in one part of the transaction. Resolves with those whose sensor is gone. */
async function store(db: Db, series: SensorSeries, items: readonly Item[]): Promise<Item[]> {
  const byTenant = [...Map.groupBy(items, ({ tenant }) => tenant)].sort(([a], [b]) => (a < b ? -1 : 1))
  return inTransaction(db, async (transaction) => {
    const gone: Item[] = []
    for (const [tenant, of] of byTenant)
      gone.push(...(await storeOfTenant(await enter(transaction, tenant), series, of)))
    return gone
  })
}

async function storeOfTenant(tx: TenantTx, series: SensorSeries, items: readonly Item[]): Promise<Item[]> {
  const now = new Date()
  const ids = [...new Set(items.map(({ sensorId }) => sensorId))].toSorted()
  await holdSensors(tx, ids)
  const sensors = new Map((await sensorsById(tx, ids)).map((sensor) => [sensor.id, sensor]))
  series.noteRoutes(sensors.values())
  const keys = new Map(items.map((item) => [item, onceKeysOf(item.message)]))
  const seen = await keysOf(tx, ids, [...keys.values()].flat())
  const kept: KeptMessage[] = []
  const fresh: Item[] = []
  const gone: Item[] = []
  const counts = openCounts()
  for (const item of items) {
    const { message, payload, receivedAt, connectionId, sensorId } = item
    const sensor = sensors.get(sensorId)
    if (!sensor) {
      gone.push(item)
      continue
    }
    counts.add(item)
    const own = keys.get(item)!
    const isRepeated = own.some((key) => {
      const before = seen.get(`${sensorId} ${key}`)
      return before !== undefined && isSame(before, message)
    })
    for (const key of own)
      seen.set(`${sensorId} ${key}`, { at: message.receivedAt, deduplicationId: message.deduplicationId })
    if (sensor.isIgnored) item.result = 'Ignored'
    else if (isRepeated) {
      item.result = 'Duplicate'
      const reason = 'The message was received before'
      kept.push({
        ...{ sensorId, connectionId, receivedAt, message, payload, reason },
        ...{ result: 'Duplicate', onceKeys: [], decoded: null, outcome: {} },
      })
    } else fresh.push(item)
  }
  const results = await storeDecodedMessages(
    tx,
    series,
    fresh.map(({ sensorId, message, decoded, receivedAt }) => ({
      sensor: sensors.get(sensorId)!,
      message,
      decoded,
      receivedAt,
    })),
    now,
  )
  for (const [place, { result, reason, outcome, errors }] of results.entries()) {
    const item = fresh[place]!
    const { sensorId, connectionId, receivedAt, message, payload, decoded } = item
    item.result = result
    for (const { error, detail } of errors) counts.addError(connectionId, error, detail)
    kept.push({
      ...{ sensorId, connectionId, receivedAt, message, payload, decoded, result, reason, outcome },
      onceKeys: keys.get(item)!,
    })
  }
  await keepSensorMessages(tx, kept)
  await recordSensorUpdates(tx, sensorUpdatesOf(fresh))
  await setReportingIntervals(tx, await intervalsOf(tx, ids))
  await countMessages(tx, counts.all(), now)
  await changedQuietly(tx, 'connection', new Set(items.map(({ connectionId }) => connectionId)))
  return gone
}

function sensorUpdatesOf(items: readonly Item[]): SensorUpdate[] {
  return [...Map.groupBy(items, ({ sensorId }) => sensorId)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, of]) => {
      const last = of.at(-1)!
      const decoded = of.findLast(({ decoded }) => decoded?.samples.length)?.decoded
      const newest = decoded?.samples.toSorted((a, b) => (a.measuredAt ?? Infinity) - (b.measuredAt ?? Infinity)).at(-1)
      return { id, count: of.length, lastAt: last.receivedAt, radio: last.message.radio, values: newest?.values }
    })
}

function openCounts() {
  const all = new Map<string, Counts>()
  const of = (connectionId: string) => {
    const found = all.get(connectionId) ?? { connectionId, messages: 0, lastAt: null, errors: new Map() }
    all.set(connectionId, found)
    return found
  }
  return {
    add: ({ connectionId, receivedAt }: Item) => {
      const counts = of(connectionId)
      counts.messages++
      counts.lastAt = receivedAt
    },
    addError: (connectionId: string, error: ConnectionError, detail: string) => {
      const { errors } = of(connectionId)
      errors.set(error, { count: (errors.get(error)?.count ?? 0) + 1, detail: detail.slice(0, 500) })
    },
    all: () => [...all.values()],
  }
}
