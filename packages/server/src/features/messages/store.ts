import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { furthestAhead } from '@caretaker/rules/calendar/device-clock.ts'
import type { DeviceMessage } from '@caretaker/contract/messages.ts'
import type { UpChannel } from '@caretaker/contract/mqtt/topics.ts'
import type { FoundChange } from '../../changes/feed.ts'
import { makeDueSeldom } from '../../postgres/due.ts'
import { newRows } from '../../postgres/new-rows.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { Range } from '../telemetry/points.ts'
import { readPoints } from '../telemetry/points.ts'

/** How long messages are kept, in ms: developers look at the last days of a device. */
export const messagesKeptFor = 7 * 86_400_000
/** Bytes kept of one message; a three-hour test with a voltage each minute takes half of it. */
const payloadKept = 16_384

/** A message that was processed, as it arrived. */
export interface TakenMessage {
  deviceId: string
  at: Date
  channel: Exclude<UpChannel, 'telemetry'>
  raw: Buffer
  /** For a state: the former values of the fields that it changed. */
  was?: Record<string, unknown> | undefined
}

/**
 * Messages and bytes kept per device and day, so that it cannot fill the table. Further ones are processed, but not
 * shown.
 */
const keptADay = { messages: 10_000, bytes: 8 * 1024 * 1024 }

/** Whether one more message of a device may be kept today, as far as this process knows. */
export function dayAllowance(most = keptADay, now = Date.now): (deviceId: string, bytes: number) => boolean {
  let today = 0
  let kept = new Map<string, { messages: number; bytes: number }>()
  return (deviceId, bytes) => {
    const day = Math.floor(now() / 86_400_000)
    if (day !== today) [today, kept] = [day, new Map()]
    const sum = kept.get(deviceId) ?? { messages: 0, bytes: 0 }
    if (sum.messages >= most.messages || sum.bytes + bytes > most.bytes) return false
    kept.set(deviceId, { messages: sum.messages + 1, bytes: sum.bytes + bytes })
    return true
  }
}
const mayKeep = dayAllowance()

const rememberToForget = makeDueSeldom('forget messages', { after: messagesKeptFor, knownFor: 3_600_000 })

/** Stores messages of devices in the caller's transaction, in one statement. Readings are stored only as readings. */
export async function keepMessages(tx: TenantTx, taken: readonly TakenMessage[]): Promise<void> {
  const messages = taken.filter(({ deviceId, raw }) => mayKeep(deviceId, Math.min(raw.length, payloadKept)))
  if (!messages.length) return
  const column = <T>(of: (message: TakenMessage) => T) => messages.map(of)
  const rows = sql`
    insert into device_message (tenant_id, device_id, at, id, channel, payload, bytes, was)
    select ${tx.tenant}, input.device_id, input.at, input.id, input.channel, input.payload, input.bytes, input.was
    from unnest(
      ${column(({ deviceId }) => deviceId)}::uuid[], ${column(({ at }) => at.toISOString())}::timestamptz[],
      ${column(() => randomUUID())}::uuid[], ${column(({ channel }) => channel)}::text[],
      ${column(({ raw }) => raw.subarray(0, payloadKept).toString().replaceAll('\0', '').toWellFormed())}::text[],
      ${column(({ raw }) => raw.length)}::integer[], ${column(({ was }) => (was ? JSON.stringify(was) : null))}::jsonb[]
    ) as input (device_id, at, id, channel, payload, bytes, was)`
  await newRows(rows).execute(tx)
  await rememberToForget(tx)
}

/** A message as it is stored in one of several tables. */
export interface StoredMessage {
  id: string
  at: Date
  /** The last part of the topic. */
  channel: string
  payload: string
  bytes: number
  was?: Record<string, unknown> | null
  refused?: NonNullable<DeviceMessage['refused']>
}

export interface Span {
  deviceId: string
  /** The start, and the exclusive end. */
  from: Date
  to: Date
  /** The newest of each table. */
  limit: number
}

/** The messages of a device within a span, received and sent, from all tables; newest first per table, not merged. */
export async function readMessages(tx: TenantTx, span: Span): Promise<StoredMessage[]> {
  return [
    ...(await readReadings(tx, span)),
    ...(await readTaken(tx, span)),
    ...(await readRefused(tx, span)),
    ...(await readCommands(tx, span)),
  ]
}

/**
 * New messages of a span since a time: readings by their time of measurement, as the feed reports, others by the time
 * of receipt or sending.
 */
export async function readNewMessages(
  tx: TenantTx,
  span: Span,
  since: number,
  changes: readonly Pick<FoundChange, 'first' | 'last'>[],
): Promise<StoredMessage[]> {
  const times = joined(
    changes.flatMap(({ first, last }) => (first === null || last === null ? [] : [{ from: first, to: last + 1 }])),
  )
  const of = ({ from, to }: { from: number; to: number }): Span => ({
    ...span,
    from: new Date(Math.max(+span.from, from)),
    to: new Date(Math.min(+span.to, to)),
  })
  const found: StoredMessage[] = []
  for (const time of times) {
    const measured = of(time)
    if (measured.from < measured.to) found.push(...(await readReadings(tx, measured)))
  }
  const recent = of({ from: since, to: Infinity })
  return [
    ...found,
    ...(await readTaken(tx, recent)),
    ...(await readRefused(tx, recent)),
    ...(await readCommands(tx, recent)),
  ]
}

/** Merges spans that touch or overlap, in order. */
function joined(spans: readonly { from: number; to: number }[]): { from: number; to: number }[] {
  const all: { from: number; to: number }[] = []
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else all.push({ from, to })
  }
  return all
}

/** Readings of one time form one message, put together from where they are stored. */
async function readReadings(tx: TenantTx, { deviceId, from, to, limit }: Span): Promise<StoredMessage[]> {
  const times = await readTimes(tx, deviceId, { from, to: new Date(to.getTime() - 1) })
  return [...times]
    .sort(([one], [other]) => other - one)
    .slice(0, limit)
    .map(([at, values]) => {
      const payload = JSON.stringify({ ts: at, values: Object.fromEntries(values) })
      return { id: `telemetry-${at}`, at: new Date(at), channel: 'telemetry', payload, bytes: payload.length }
    })
}

/** The readings of a device, by time in ms, both ends included. */
async function readTimes(tx: TenantTx, deviceId: string, range: Range): Promise<Map<number, [string, number][]>> {
  const series = await tx
    .selectFrom('series')
    .select(['id', 'metric'])
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .orderBy('metric')
    .execute()
  const ids = series.map(({ id }) => id)
  const points = await readPoints(tx, ids, range)
  const times = new Map<number, [string, number][]>()
  for (const { id, metric } of series) {
    const { dates, values } = points.get(id)?.() ?? { dates: [], values: [] }
    for (let place = 0; place < dates.length; place++) {
      const known = times.get(dates[place]!)
      if (known) known.push([metric, values[place]!])
      else times.set(dates[place]!, [[metric, values[place]!]])
    }
  }
  return times
}

async function readTaken(tx: TenantTx, { deviceId, from, to, limit }: Span): Promise<StoredMessage[]> {
  return tx
    .selectFrom('device_message')
    .select(['id', 'at', 'channel', 'payload', 'bytes', 'was'])
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .where('at', '>=', from)
    .where('at', '<', to)
    .orderBy('at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
}

async function readRefused(tx: TenantTx, { deviceId, from, to, limit }: Span): Promise<StoredMessage[]> {
  const rows = await tx
    .selectFrom('bad_message')
    .select(['id', 'at', 'channel', 'payload', 'reason', 'detail', 'parts', 'is_partial'])
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .where('at', '>=', from)
    .where('at', '<', to)
    .orderBy('at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ reason, detail, parts, is_partial: isPartial, ...message }) => ({
    ...message,
    bytes: Buffer.byteLength(message.payload),
    refused: { reason, detail, parts, isPartial },
  }))
}

/** Commands as they were sent, once each, at the first time. */
async function readCommands(tx: TenantTx, { deviceId, from, to, limit }: Span): Promise<StoredMessage[]> {
  const rows = await tx
    .selectFrom('command')
    .select(['id', 'sent_at', 'name', 'args', 'expires_at'])
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .where('sent_at', '>=', from)
    .where('sent_at', '<', to)
    .orderBy('sent_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id, sent_at, name, args, expires_at }) => {
    const payload = JSON.stringify({ commandId: id, name, args, expiresAt: expires_at.getTime() })
    return { id, at: sent_at!, channel: 'commands', payload, bytes: payload.length }
  })
}

/** The names of commands of a device by their ids. */
export async function commandNamesOf(
  tx: TenantTx,
  deviceId: string,
  ids: readonly string[],
): Promise<Record<string, string>> {
  if (!ids.length) return {}
  const rows = await tx
    .selectFrom('command')
    .select(['id', 'name'])
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .execute()
  return Object.fromEntries(rows.map(({ id, name }) => [id, name]))
}

/** The serial number of the module that sends for a device without a key of its own. */
export async function moduleSendingFor(tx: TenantTx, deviceId: string): Promise<string | null> {
  if (await hasOwnKey(tx, deviceId)) return null
  const row = await tx
    .selectFrom('device')
    .innerJoin('device as parent', (join) =>
      join.on('parent.tenant_id', '=', tx.tenant).onRef('parent.id', '=', 'device.parent_id'),
    )
    .select('parent.serial')
    .where('device.tenant_id', '=', tx.tenant)
    .where('device.id', '=', deviceId)
    .executeTakeFirst()
  return row?.serial ?? null
}

/** Whether a device has credentials of its own. */
export async function hasOwnKey(tx: TenantTx, deviceId: string): Promise<boolean> {
  const route = await tx
    .selectFrom('device_route')
    .select(sql<boolean>`key_hash is not null`.as('own'))
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .executeTakeFirst()
  return route?.own ?? false
}

/** How many messages a device has sent since a time; readings with the same time count as one. */
export async function countSince(tx: TenantTx, deviceId: string, since: Date): Promise<number> {
  const readings = await readTimes(tx, deviceId, { from: since, to: new Date(Date.now() + furthestAhead) })
  const { others } = await tx
    .selectFrom('device_message')
    .select(sql<number>`count(*)::int`.as('others'))
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .where('at', '>=', since)
    .executeTakeFirstOrThrow()
  return readings.size + others
}

/** Deletes the messages of uninstalled devices. */
export async function deleteMessagesOf(tx: TenantTx, deviceIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('device_message')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${deviceIds}::uuid[])`)
    .execute()
}
