import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { ConnectionError, MessageResult } from '@caretaker/rules/connections/connections.ts'
import { sensorsPerPage } from '@caretaker/rules/connections/connections.ts'
import type { MappingRow } from '@caretaker/rules/connectors/types.ts'
import { downlinkTokenOwner } from '../../connectors/downlinks.ts'
import type { Reseal } from '../../idp/renew-keys.ts'
import type { Database } from '../../postgres/database.ts'
import { naturally } from '../../postgres/natural-order.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

export type ConnectionRow = Omit<Selectable<Database['connection']>, 'tenant_id'>

const columns = [
  ...(['id', 'kind', 'transport', 'name', 'key_ending', 'key_created_at', 'paused_at', 'paused_reason'] as const),
  ...(['paths', 'broker', 'broker_secrets', 'downlink', 'downlink_token', 'created_at', 'created_by'] as const),
] as const

export async function connectionRows(tx: TenantTx): Promise<ConnectionRow[]> {
  return tx
    .selectFrom('connection')
    .select(columns)
    .where('tenant_id', '=', tx.tenant)
    .orderBy(naturally(sql`name`))
    .orderBy('id')
    .execute()
}

export async function findRow(tx: TenantTx, id: string, hold?: 'hold'): Promise<ConnectionRow | undefined> {
  const query = tx.selectFrom('connection').select(columns).where('tenant_id', '=', tx.tenant).where('id', '=', id)
  return (hold ? query.forNoKeyUpdate() : query).executeTakeFirst()
}

/** Locks the client's connections, so that two simultaneous additions cannot exceed the limit. */
export async function holdConnections(tx: TenantTx): Promise<void> {
  await tx.selectFrom('tenant').select('id').where('id', '=', tx.tenant).forNoKeyUpdate().executeTakeFirst()
}

export async function insertConnection(tx: TenantTx, row: ConnectionRow, keyHash: Buffer | null): Promise<void> {
  const { paths, broker, broker_secrets, downlink, ...rest } = row
  await tx
    .insertInto('connection')
    .values({
      ...{ tenant_id: tx.tenant, ...rest, paths: paths && JSON.stringify(paths) },
      ...{ broker: broker && JSON.stringify(broker), broker_secrets: broker_secrets && JSON.stringify(broker_secrets) },
      downlink: downlink && JSON.stringify(downlink),
    })
    .execute()
  await tx
    .insertInto('connection_route')
    .values({ connection_id: row.id, tenant_id: tx.tenant, key_hash: keyHash })
    .execute()
}

export async function updateConnection(tx: TenantTx, id: string, to: Partial<ConnectionRow>): Promise<void> {
  const { paths, broker, broker_secrets, downlink, ...rest } = to
  await tx
    .updateTable('connection')
    .set({
      ...rest,
      ...(paths !== undefined && { paths: paths && JSON.stringify(paths) }),
      ...(broker !== undefined && { broker: broker && JSON.stringify(broker) }),
      ...(broker_secrets !== undefined && { broker_secrets: broker_secrets && JSON.stringify(broker_secrets) }),
      ...(downlink !== undefined && { downlink: downlink && JSON.stringify(downlink) }),
    })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .execute()
}

export async function setKeyHash(tx: TenantTx, id: string, hash: Buffer): Promise<void> {
  await tx
    .updateTable('connection_route')
    .set({ key_hash: hash })
    .where('tenant_id', '=', tx.tenant)
    .where('connection_id', '=', id)
    .execute()
}

export async function deleteConnection(tx: TenantTx, id: string): Promise<void> {
  await tx.deleteFrom('connection_route').where('tenant_id', '=', tx.tenant).where('connection_id', '=', id).execute()
  await tx.deleteFrom('connection').where('tenant_id', '=', tx.tenant).where('id', '=', id).execute()
}

export interface HourRow {
  connection_id: string
  hour: Date
  error: ConnectionError | ''
  count: number
  last_at: Date
  detail: string | null
}

export async function hourRows(tx: TenantTx, ids: readonly string[], since: Date): Promise<HourRow[]> {
  return tx
    .selectFrom('connection_hour')
    .select(['connection_id', 'hour', 'error', 'count', 'last_at', 'detail'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`connection_id = any(${ids}::uuid[])`)
    .where('hour', '>=', since)
    .orderBy('hour')
    .execute()
}

/** Re-encrypts the downlink tokens of all connections with another key. */
export async function resealDownlinkTokens(tx: TenantTx, reseal: Reseal): Promise<void> {
  const rows = await tx
    .selectFrom('connection')
    .select(['id', 'downlink_token'])
    .where('tenant_id', '=', tx.tenant)
    .where('downlink_token', 'is not', null)
    .forUpdate()
    .execute()
  for (const { id, downlink_token: stored } of rows)
    await updateConnection(tx, id, {
      downlink_token: reseal(downlinkTokenOwner({ tenant: tx.tenant, id }), stored!),
    })
}

export async function activityRows(tx: TenantTx, ids: readonly string[]) {
  return tx
    .selectFrom('connection_activity')
    .selectAll()
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`connection_id = any(${ids}::uuid[])`)
    .execute()
}

export interface SensorCounts {
  connection_id: string
  /** The shortest usual interval among sensors that sent within a day of the connection's last message, in seconds. */
  shortest_interval: number | null
  sensors: number
  new_sensors: number
}

export async function sensorCounts(tx: TenantTx, ids: readonly string[]): Promise<SensorCounts[]> {
  const { rows } = await sql<SensorCounts>`
    select sensor.connection_id, count(device_id)::integer as sensors,
      (count(*) filter (where device_id is null and ignored_at is null))::integer as new_sensors,
      min(sensor.usual_interval) filter (where sensor.last_message_at > activity.last_message_at - interval '1 day')
        as shortest_interval
    from sensor
    left join connection_activity as activity on activity.tenant_id = ${tx.tenant}
      and activity.connection_id = sensor.connection_id
    where sensor.tenant_id = ${tx.tenant} and sensor.connection_id = any(${ids}::uuid[])
    group by sensor.connection_id`.execute(tx)
  return rows
}

export async function notDecodedCounts(tx: TenantTx, ids: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; count: number }>`
    select connection_id as id, count(*)::integer as count from sensor_message
    where tenant_id = ${tx.tenant} and connection_id = any(${ids}::uuid[]) and result = 'Not decoded'
    group by connection_id`.execute(tx)
  return new Map(rows.map(({ id, count }) => [id, count]))
}

const messageColumns = sql`
  message.id, message.received_at, message.connection_id, connection.name as connection_name, sensor.device_key,
  sensor.device_id, device.name as device_name, device.access_rights_tag_id, message.kind, message.result, message.reason,
  message.message, message.bytes, message.decoded, message.outcome, message.payload`

export interface MessageRow extends Pick<
  Selectable<Database['sensor_message']>,
  | 'id'
  | 'received_at'
  | 'connection_id'
  | 'kind'
  | 'result'
  | 'reason'
  | 'message'
  | 'bytes'
  | 'decoded'
  | 'outcome'
  | 'payload'
> {
  connection_name: string
  device_key: string
  device_id: string | null
  device_name: string | null
}

export interface MessageFilter {
  result?: MessageResult | undefined
  rejected?: boolean | undefined
  search?: string | undefined
  after?: string | undefined
}

const pageSize = 50
const isRejected = sql`jsonb_array_length(coalesce(message.outcome -> 'rejected', '[]')) > 0`
const like = (search: string) => `%${search.replaceAll(/[\\%_]/g, (found) => `\\${found}`)}%`

/** A page of messages of a connection or of a device's sensor, newest first. */
export async function messagePage(
  tx: TenantTx,
  of: { connectionId: string } | { deviceId: string },
  { result, rejected, search, after }: MessageFilter,
): Promise<{ rows: MessageRow[]; next: string | null; withRejected: number }> {
  const whose =
    'connectionId' in of
      ? sql`message.connection_id = ${of.connectionId}`
      : sql`message.sensor_id in (select id from sensor where tenant_id = ${tx.tenant} and device_id = ${of.deviceId})`
  const [ms, ...id] = after?.split('-') ?? []
  const words = search ? like(search) : undefined
  const { rows } = await sql<MessageRow>`
    select ${messageColumns} from sensor_message as message
    join sensor on sensor.tenant_id = ${tx.tenant} and sensor.id = message.sensor_id
    join connection on connection.tenant_id = ${tx.tenant} and connection.id = message.connection_id
    left join device on device.tenant_id = ${tx.tenant} and device.id = sensor.device_id
    where message.tenant_id = ${tx.tenant} and ${whose}
      ${result ? sql`and message.result = ${result}` : sql``}
      ${rejected ? sql`and ${isRejected}` : sql``}
      ${
        words
          ? sql`and (sensor.device_key ilike ${words} or message.reason ilike ${words} or device.name ilike ${words}
              or message.decoded ->> 'decoder' ilike ${words} or message.message ->> 'sequence' ilike ${words})`
          : sql``
      }
      ${after ? sql`and (message.received_at, message.id) < (${new Date(Number(ms))}::timestamptz, ${id.join('-')}::uuid)` : sql``}
    order by message.received_at desc, message.id desc limit ${pageSize + 1}`.execute(tx)
  const { rows: counted } = await sql<{ count: number }>`
    select count(*)::integer as count from sensor_message as message
    where message.tenant_id = ${tx.tenant} and ${whose} and ${isRejected}`.execute(tx)
  const page = rows.slice(0, pageSize)
  const last = page.at(-1)
  return {
    rows: page,
    next: rows.length > pageSize && last ? `${+last.received_at}-${last.id}` : null,
    withRejected: counted[0]!.count,
  }
}

/** The newest message since a time from one of a connection's sensors. */
export async function messageSince(tx: TenantTx, connectionId: string, since: Date) {
  return tx
    .selectFrom('sensor_message as message')
    .innerJoin('sensor', (join) =>
      join.on('sensor.tenant_id', '=', tx.tenant).onRef('sensor.id', '=', 'message.sensor_id'),
    )
    .select([
      'message.received_at',
      'sensor.device_key',
      'sensor.maker',
      'sensor.model',
      'message.outcome',
      'message.decoded',
    ])
    .where('message.tenant_id', '=', tx.tenant)
    .where('message.connection_id', '=', connectionId)
    .where('message.received_at', '>=', since)
    .orderBy('message.received_at')
    .limit(1)
    .executeTakeFirst()
}

export interface SensorRow extends Pick<
  Selectable<Database['sensor']>,
  | 'id'
  | 'connection_id'
  | 'device_key'
  | 'name'
  | 'maker'
  | 'model'
  | 'model_id'
  | 'device_id'
  | 'added_at'
  | 'ignored_at'
  | 'first_message_at'
  | 'last_message_at'
  | 'messages'
  | 'radio'
  | 'last_values'
> {
  connection_name: string
  mapping: MappingRow[] | null
  /** Units of the last values, as far as their decoder knows them. */
  units: Record<string, string> | null
}

/** A page of the sensors without a device, newest message first. */
export async function newSensorRows(
  tx: TenantTx,
  { ignored, connectionId, after }: NewSensorsQuery,
): Promise<{ rows: SensorRow[]; next: string | null; total: number }> {
  const whose = sql`sensor.tenant_id = ${tx.tenant} and sensor.device_id is null
      ${ignored ? sql`` : sql`and sensor.ignored_at is null`}
      ${connectionId ? sql`and sensor.connection_id = ${connectionId}` : sql``}`
  const end = after && endOf(after)
  const at = sql`coalesce(sensor.last_message_at, to_timestamp(0))`
  const { rows } = await sql<SensorRow>`
    select sensor.*, connection.name as connection_name, mapping.rows as mapping, last.units from sensor
    join connection on connection.tenant_id = ${tx.tenant} and connection.id = sensor.connection_id
    left join lateral (
      select rows from sensor_mapping where tenant_id = ${tx.tenant} and model_id = sensor.model_id
      order by version desc limit 1) as mapping on true
    left join lateral (
      select decoded -> 'units' as units from sensor_message
      where tenant_id = ${tx.tenant} and sensor_id = sensor.id and jsonb_array_length(decoded -> 'samples') > 0
      order by received_at desc limit 1) as last on true
    where ${whose}
      ${end ? sql`and (${at} < ${end.at} or (${at} = ${end.at} and sensor.id > ${end.id}::uuid))` : sql``}
    order by ${at} desc, sensor.id limit ${sensorsPerPage + 1}`.execute(tx)
  const counted = await sql<{ count: number }>`
    select count(*)::integer as count from sensor where ${whose}`.execute(tx)
  const page = rows.slice(0, sensorsPerPage)
  const last = page.at(-1)
  return {
    rows: page,
    next: rows.length > sensorsPerPage && last ? `${+(last.last_message_at ?? 0)}-${last.id}` : null,
    total: counted.rows[0]!.count,
  }
}

interface NewSensorsQuery {
  ignored: boolean
  connectionId?: string | undefined
  after?: string | undefined
}

/** The end of a page, from its text. */
export function endOf(after: string): { at: Date; id: string } {
  const dash = after.indexOf('-')
  return { at: new Date(Number(after.slice(0, dash))), id: after.slice(dash + 1) }
}

export async function countIgnored(tx: TenantTx): Promise<number> {
  const { count } = await tx
    .selectFrom('sensor')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', 'is', null)
    .where('ignored_at', 'is not', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Sensors by their ids, locked in the order of the ids. */
export async function heldSensorRows(tx: TenantTx, ids: readonly string[]) {
  return tx
    .selectFrom('sensor')
    .select(['id', 'connection_id', 'device_key', 'name', 'maker', 'model', 'model_id', 'device_id', 'added_at'])
    .select('ignored_at')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}
export type HeldSensor = Awaited<ReturnType<typeof heldSensorRows>>[number]

/** Ids of the sensors of a connection by key. */
export async function sensorIdsByKey(tx: TenantTx, connectionId: string, keys: readonly string[]) {
  const rows = await tx
    .selectFrom('sensor')
    .select(['id', 'device_key', 'device_id'])
    .where('tenant_id', '=', tx.tenant)
    .where('connection_id', '=', connectionId)
    .where(sql<boolean>`device_key = any(${keys}::text[])`)
    .execute()
  return new Map(rows.map((row) => [row.device_key, row]))
}

export async function propertiesByReference(tx: TenantTx, references: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx
    .selectFrom('property')
    .select(['id', 'reference'])
    .where('tenant_id', '=', tx.tenant)
    .where('archived_at', 'is', null)
    .where(sql<boolean>`lower(reference) = any(${references.map((one) => one.toLowerCase())}::text[])`)
    .execute()
  return new Map(rows.map(({ id, reference }) => [reference.toLowerCase(), id]))
}

export async function serialsTaken(tx: TenantTx, serials: readonly string[]): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('device')
    .select('serial')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`serial = any(${serials}::text[])`)
    .execute()
  return new Set(rows.map(({ serial }) => serial))
}

export async function modelOfDevice(tx: TenantTx, deviceId: string): Promise<string | null> {
  const row = await tx
    .selectFrom('sensor')
    .select('model_id')
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .executeTakeFirst()
  return row?.model_id ?? null
}
