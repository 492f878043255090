import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type {
  ConnectionKind,
  GenericPaths,
  MappingRow,
  Radio,
  SensorMessage,
} from '@caretaker/rules/connectors/types.ts'
import type { BadMessageReason } from '@caretaker/rules/devices/messages.ts'
import { admissionRefusal } from '@caretaker/rules/devices/keys.ts'
import type { TenantTx } from '../postgres/tenant.ts'

/** A connection with the data that processing its messages needs. */
export interface KnownConnection {
  id: string
  tenant: string
  kind: ConnectionKind
  name: string
  paths: GenericPaths | null
  paused: boolean
}

/** A sensor with everything that processing its messages depends on. */
export interface KnownSensor {
  id: string
  deviceKey: string
  name: string | null
  maker: string | null
  model: string | null
  modelId: string | null
  /** Chosen by a user: the model named in messages is ignored. */
  isModelChosen: boolean
  deviceId: string | null
  isIgnored: boolean
  /** Why messages of its device are not stored; undefined if they are, or without a device. */
  refusal: BadMessageReason | undefined
  /**
   * Changes when its device is uninstalled or installed again, because its series then no longer apply; null without a
   * device.
   */
  routeVersion: string | null
  /** Saved rows; null while the suggestions apply. */
  mapping: MappingRow[] | null
  codec: { version: number; source: string } | null
}

export async function findConnection(tx: TenantTx, id: string): Promise<KnownConnection | undefined> {
  const row = await tx
    .selectFrom('connection')
    .select(['id', 'kind', 'name', 'paths', 'paused_at'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .executeTakeFirst()
  return (
    row && {
      id: row.id,
      tenant: tx.tenant,
      kind: row.kind,
      name: row.name,
      paths: row.paths,
      paused: row.paused_at !== null,
    }
  )
}

const sensorColumns = sql`
  sensor.id, sensor.device_key as "deviceKey", sensor.name, sensor.maker, sensor.model, sensor.model_id as "modelId",
  sensor.is_model_chosen as "isModelChosen",
  sensor.device_id as "deviceId", sensor.ignored_at is not null as "isIgnored",
  route.uninstalled_at is not null as "isUninstalled", route.key_revoked_at is not null as "isRevoked",
  route.xmin::text as "routeVersion",
  mapping.rows as mapping, codec.version as "codecVersion", codec.source as "codecSource"`

const sensorJoins = (tx: TenantTx) => sql`
  left join device_route as route on route.tenant_id = ${tx.tenant} and route.device_id = sensor.device_id
  left join sensor_model as model on model.tenant_id = ${tx.tenant} and model.id = sensor.model_id
  left join lateral (
    select rows from sensor_mapping where tenant_id = ${tx.tenant} and model_id = model.id
    order by version desc limit 1) as mapping on true
  left join sensor_codec as codec on codec.tenant_id = ${tx.tenant} and codec.model_id = model.id
    and codec.version = model.active_codec`

type SensorRow = Omit<KnownSensor, 'refusal' | 'codec'> & {
  isUninstalled: boolean
  isRevoked: boolean
  codecVersion: number | null
  codecSource: string | null
}

function sensorOf({ isUninstalled, isRevoked, codecVersion, codecSource, ...row }: SensorRow): KnownSensor {
  return {
    ...row,
    refusal: row.deviceId
      ? admissionRefusal({ hasKey: false, isUninstalled, isRevoked, isGatewayRefused: false })
      : undefined,
    codec: codecVersion === null ? null : { version: codecVersion, source: codecSource! },
  }
}

/** Zigbee2MQTT identifies devices by their names, which are unique there. Elsewhere, names are not unique. */
export const isNamedByName = ({ kind }: Pick<KnownConnection, 'kind'>) => kind === 'zigbee2mqtt'

/** The sensors of a connection with these keys or names; Zigbee2MQTT identifies devices by name. */
export async function findSensors(
  tx: TenantTx,
  connection: Pick<KnownConnection, 'id' | 'kind'>,
  keys: readonly string[],
): Promise<Map<string, KnownSensor>> {
  const names = isNamedByName(connection) ? keys : []
  const { rows } = await sql<SensorRow>`
    select ${sensorColumns} from sensor ${sensorJoins(tx)}
    where sensor.tenant_id = ${tx.tenant} and sensor.connection_id = ${connection.id}
      and (sensor.device_key = any(${keys}::text[]) or sensor.name = any(${names}::text[]))`.execute(tx)
  const sensors = rows.map(sensorOf)
  const wanted = new Set(names)
  return new Map([
    ...sensors.flatMap((sensor) =>
      sensor.name !== null && wanted.has(sensor.name) ? [[sensor.name, sensor] as const] : [],
    ),
    ...sensors.map((sensor) => [sensor.deviceKey, sensor] as const),
  ])
}

/** Sensors by their ids, in the same form. */
export async function sensorsById(tx: TenantTx, ids: readonly string[]): Promise<KnownSensor[]> {
  const { rows } = await sql<SensorRow>`
    select ${sensorColumns} from sensor ${sensorJoins(tx)}
    where sensor.tenant_id = ${tx.tenant} and sensor.id = any(${ids}::uuid[])
    order by sensor.id`.execute(tx)
  return rows.map(sensorOf)
}

/**
 * Locks sensors in the order of their ids, so that two processes with messages of one sensor wait for each other
 * without a deadlock.
 */
export async function holdSensors(tx: TenantTx, ids: readonly string[]): Promise<void> {
  await sql`
    select from sensor where tenant_id = ${tx.tenant} and id = any(${ids}::uuid[])
    order by id for no key update`.execute(tx)
}

export async function countNewSensors(tx: TenantTx): Promise<number> {
  const { count } = await tx
    .selectFrom('sensor')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export const comparedName = (maker: string, model: string) => `${maker} ${model}`.trim().toLowerCase()

/** Finds the model with this name, or adds it. */
export async function findOrAddModel(tx: TenantTx, maker: string, model: string): Promise<string> {
  const compared = comparedName(maker, model)
  await tx
    .insertInto('sensor_model')
    .values({ tenant_id: tx.tenant, id: randomUUID(), maker, model, compared_name: compared, created_at: new Date() })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { id } = await tx
    .selectFrom('sensor_model')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('compared_name', '=', compared)
    .executeTakeFirstOrThrow()
  return id
}

/** Maximum models of a client that messages can add; users can add more. */
const mostModels = 500

/** The model that a message names; null if the limit is reached. */
async function modelOfMessage(tx: TenantTx, maker: string, model: string): Promise<string | null> {
  const { rows } = await sql<{ id: string | null; count: number }>`
    select (select id from sensor_model where tenant_id = ${tx.tenant} and compared_name = ${comparedName(maker, model)}) as id,
      (select count(*)::integer from sensor_model where tenant_id = ${tx.tenant}) as count`.execute(tx)
  const { id, count } = rows[0]!
  return id ?? (count < mostModels ? findOrAddModel(tx, maker, model) : null)
}

export async function setActiveCodec(tx: TenantTx, modelId: string, version: number | null): Promise<void> {
  await tx
    .updateTable('sensor_model')
    .set({ active_codec: version })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', modelId)
    .execute()
}

export interface NewSensorRow {
  deviceKey: string
  name?: string | undefined
  maker?: string | undefined
  model?: string | undefined
}

/** Adds sensors that the connection does not have yet. */
export async function addSensorRows(
  tx: TenantTx,
  connectionId: string,
  sensors: readonly NewSensorRow[],
): Promise<void> {
  for (const { deviceKey, name, maker, model } of sensors) {
    const modelId = model ? await modelOfMessage(tx, maker ?? '', model) : null
    await tx
      .insertInto('sensor')
      .values({
        ...{ tenant_id: tx.tenant, id: randomUUID(), connection_id: connectionId, device_key: deviceKey },
        ...{ name: name ?? null, maker: maker ?? null, model: model ?? null, model_id: modelId },
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

/** Updates a sensor with the name, key and model in a message. Resolves with whether anything changed. */
export async function describeSensor(
  tx: TenantTx,
  sensor: KnownSensor,
  { deviceKey, name, maker, model }: Pick<SensorMessage, 'deviceKey' | 'name' | 'maker' | 'model'>,
): Promise<boolean> {
  // Found by its name only: the message may be from another device that had this name before.
  if (deviceKey !== sensor.deviceKey && sensor.deviceKey !== name) return false
  const isOtherModel =
    !sensor.isModelChosen && model !== undefined && (model !== sensor.model || (maker ?? null) !== sensor.maker)
  const to = {
    ...(deviceKey !== sensor.deviceKey && sensor.deviceKey === name && { device_key: deviceKey }),
    ...(name !== undefined && name !== sensor.name && { name }),
    ...(isOtherModel && { maker: maker ?? null, model, model_id: await modelOfMessage(tx, maker ?? '', model) }),
  }
  if (!Object.keys(to).length) return false
  await tx.updateTable('sensor').set(to).where('tenant_id', '=', tx.tenant).where('id', '=', sensor.id).execute()
  return true
}

/** Values of a sensor from its newest messages. */
export interface SensorUpdate {
  id: string
  count: number
  lastAt: Date
  radio: Radio
  /** From the last decoded message; undefined if none was decoded. */
  values: Record<string, unknown> | undefined
}

/** Weight of the newest interval in the moving average of the usual interval. */
const newestGap = 0.2

/** Maximum characters of a text among a sensor's last values, which lists read for thousands of sensors. */
const longestLastText = 100

const lastValuesOf = (values: Record<string, unknown>) =>
  JSON.stringify(values, (_, value: unknown) =>
    typeof value === 'string' ? value.slice(0, longestLastText).toWellFormed() : value,
  )

export async function recordSensorUpdates(tx: TenantTx, updates: readonly SensorUpdate[]): Promise<void> {
  if (!updates.length) return
  await sql`
    update sensor set
      messages = sensor.messages + input.count,
      first_message_at = coalesce(sensor.first_message_at, input.at),
      usual_interval = case when input.at <= sensor.last_message_at or sensor.last_message_at is null then sensor.usual_interval
        else coalesce(
          sensor.usual_interval * ${1 - newestGap} + extract(epoch from input.at - sensor.last_message_at) / input.count * ${newestGap},
          extract(epoch from input.at - sensor.last_message_at) / input.count) end,
      last_message_at = greatest(sensor.last_message_at, input.at),
      radio = coalesce(input.radio, sensor.radio),
      last_values = coalesce(input.values, sensor.last_values)
    from unnest(
      ${updates.map(({ id }) => id)}::uuid[], ${updates.map(({ count }) => count)}::integer[],
      ${updates.map(({ lastAt }) => lastAt.toISOString())}::timestamptz[],
      ${updates.map(({ radio }) => (Object.keys(radio).length ? JSON.stringify(radio) : null))}::jsonb[],
      ${updates.map(({ values }) => (values ? lastValuesOf(values) : null))}::jsonb[]
    ) as input (id, count, at, radio, values)
    where sensor.tenant_id = ${tx.tenant} and sensor.id = input.id`.execute(tx)
}

export async function setDevice(
  tx: TenantTx,
  sensorId: string,
  deviceId: string | null,
  at: Date | null,
): Promise<void> {
  await tx
    .updateTable('sensor')
    .set({ device_id: deviceId, added_at: at, ignored_at: null })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', sensorId)
    .execute()
}

export async function setIgnored(tx: TenantTx, ids: readonly string[], at: Date | null): Promise<void> {
  await tx
    .updateTable('sensor')
    .set({ ignored_at: at })
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute()
}

export async function setModel(
  tx: TenantTx,
  ids: readonly string[],
  { maker, model, modelId }: { maker: string; model: string; modelId: string },
): Promise<void> {
  await tx
    .updateTable('sensor')
    .set({ maker, model, model_id: modelId, is_model_chosen: true })
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute()
}

/** Bounds of the reporting interval for detecting silence, in seconds. */
const [shortestInterval, longestInterval] = [60, 86_400]

/**
 * New reporting intervals in seconds, by device, where a sensor's usual interval differs by more than 25 % from the
 * stored one.
 */
export async function intervalsOf(tx: TenantTx, sensorIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; seconds: number }>`
    select device.id, least(greatest(sensor.usual_interval, ${shortestInterval}), ${longestInterval})::integer as seconds
    from sensor join device on device.tenant_id = ${tx.tenant} and device.id = sensor.device_id
    where sensor.tenant_id = ${tx.tenant} and sensor.id = any(${sensorIds}::uuid[]) and sensor.messages >= 3
      and abs(least(greatest(sensor.usual_interval, ${shortestInterval}), ${longestInterval}) - device.reporting_interval)
        > device.reporting_interval * 0.25`.execute(tx)
  return new Map(rows.map(({ id, seconds }) => [id, seconds]))
}
