import { randomUUID } from 'node:crypto'
import type { Insertable } from 'kysely'
import type { DecodedValue } from '@caretaker/rules/connectors/types.ts'
import { addActivity, countMessages, keepSensorMessages } from '../../connectors/messages.ts'
import { findOrAddModel } from '../../connectors/sensors.ts'
import type { Database } from '../../postgres/database.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { Furnishing } from './context.ts'
import { nextNumber, write } from './context.ts'
import { addDevice } from './devices.ts'
import type { Estate } from './estate.ts'

/** Connections with sensors, a model with mapping and codec, and messages with readings and rejected values. */
export async function furnishConnections(
  furnishing: Furnishing,
  { property }: Estate,
  { keptTag }: { keptTag: string },
) {
  const { test, tenant, accessRightsTag } = furnishing
  const sensorDevice = await addDevice(test, tenant, { product: 'ADEY', accessRightsTagId: accessRightsTag })
  await write(furnishing, async (tx) => {
    const ofDevice = { tenant_id: tenant, device_id: sensorDevice }
    await tx
      .insertInto('device_tag')
      .values({ ...ofDevice, tag_id: keptTag })
      .execute()
    const at = new Date()
    await tx
      .insertInto('refused_message')
      .values({ ...ofDevice, reason: 'too large', count: 1, first_at: at, last_at: at })
      .execute()
  })
  const connection = await write(furnishing, (tx) => addConnection(tx, furnishing))
  const model = await write(furnishing, (tx) => addModel(tx, furnishing))
  await write(furnishing, (tx) => addSensor(tx, furnishing, { connection, model, deviceId: sensorDevice }))
  await write(furnishing, (tx) => addSensor(tx, furnishing, { connection, model }))
  await write(furnishing, (tx) => addSensor(tx, furnishing, { connection, model, ignored: true }))
  const thermostat = await addDevice(test, tenant, { product: 'ADEY', accessRightsTagId: accessRightsTag })
  await write(furnishing, async (tx) => {
    const broker = await addConnection(tx, furnishing, { kind: 'zigbee2mqtt', transport: 'mqtt', paths: null })
    await addSensor(tx, furnishing, {
      ...{ connection: broker, deviceId: thermostat, lastValues: { occupied_heating_setpoint: 20 } },
    })
  })
  // Read when it is needed: other calls change it.
  const propertyReference = async () => {
    const { reference } = await write(furnishing, (tx) =>
      tx
        .selectFrom('property')
        .select('reference')
        .where('tenant_id', '=', tenant)
        .where('id', '=', property)
        .executeTakeFirstOrThrow(),
    )
    return reference
  }
  return {
    ...{ connection, propertyReference, sensorDevice, sensorModel: model, sensorThermostat: thermostat },
    newConnection: () => write(furnishing, (tx) => addConnection(tx, furnishing)),
    newSensorModel: () =>
      write(furnishing, async (tx) => {
        const fresh = await addModel(tx, furnishing)
        await addSensor(tx, furnishing, { connection, model: fresh })
        return fresh
      }),
    newSensor: (state: 'new' | 'ignored' | 'added' = 'new') =>
      newSensor(furnishing, { connection, model, ignored: state === 'ignored' }, state === 'added'),
  }
}

async function newSensor(
  furnishing: Furnishing,
  of: Omit<WantedSensor, 'deviceId'>,
  isAdded: boolean,
): Promise<string> {
  const deviceId = isAdded ? await addDevice(furnishing.test, furnishing.tenant, { product: 'ADEY' }) : undefined
  return write(furnishing, (tx) => addSensor(tx, furnishing, { ...of, deviceId }))
}

async function addConnection(
  tx: TenantTx,
  { tenant, secret }: Furnishing,
  { kind, transport, paths }: Pick<Insertable<Database['connection']>, 'kind' | 'transport' | 'paths'> = {
    ...{ kind: 'generic-json', transport: 'webhook', paths: JSON.stringify({ deviceKey: 'id' }) },
  },
): Promise<string> {
  const [id, now] = [randomUUID(), new Date()]
  await tx
    .insertInto('connection')
    .values({
      ...{ tenant_id: tenant, id, kind, transport, paths, name: `${secret} ${nextNumber()}` },
      ...{ key_ending: 'abcd', key_created_at: now, created_at: now, created_by: secret },
    })
    .execute()
  await tx
    .insertInto('connection_route')
    .values({ connection_id: id, tenant_id: tenant, key_hash: Buffer.alloc(32) })
    .execute()
  await addActivity(tx, id)
  const errors = new Map([['out of range' as const, { count: 1, detail: secret }]])
  await countMessages(tx, [{ connectionId: id, messages: 3, lastAt: now, errors }], now)
  return id
}

async function addModel(tx: TenantTx, { tenant, secret }: Furnishing): Promise<string> {
  const [id, now] = [await findOrAddModel(tx, secret, `Model ${nextNumber()}`), new Date()]
  const ours = { tenant_id: tenant, model_id: id, saved_at: now, saved_by: secret }
  const rows = JSON.stringify([{ path: 'temperature', to: 'metric', metric: 'temperature', unit: '°C', factor: 1 }])
  for (const version of [1, 2]) {
    await tx
      .insertInto('sensor_mapping')
      .values({ ...ours, version, rows })
      .execute()
    await tx
      .insertInto('sensor_codec')
      .values({
        ...{
          ...ours,
          version,
          source: `function decodeUplink() { return { data: { temperature: ${version}, extra: 1 } } }`,
        },
        ...{ tried_at: now, activated_at: now, activated_by: secret },
      })
      .execute()
  }
  await tx
    .updateTable('sensor_model')
    .set({ active_codec: 2 })
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .execute()
  return id
}

interface WantedSensor {
  connection: string
  model?: string
  deviceId?: string | undefined
  ignored?: boolean
  lastValues?: Record<string, DecodedValue>
}

async function addSensor(
  tx: TenantTx,
  { tenant, secret }: Furnishing,
  { connection, model, deviceId, ignored, lastValues = { temperature: 20, odd: 1 } }: WantedSensor,
): Promise<string> {
  const [id, now] = [randomUUID(), new Date()]
  await tx
    .insertInto('sensor')
    .values({
      ...{ tenant_id: tenant, id, connection_id: connection, device_key: `${secret} ${nextNumber()}`, name: secret },
      ...{ maker: secret, model: secret, model_id: model ?? null, is_model_chosen: true, device_id: deviceId ?? null },
      ...{
        added_at: deviceId ? now : null,
        ignored_at: ignored ? now : null,
        first_message_at: now,
        last_message_at: now,
      },
      ...{ messages: 1, last_values: JSON.stringify(lastValues) },
    })
    .execute()
  const message = {
    ...{ kind: 'uplink' as const, deviceKey: secret, receivedAt: +now, radio: { rssi: -70 }, fPort: 1, sequence: 1 },
    bytes: new Uint8Array([1, 2]),
  }
  await keepSensorMessages(tx, [
    {
      ...{
        sensorId: id,
        connectionId: connection,
        receivedAt: now,
        message,
        reason: secret,
        onceKeys: [],
        payload: secret,
      },
      result: deviceId ? 'Partial' : 'Waiting',
      decoded: {
        ...{ decoder: secret, samples: [{ values: { temperature: 20, humidity: 900, odd: 1 } }], errors: [] },
        ...{ warnings: [secret], segments: [{ start: 0, end: 1, paths: ['temperature'] }] },
      },
      outcome: {
        readings: [{ path: 'temperature', metric: 'temperature', value: 20, at: +now }],
        rejected: [{ path: 'humidity', metric: 'humidity', value: 900, text: 'Outside 0–100 %' }],
        unused: [{ path: 'odd', value: 1 }],
      },
    },
  ])
  return id
}
