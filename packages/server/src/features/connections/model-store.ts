import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { ConnectionKind, Decoded, DecodedValue, MappingRow } from '@caretaker/rules/connectors/types.ts'
import type { Database } from '../../postgres/database.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

export interface ModelRow {
  id: string
  maker: string
  model: string
  active_codec: number | null
  sensors: number
  new_sensors: number
  connections: { id: string; name: string }[]
  mapping: MappingRow[] | null
  last_values: Record<string, DecodedValue> | null
  /** Units of the last decoded values, as far as their decoder knows them. */
  last_units: Record<string, string> | null
  last_message_at: Date | null
  decoder: string | null
  not_decoded: number
}

/** The client's models with data about their sensors, or only the one with this id. */
export async function modelRows(tx: TenantTx, id?: string): Promise<ModelRow[]> {
  const { rows } = await sql<ModelRow>`
    select model.id, model.maker, model.model, model.active_codec, mapping.rows as mapping,
      coalesce(totals.sensors, 0) as sensors, coalesce(totals.new_sensors, 0) as new_sensors,
      coalesce(totals.connections, '[]') as connections, totals.last_message_at, newest.last_values,
      last.decoder, last.units as last_units, coalesce(waiting.count, 0) as not_decoded
    from sensor_model as model
    left join lateral (
      select rows from sensor_mapping where tenant_id = ${tx.tenant} and model_id = model.id
      order by version desc limit 1) as mapping on true
    left join lateral (
      select count(sensor.device_id)::integer as sensors,
        (count(*) filter (where sensor.device_id is null and sensor.ignored_at is null))::integer as new_sensors,
        jsonb_agg(distinct jsonb_build_object('id', connection.id, 'name', connection.name)) as connections,
        max(sensor.last_message_at) as last_message_at
      from sensor join connection on connection.tenant_id = ${tx.tenant} and connection.id = sensor.connection_id
      where sensor.tenant_id = ${tx.tenant} and sensor.model_id = model.id having count(*) > 0) as totals on true
    left join lateral (
      select last_values from sensor where tenant_id = ${tx.tenant} and model_id = model.id
      order by last_message_at desc nulls last limit 1) as newest on true
    left join lateral (
      select message.decoded ->> 'decoder' as decoder, message.decoded -> 'units' as units from sensor
      join sensor_message as message on message.tenant_id = ${tx.tenant} and message.sensor_id = sensor.id
      where sensor.tenant_id = ${tx.tenant} and sensor.model_id = model.id and message.decoded is not null
      order by message.received_at desc limit 1) as last on true
    left join lateral (
      select count(*)::integer as count from sensor
      join sensor_message as message on message.tenant_id = ${tx.tenant} and message.sensor_id = sensor.id
      where sensor.tenant_id = ${tx.tenant} and sensor.model_id = model.id and message.result = 'Not decoded') as waiting on true
    where model.tenant_id = ${tx.tenant} ${id === undefined ? sql`` : sql`and model.id = ${id}`}
    order by lower(model.maker), lower(model.model), model.id`.execute(tx)
  return rows
}

export async function holdModel(tx: TenantTx, id: string): Promise<void> {
  await tx
    .selectFrom('sensor_model')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** Saved mappings of a model, newest first. */
export async function mappingRows(tx: TenantTx, modelId: string, limit: number) {
  return tx
    .selectFrom('sensor_mapping')
    .select(['version', 'rows', 'saved_at', 'saved_by'])
    .where('tenant_id', '=', tx.tenant)
    .where('model_id', '=', modelId)
    .orderBy('version', 'desc')
    .limit(limit)
    .execute()
}

export async function insertMapping(
  tx: TenantTx,
  modelId: string,
  { version, rows, savedAt, savedBy }: { version: number; rows: readonly MappingRow[]; savedAt: Date; savedBy: string },
): Promise<void> {
  await tx
    .insertInto('sensor_mapping')
    .values({
      ...{ tenant_id: tx.tenant, model_id: modelId, version, rows: JSON.stringify(rows) },
      ...{ saved_at: savedAt, saved_by: savedBy },
    })
    .execute()
}

/** The last decoded message of a model. */
export async function lastDecoded(tx: TenantTx, modelId: string) {
  const { rows } = await sql<{ received_at: Date; device_key: string; device_name: string | null; decoded: Decoded }>`
    select message.received_at, sensor.device_key, device.name as device_name, message.decoded from sensor
    join sensor_message as message on message.tenant_id = ${tx.tenant} and message.sensor_id = sensor.id
    left join device on device.tenant_id = ${tx.tenant} and device.id = sensor.device_id
    where sensor.tenant_id = ${tx.tenant} and sensor.model_id = ${modelId}
      and message.decoded is not null and jsonb_array_length(message.decoded -> 'samples') > 0
    order by message.received_at desc limit 1`.execute(tx)
  return rows[0] ?? null
}

export type CodecRow = Omit<Selectable<Database['sensor_codec']>, 'tenant_id' | 'model_id'>

/** The versions of a codec, newest first. */
export async function codecRows(tx: TenantTx, modelId: string): Promise<CodecRow[]> {
  return tx
    .selectFrom('sensor_codec')
    .select(['version', 'source', 'saved_at', 'saved_by', 'tried_at', 'activated_at', 'activated_by'])
    .where('tenant_id', '=', tx.tenant)
    .where('model_id', '=', modelId)
    .orderBy('version', 'desc')
    .limit(100)
    .execute()
}

export async function insertCodec(tx: TenantTx, modelId: string, row: CodecRow): Promise<void> {
  await tx
    .insertInto('sensor_codec')
    .values({ tenant_id: tx.tenant, model_id: modelId, ...row })
    .execute()
}

export async function updateCodec(
  tx: TenantTx,
  modelId: string,
  version: number,
  to: Partial<CodecRow>,
): Promise<void> {
  await tx
    .updateTable('sensor_codec')
    .set(to)
    .where('tenant_id', '=', tx.tenant)
    .where('model_id', '=', modelId)
    .where('version', '=', version)
    .execute()
}

/** The newest kept uplinks of a model that have bytes. */
export async function lastUplinks(tx: TenantTx, modelId: string, limit: number) {
  return tx
    .selectFrom('sensor_message as message')
    .innerJoin('sensor', (join) =>
      join.on('sensor.tenant_id', '=', tx.tenant).onRef('sensor.id', '=', 'message.sensor_id'),
    )
    .select([
      'message.id',
      'message.received_at',
      'message.message',
      'message.bytes',
      'message.decoded',
      'sensor.device_key',
    ])
    .where('message.tenant_id', '=', tx.tenant)
    .where('sensor.model_id', '=', modelId)
    .where('message.kind', '=', 'uplink')
    .where('message.result', '<>', 'Duplicate')
    .where('message.bytes', 'is not', null)
    .orderBy('message.received_at', 'desc')
    .limit(limit)
    .execute()
}

export interface ModelSensorRow {
  id: string
  connection_id: string
  connection_name: string
  device_key: string
  name: string | null
  device_id: string | null
  device_name: string | null
  property_reference: string | null
  messages: number
  last_message_at: Date | null
  is_ignored: boolean
}

/** A model's sensors in the order of their keys, starting after a given one. */
export async function sensorRowsOfModel(
  tx: TenantTx,
  modelId: string,
  after: string | undefined,
  limit: number,
): Promise<ModelSensorRow[]> {
  const { rows } = await sql<ModelSensorRow>`
    select sensor.id, sensor.connection_id, connection.name as connection_name, sensor.device_key, sensor.name, sensor.device_id,
      device.name as device_name, property.reference as property_reference, sensor.messages, sensor.last_message_at,
      sensor.ignored_at is not null as is_ignored
    from sensor
    join connection on connection.tenant_id = ${tx.tenant} and connection.id = sensor.connection_id
    left join device on device.tenant_id = ${tx.tenant} and device.id = sensor.device_id
    left join property on property.tenant_id = ${tx.tenant} and property.id = device.property_id
    where sensor.tenant_id = ${tx.tenant} and sensor.model_id = ${modelId}
      ${
        after
          ? sql`and (sensor.device_key, sensor.id) > (
              select device_key, id from sensor as last where last.tenant_id = ${tx.tenant} and last.id = ${after}::uuid)`
          : sql``
      }
    order by sensor.device_key, sensor.id limit ${limit}`.execute(tx)
  return rows
}

export async function sensorIdsOfModel(tx: TenantTx, modelId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('sensor')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('model_id', '=', modelId)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

export async function kindsOfSensors(tx: TenantTx, sensorIds: readonly string[]): Promise<Map<string, ConnectionKind>> {
  const { rows } = await sql<{ id: string; kind: ConnectionKind }>`
    select sensor.id, connection.kind from sensor
    join connection on connection.tenant_id = ${tx.tenant} and connection.id = sensor.connection_id
    where sensor.tenant_id = ${tx.tenant} and sensor.id = any(${sensorIds}::uuid[])`.execute(tx)
  return new Map(rows.map(({ id, kind }) => [id, kind]))
}
