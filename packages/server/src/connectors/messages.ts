import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { ConnectionError, MessageResult } from '@caretaker/rules/connections/connections.ts'
import { keptMessages } from '@caretaker/rules/connections/connections.ts'
import type { StoredMessage, StoredOutcome } from '@caretaker/rules/connections/stored.ts'
import type { Decoded, SensorMessage } from '@caretaker/rules/connectors/types.ts'
import { makeDueSeldom } from '../postgres/due.ts'
import type { TenantTx } from '../postgres/tenant.ts'

/** A message with its result, as it is kept. */
export interface KeptMessage {
  sensorId: string
  connectionId: string
  receivedAt: Date
  message: SensorMessage
  result: MessageResult
  reason: string | null
  onceKeys: readonly string[]
  decoded: Decoded | null
  outcome: StoredOutcome
  payload: string
}

/** Bytes of the whole message that are kept. */
const payloadKept = 16_384

/** Makes the deletion of old messages due, but seldom, because there are many messages. */
const makeForgettingDue = makeDueSeldom('forget sensor messages', { after: 86_400_000, knownFor: 3_600_000 })

export async function keepSensorMessages(tx: TenantTx, messages: readonly KeptMessage[]): Promise<void> {
  if (!messages.length) return
  await tx
    .insertInto('sensor_message')
    .values(
      messages.map(({ message: { bytes, ...message }, decoded, outcome, payload, onceKeys, ...row }) => ({
        ...{ tenant_id: tx.tenant, id: randomUUID(), sensor_id: row.sensorId, connection_id: row.connectionId },
        ...{ received_at: row.receivedAt, kind: message.kind, result: row.result, reason: row.reason },
        ...{ once_keys: [...onceKeys], message: JSON.stringify(message satisfies StoredMessage) },
        ...{ bytes: bytes ? Buffer.from(bytes) : null, decoded: decoded && JSON.stringify(decoded) },
        ...{ outcome: JSON.stringify(outcome), payload: payload.slice(0, payloadKept) },
      })),
    )
    .execute()
  await forgetBeyond(tx, [...new Set(messages.map(({ sensorId }) => sensorId))])
  await makeForgettingDue(tx)
}

/** Keeps the newest messages of each of these sensors. */
async function forgetBeyond(tx: TenantTx, sensorIds: readonly string[]): Promise<void> {
  await sql`
    delete from sensor_message using unnest(${sensorIds}::uuid[]) as wanted (id) cross join lateral (
      select received_at from sensor_message as kept
      where kept.tenant_id = ${tx.tenant} and kept.sensor_id = wanted.id
      order by received_at desc offset ${keptMessages - 1} limit 1) as oldest
    where sensor_message.tenant_id = ${tx.tenant} and sensor_message.sensor_id = wanted.id
      and sensor_message.received_at < oldest.received_at`.execute(tx)
}

/** The part of an earlier message by which a repetition is recognised. */
export interface SeenMessage {
  /** The network server's time, in ms. */
  at: number
  deduplicationId: string | undefined
}

/** The keys that each sensor's stored messages already have. */
export async function keysOf(
  tx: TenantTx,
  sensorIds: readonly string[],
  keys: readonly string[],
): Promise<Map<string, SeenMessage>> {
  if (!keys.length) return new Map()
  const { rows } = await sql<{ sensorId: string; keys: string[]; at: number; deduplicationId: string | null }>`
    select sensor_id as "sensorId", once_keys as keys, (message ->> 'receivedAt')::float8 as at,
      message ->> 'deduplicationId' as "deduplicationId" from sensor_message
    where tenant_id = ${tx.tenant} and sensor_id = any(${sensorIds}::uuid[]) and once_keys && ${keys}::text[]
    order by received_at`.execute(tx)
  return new Map(
    rows.flatMap(({ sensorId, keys: found, at, deduplicationId }) =>
      found.map((key) => [`${sensorId} ${key}`, { at, deduplicationId: deduplicationId ?? undefined }] as const),
    ),
  )
}

/** A waiting message: its sensor had not been added yet, or it could not be decoded. */
export interface WaitingMessage {
  id: string
  sensorId: string
  receivedAt: Date
  message: SensorMessage
  decoded: Decoded | null
}

/** Kept messages of sensors with one of these results, oldest first; `after` and `ids` limit the selection. */
export async function waitingMessages(
  tx: TenantTx,
  sensorIds: readonly string[],
  results: readonly MessageResult[],
  { limit, after, ids }: { limit: number; after?: { at: Date; id: string } | undefined; ids?: readonly string[] },
): Promise<WaitingMessage[]> {
  const rows = await tx
    .selectFrom('sensor_message')
    .select(['id', 'sensor_id', 'received_at', 'message', 'bytes', 'decoded'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`sensor_id = any(${sensorIds}::uuid[])`)
    .where('result', 'in', [...results])
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(received_at, id) > (${after!.at}, ${after!.id}::uuid)`),
    )
    .$if(ids !== undefined, (query) => query.where(sql<boolean>`id = any(${ids!}::uuid[])`))
    .orderBy('received_at')
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .execute()
  return rows.map((row) => ({
    ...{ id: row.id, sensorId: row.sensor_id, receivedAt: row.received_at, decoded: row.decoded },
    message: { ...row.message, ...(row.bytes && { bytes: new Uint8Array(row.bytes) }) },
  }))
}

/** Writes the results of kept messages. */
export async function writeMessageResults(
  tx: TenantTx,
  messages: readonly (Pick<KeptMessage, 'result' | 'reason' | 'decoded' | 'outcome'> & { id: string })[],
): Promise<void> {
  if (!messages.length) return
  await sql`
    update sensor_message set result = input.result, reason = input.reason, decoded = input.decoded, outcome = input.outcome
    from unnest(
      ${messages.map(({ id }) => id)}::uuid[], ${messages.map(({ result }) => result)}::text[],
      ${messages.map(({ reason }) => reason)}::text[],
      ${messages.map(({ decoded }) => decoded && JSON.stringify(decoded))}::jsonb[],
      ${messages.map(({ outcome }) => JSON.stringify(outcome))}::jsonb[]
    ) as input (id, result, reason, decoded, outcome)
    where sensor_message.tenant_id = ${tx.tenant} and sensor_message.id = input.id`.execute(tx)
}

/** Messages and errors of a connection to be counted. */
export interface Counts {
  connectionId: string
  messages: number
  /** When the last message arrived; null if none of them belongs to this connection. */
  lastAt: Date | null
  errors: Map<ConnectionError, { count: number; detail: string | null }>
}

export async function countMessages(tx: TenantTx, counts: readonly Counts[], now: Date): Promise<void> {
  if (!counts.length) return
  const hour = new Date(Math.floor(+now / 3_600_000) * 3_600_000)
  const inOrder = counts.toSorted((a, b) => (a.connectionId < b.connectionId ? -1 : 1))
  const rows = inOrder.flatMap(({ connectionId, messages, errors }) => [
    ...(messages ? [{ connectionId, error: '', count: messages, detail: null as string | null }] : []),
    ...[...errors]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([error, { count, detail }]) => ({ connectionId, error, count, detail })),
  ])
  if (rows.length)
    await sql`
      insert into connection_hour as known (tenant_id, connection_id, hour, error, count, last_at, detail)
      select ${tx.tenant}, input.id, ${hour}::timestamptz, error, count, ${now}::timestamptz, detail from unnest(
        ${rows.map(({ connectionId }) => connectionId)}::uuid[], ${rows.map(({ error }) => error)}::text[],
        ${rows.map(({ count }) => count)}::integer[], ${rows.map(({ detail }) => detail)}::text[]
      ) as input (id, error, count, detail)
      where exists (select from connection where tenant_id = ${tx.tenant} and connection.id = input.id)
      on conflict (tenant_id, connection_id, hour, error) do update set
        count = known.count + excluded.count, last_at = excluded.last_at,
        detail = coalesce(excluded.detail, known.detail)`.execute(tx)
  const heard = inOrder.filter(({ lastAt }) => lastAt)
  if (!heard.length) return
  await sql`
    update connection_activity as known set
      last_message_at = greatest(known.last_message_at, input.at)
    from unnest(
      ${heard.map(({ connectionId }) => connectionId)}::uuid[],
      ${heard.map(({ lastAt }) => lastAt!.toISOString())}::timestamptz[]
    ) as input (id, at)
    where known.tenant_id = ${tx.tenant} and known.connection_id = input.id`.execute(tx)
}

export async function addActivity(tx: TenantTx, connectionId: string): Promise<void> {
  await tx.insertInto('connection_activity').values({ tenant_id: tx.tenant, connection_id: connectionId }).execute()
}

/** Records that a message with an invalid key arrived, or one that could not be read; the text is the reason. */
export async function recordRefused(
  tx: TenantTx,
  connectionId: string,
  what: 'invalid key' | 'refused',
  text: string | null,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('connection_activity')
    .set(what === 'invalid key' ? { invalid_key_at: now } : { refused_at: now, refused_text: text })
    .where('tenant_id', '=', tx.tenant)
    .where('connection_id', '=', connectionId)
    .execute()
}

export async function recordBroker(
  tx: TenantTx,
  connectionId: string,
  state: { isConnected: boolean; error: string | null },
): Promise<void> {
  await tx
    .updateTable('connection_activity')
    .set({ is_connected: state.isConnected, broker_error: state.error })
    .where('tenant_id', '=', tx.tenant)
    .where('connection_id', '=', connectionId)
    .execute()
}

/** Marks the stored messages of sensors as waiting again, because their devices are removed. */
export async function returnMessages(tx: TenantTx, sensorIds: readonly string[]): Promise<void> {
  await tx
    .updateTable('sensor_message')
    .set({ result: 'Waiting', reason: null })
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`sensor_id = any(${sensorIds}::uuid[])`)
    .where('result', 'in', ['Stored', 'Partial'])
    .execute()
}
