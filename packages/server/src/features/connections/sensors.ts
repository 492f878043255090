import { randomUUID } from 'node:crypto'
import type { NewSensor } from '@caretaker/contract/connections.ts'
import { Refusal, refuse } from '@caretaker/contract/refusal.ts'
import { mostNewSensors } from '@caretaker/rules/connections/connections.ts'
import { deviceKeyOf } from '@caretaker/rules/connectors/values.ts'
import { listingOf } from '@caretaker/rules/devices/list.ts'
import { severityOf } from '@caretaker/rules/devices/status.ts'
import { deviceTextsFault } from '@caretaker/rules/devices/texts.ts'
import type { AuditAction } from '@caretaker/rules/audit/audit.ts'
import type { Recorded } from '../../audit/audit.ts'
import { audit, auditAll } from '../../audit/audit.ts'
import { changed } from '../../changes/changed.ts'
import {
  addSensorRows,
  countNewSensors,
  findOrAddModel,
  setDevice,
  setIgnored,
  setModel,
} from '../../connectors/sensors.ts'
import { returnMessages } from '../../connectors/messages.ts'
import { storeWaitingLater } from '../../connectors/waiting.ts'
import { createDevices, removeDevices } from '../../devices/create.ts'
import { expectPlace } from '../../devices/place.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { uninstall } from '../actions/uninstall.ts'
import { begun } from '../conditions/begun.ts'
import { happened } from '../conditions/store.ts'
import { holdDevices } from '../devices/held.ts'
import { expectConnection } from './service.ts'
import { radioOf, shownValues } from './shown.ts'
import type { HeldSensor, SensorRow } from './store.ts'
import * as store from './store.ts'

interface Asking {
  tx: TenantTx
  person: Recorded
}

const product = 'ADEY'
/** Time within which adding sensors can be undone, in ms. */
const undoWithin = 3_600_000

const nameOf = ({ name, device_key }: Pick<HeldSensor, 'name' | 'device_key'>) => name ?? device_key
const subjectOf = (sensor: HeldSensor) => ({ type: 'sensor', id: sensor.id, name: nameOf(sensor) }) as const

export async function newSensors(tx: TenantTx, query: Parameters<typeof store.newSensorRows>[1]) {
  if (query.connectionId) await expectConnection(tx, query.connectionId)
  const { rows, ...page } = await store.newSensorRows(tx, query)
  return { results: rows.map(shown), ...page, ignored: await store.countIgnored(tx) }
}

const shown = (row: SensorRow): NewSensor => ({
  ...{ id: row.id, connectionId: row.connection_id, connectionName: row.connection_name, deviceKey: row.device_key },
  ...{ name: row.name, maker: row.maker, model: row.model, modelId: row.model_id },
  lastValues: shownValues(row.last_values, row.mapping, row.units ?? {}),
  ...{ radio: radioOf(row.radio), messages: row.messages },
  firstMessageAt: row.first_message_at?.toISOString() ?? null,
  lastMessageAt: row.last_message_at?.toISOString() ?? null,
  isIgnored: row.ignored_at !== null,
})

/** The sensors with these ids, locked; refuses with not found if one does not exist. */
async function holdSensorRows(tx: TenantTx, ids: readonly string[]): Promise<Map<string, HeldSensor>> {
  const rows = new Map((await store.heldSensorRows(tx, ids)).map((row) => [row.id, row]))
  if (!ids.every((id) => rows.has(id))) throw refuse('not found')
  return rows
}

async function recordAll(
  { tx, person }: Asking,
  action: AuditAction,
  sensors: readonly HeldSensor[],
  after: Record<string, unknown> | null = null,
): Promise<void> {
  await auditAll(
    tx,
    person,
    action,
    sensors.map((sensor) => ({ subject: subjectOf(sensor), before: null, after })),
  )
  await changed(tx, 'connection', new Set(sensors.map(({ connection_id }) => connection_id)))
}

interface Chosen {
  sensorId: string
  room: string
  name?: string | undefined
}
export interface Added {
  sensorId: string
  deviceId: string
  serialNumber: string
}

/** Adds new sensors to a property: each becomes a device. Their waiting messages are stored after the commit. */
export async function addSensors(
  asking: Asking,
  propertyId: string,
  chosen: readonly Chosen[],
  now: Date,
): Promise<Added[]> {
  const { tx } = asking
  const ids = chosen.map(({ sensorId }) => sensorId)
  if (new Set(ids).size < ids.length) throw refuse('invalid', 'A sensor is chosen twice.')
  const sensors = await holdSensorRows(tx, ids)
  for (const sensor of sensors.values()) {
    if (sensor.device_id) throw refuse('conflict', `${nameOf(sensor)} has already been added.`)
    if (!sensor.model_id) throw refuse('conflict', `Choose the model of ${nameOf(sensor)} first.`)
  }
  const added = await addTo(
    asking,
    chosen.map((one) => ({ ...one, propertyId, sensor: sensors.get(one.sensorId)! })),
    now,
  )
  await storeWaitingLater(tx, now)
  return added
}

type Placed = Chosen & { propertyId: string; sensor: HeldSensor }

async function addTo(asking: Asking, placed: readonly Placed[], now: Date): Promise<Added[]> {
  const { tx, person } = asking
  const places = new Map<string, { buildingId: string | null; floorId: string | null; reference: string }>()
  for (const propertyId of new Set(placed.map((one) => one.propertyId))) {
    const { property } = await expectPlace(tx, { property_id: propertyId, building_id: null, floor_id: null }).catch(
      (error: unknown) => {
        throw error instanceof Refusal ? refuse('not found') : error
      },
    )
    places.set(propertyId, {
      buildingId: property!.building_id,
      floorId: property!.floor_id,
      reference: property!.reference,
    })
  }
  const serials = await freeSerials(
    tx,
    placed.map(({ sensor }) => sensor.device_key),
  )
  const added: Added[] = []
  for (const [at, { sensor, room, name: given, propertyId }] of placed.entries()) {
    const serial = serials[at]!
    const place = places.get(propertyId)!
    const model = [sensor.maker, sensor.model].filter(Boolean).join(' ')
    const name = given || sensor.name || model || sensor.device_key
    const tooLong = deviceTextsFault([serial, name, room])
    if (tooLong) throw refuse('invalid', tooLong, [{ field: 'sensors', message: tooLong }])
    const deviceId = randomUUID()
    const created = await createDevices(tx, person, [
      {
        ...{ deviceId, serial, after: { model, property: place.reference, room } },
        row: {
          ...{ serial, product, name, room, listing: listingOf(product) ?? null },
          // Initial values; the event below sets both.
          ...{ status: 'Ok', severity: severityOf('Ok') },
          ...{ property_id: propertyId, building_id: place.buildingId, floor_id: place.floorId },
          reported: JSON.stringify({
            ...(sensor.maker && { maker: sensor.maker }),
            ...(sensor.model && { model: sensor.model }),
          }),
        },
      },
    ])
    if (!created.size) throw refuse('conflict', `The serial number ${serial} is already in use.`)
    await happened(
      tx,
      begun('Installed', product, person).map((occurrence) => ({ deviceId, occurrence })),
    )
    await setDevice(tx, sensor.id, deviceId, now)
    added.push({ sensorId: sensor.id, deviceId, serialNumber: serial })
  }
  await recordAll(
    asking,
    'sensor added',
    placed.map(({ sensor }) => sensor),
    { properties: [...places.values()].map(({ reference }) => reference) },
  )
  return added
}

/** A serial number for each key: the same key may occur on two connections. */
async function freeSerials(tx: TenantTx, keys: readonly string[]): Promise<string[]> {
  const base = keys.map((key) => `${product}-${key.slice(0, 90)}`)
  const candidates = base.flatMap((serial) => [serial, ...Array.from({ length: 9 }, (_, at) => `${serial}-${at + 2}`)])
  const taken = await store.serialsTaken(tx, candidates)
  return base.map((serial) => {
    const free = candidates.find((one) => (one === serial || one.startsWith(`${serial}-`)) && !taken.has(one))
    if (!free) throw refuse('conflict', `The serial number ${serial} is already in use.`)
    taken.add(free)
    return free
  })
}

/** Makes sensors that were added within the last hour new sensors again; their devices and readings are removed. */
export async function undoAddSensors(asking: Asking, ids: readonly string[], now: Date): Promise<number> {
  const { tx, person } = asking
  const sensors = [...(await holdSensorRows(tx, ids)).values()].filter(({ device_id: id }) => id !== null)
  for (const sensor of sensors)
    if (!sensor.added_at || +now - +sensor.added_at > undoWithin)
      throw refuse('conflict', `${nameOf(sensor)} was added more than an hour ago. Uninstall its device instead.`)
  if (!sensors.length) return 0
  const deviceIds = sensors.map(({ device_id: id }) => id!)
  const held = [...(await holdDevices(tx, deviceIds)).values()]
  for (const { id } of sensors) await setDevice(tx, id, null, null)
  await returnMessages(
    tx,
    sensors.map(({ id }) => id),
  )
  await uninstall(tx, person, held)
  await removeDevices(
    tx,
    person,
    held.map(({ deviceId, serial }) => ({ deviceId, serial, before: { status: 'Inventory' } })),
  )
  await recordAll(asking, 'sensor adding undone', sensors)
  return sensors.length
}

export async function ignoreSensors(asking: Asking, ids: readonly string[], now: Date): Promise<number> {
  const sensors = [...(await holdSensorRows(asking.tx, ids)).values()]
  const added = sensors.find(({ device_id: id }) => id !== null)
  if (added) throw refuse('conflict', `${nameOf(added)} has already been added.`)
  const shownOnes = sensors.filter(({ ignored_at: at }) => at === null)
  if (!shownOnes.length) return 0
  await setIgnored(
    asking.tx,
    shownOnes.map(({ id }) => id),
    now,
  )
  await recordAll(asking, 'sensor ignored', shownOnes)
  return shownOnes.length
}

export async function restoreSensors(asking: Asking, ids: readonly string[]): Promise<number> {
  const ignored = [...(await holdSensorRows(asking.tx, ids)).values()].filter(({ ignored_at: at }) => at !== null)
  if (!ignored.length) return 0
  await setIgnored(
    asking.tx,
    ignored.map(({ id }) => id),
    null,
  )
  await recordAll(asking, 'sensor restored', ignored)
  return ignored.length
}

export async function chooseModel(
  asking: Asking,
  ids: readonly string[],
  maker: string,
  model: string,
): Promise<string> {
  const sensors = [...(await holdSensorRows(asking.tx, ids)).values()]
  const modelId = await findOrAddModel(asking.tx, maker, model)
  await setModel(asking.tx, ids, { maker, model, modelId })
  await recordAll(asking, 'sensor model chosen', sensors, { maker, model })
  return modelId
}

interface Listed {
  deviceKey: string
  maker: string
  model: string
  propertyReference: string
  room: string
  name?: string | undefined
}

/** Adds the sensors of a list to their properties, whether or not they have sent a message yet. */
export async function importSensors(
  asking: Asking,
  connectionId: string,
  listed: readonly Listed[],
  now: Date,
): Promise<Added[]> {
  const { tx, person } = asking
  const connection = await expectConnection(tx, connectionId, 'hold')
  const rows = listed.map((row) => ({ ...row, deviceKey: deviceKeyOf(row.deviceKey) ?? row.deviceKey }))
  const properties = await store.propertiesByReference(
    tx,
    rows.map(({ propertyReference }) => propertyReference),
  )
  const keys = rows.map(({ deviceKey }) => deviceKey)
  const known = await store.sensorIdsByKey(tx, connectionId, keys)
  const faults = rows.flatMap(({ deviceKey, propertyReference }, at) => {
    const field = `sensors.${at}`
    if (keys.indexOf(deviceKey) !== at)
      return [{ field: `${field}.deviceKey`, message: `${deviceKey} is listed twice.` }]
    if (known.get(deviceKey)?.device_id)
      return [{ field: `${field}.deviceKey`, message: `${deviceKey} has already been added.` }]
    if (!properties.has(propertyReference.toLowerCase()))
      return [{ field: `${field}.propertyReference`, message: `There is no property ${propertyReference}.` }]
    return []
  })
  if (faults.length) throw refuse('invalid', faults[0]!.message, faults)
  const missing = rows.filter(({ deviceKey }) => !known.has(deviceKey))
  if ((await countNewSensors(tx)) + missing.length > mostNewSensors)
    throw refuse('conflict', `More than ${mostNewSensors} sensors would wait to be added.`)
  await addSensorRows(tx, connectionId, missing)
  const ids = await store.sensorIdsByKey(tx, connectionId, keys)
  for (const { deviceKey, maker, model } of rows) {
    const modelId = await findOrAddModel(tx, maker, model)
    await setModel(tx, [ids.get(deviceKey)!.id], { maker, model, modelId })
  }
  const sensors = await holdSensorRows(
    tx,
    [...ids.values()].map(({ id }) => id),
  )
  const added = await addTo(
    asking,
    rows.map(({ deviceKey, propertyReference, room, name }) => ({
      ...{ sensorId: ids.get(deviceKey)!.id, room, name, propertyId: properties.get(propertyReference.toLowerCase())! },
      sensor: sensors.get(ids.get(deviceKey)!.id)!,
    })),
    now,
  )
  await storeWaitingLater(tx, now)
  const subject = { type: 'connection', id: connection.id, name: connection.name } as const
  await audit(tx, { person, action: 'connection changed', subject, after: { sensorsImported: added.length } })
  return added
}
