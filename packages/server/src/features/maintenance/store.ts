import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { FormEntry, RepairForm } from '@caretaker/contract/maintenance.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { LightParts } from '@caretaker/rules/maintenance/forms.ts'
import type { ReplacedPart } from '@caretaker/rules/maintenance/repairs.ts'
import { changed } from '../../changes/changed.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { visible } from '../devices/visible.ts'

/** Maximum number of entries in an answer, for one device and for all devices together. */
const mostOfDevice = 500
const mostInAll = 1_000

interface Author {
  id: string
  name: string
}

interface NewRepairForm {
  deviceId: string
  at: Date
  part: 'equipment' | 'device'
  parts: LightParts
  description: string
  repairedBy: string
  repairedOn: string
  repairedTime?: string | undefined
  batteryFittedOn?: string | undefined
  replaced?: readonly ReplacedPart[] | undefined
  requestId?: string | undefined
  person: Author
}

/** Stores a repair form; returns its id. */
export async function addRepairForm(tx: TenantTx, form: NewRepairForm): Promise<string> {
  const id = randomUUID()
  await tx
    .insertInto('repair_form')
    .values({
      tenant_id: tx.tenant,
      id,
      device_id: form.deviceId,
      at: form.at,
      part: form.part,
      parts: JSON.stringify(form.parts),
      description: form.description,
      repaired_by: form.repairedBy,
      repaired_on: form.repairedOn,
      repaired_time: form.repairedTime ?? null,
      battery_fitted_on: form.batteryFittedOn ?? null,
      replaced: form.replaced?.length ? JSON.stringify(form.replaced) : null,
      request_id: form.requestId ?? null,
      person_id: form.person.id,
      person_name: form.person.name,
    })
    .execute()
  await changed(tx, 'device forms', [form.deviceId])
  return id
}

/** The device of a repair that was recorded under an id chosen by its caller. */
export async function findRequested(
  tx: TenantTx,
  requestId: string,
): Promise<{ repairId: string; deviceId: string } | undefined> {
  return tx
    .selectFrom('repair_form')
    .select(['id as repairId', 'device_id as deviceId'])
    .where('tenant_id', '=', tx.tenant)
    .where('request_id', '=', requestId)
    .executeTakeFirst()
}

/** The photograph of a repair that was added under an id chosen by its caller. */
export async function findRequestedPhoto(
  tx: TenantTx,
  { repairId, requestId }: { repairId: string; requestId: string },
): Promise<string | undefined> {
  const photo = await tx
    .selectFrom('repair_photo')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('request_id', '=', requestId)
    .where('repair_id', '=', repairId)
    .executeTakeFirst()
  return photo?.id
}

/** Stores a note of a device; returns it as API calls show it. */
export async function addNote(
  tx: TenantTx,
  { deviceId, note, person }: { deviceId: string; note: string; person: Author },
): Promise<FormEntry> {
  const entry = { id: randomUUID(), device_id: deviceId, at: new Date(), note, person_name: person.name }
  await tx
    .insertInto('device_note')
    .values({ ...entry, tenant_id: tx.tenant, person_id: person.id })
    .execute()
  await changed(tx, 'device forms', [deviceId])
  return asNote(entry)
}

const asNote = (row: { id: string; note: string; person_name: string; at: Date }): FormEntry => ({
  id: row.id,
  category: 'Note',
  description: row.note,
  data: {},
  user: row.person_name,
  timestamp: row.at.toISOString(),
})

/** The number of photographs of a device's repair, locked against additions; undefined if there is no such repair. */
export async function holdRepair(tx: TenantTx, deviceId: string, repairId: string): Promise<number | undefined> {
  const repair = await tx
    .selectFrom('repair_form')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .where('id', '=', repairId)
    .executeTakeFirst()
  if (!repair) return undefined
  const { count } = await tx
    .selectFrom('repair_photo')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('tenant_id', '=', tx.tenant)
    .where('repair_id', '=', repairId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

interface NewPhoto {
  deviceId: string
  repairId: string
  requestId?: string | undefined
  file: { id: string; name: string }
}

export async function addPhoto(tx: TenantTx, { deviceId, repairId, requestId, file }: NewPhoto): Promise<string> {
  const id = randomUUID()
  await tx
    .insertInto('repair_photo')
    .values({
      ...{ tenant_id: tx.tenant, id, repair_id: repairId, file_id: file.id, name: file.name, added_at: new Date() },
      request_id: requestId ?? null,
    })
    .execute()
  await changed(tx, 'device forms', [deviceId])
  return id
}

export async function findPhoto(
  tx: TenantTx,
  { deviceId, repairId, photoId }: { deviceId: string; repairId: string; photoId: string },
): Promise<{ fileId: string; name: string } | undefined> {
  return tx
    .selectFrom('repair_photo')
    .innerJoin('repair_form', (join) =>
      join.on('repair_form.tenant_id', '=', tx.tenant).onRef('repair_form.id', '=', 'repair_photo.repair_id'),
    )
    .select(['repair_photo.file_id as fileId', 'repair_photo.name'])
    .where('repair_photo.tenant_id', '=', tx.tenant)
    .where('repair_photo.id', '=', photoId)
    .where('repair_photo.repair_id', '=', repairId)
    .where('repair_form.device_id', '=', deviceId)
    .executeTakeFirst()
}

/** The notes of a device, newest first. */
export async function readNotes(tx: TenantTx, deviceId: string): Promise<FormEntry[]> {
  const rows = await tx
    .selectFrom('device_note')
    .select(['id', 'note', 'person_name', 'at'])
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .orderBy('at', 'desc')
    .orderBy('id')
    .limit(mostOfDevice)
    .execute()
  return rows.map(asNote)
}

/** The repairs of a device, newest first. */
export async function readRepairs(tx: TenantTx, actor: Actor, deviceId: string): Promise<RepairForm[]> {
  const rows = await repairs(tx, actor).where('repair_form.device_id', '=', deviceId).limit(mostOfDevice).execute()
  return rows.map(asRepair)
}

interface Wanted {
  products: readonly Product[]
  /** Only entries written before it. */
  before?: Date | undefined
}

/** The repairs of these products that the actor may see, newest first. */
export async function readRepairsOf(tx: TenantTx, actor: Actor, { products, before }: Wanted): Promise<RepairForm[]> {
  const rows = await repairs(tx, actor)
    // The list may be empty.
    .where(sql<boolean>`device.product = any(${[...products]}::text[])`)
    .$if(before !== undefined, (query) => query.where('repair_form.at', '<', before!))
    .limit(mostInAll)
    .execute()
  return rows.map(asRepair)
}

const photos = (tx: TenantTx) => sql<{ photoId: string; name: string }[]>`coalesce((
  select jsonb_agg(jsonb_build_object('photoId', photo.id, 'name', photo.name) order by photo.added_at, photo.id)
  from repair_photo as photo
  where photo.tenant_id = ${tx.tenant} and photo.repair_id = repair_form.id), '[]')`

const repairs = (tx: TenantTx, actor: Actor) =>
  visible(tx.selectFrom('device'), actor)
    .innerJoin('repair_form', (join) =>
      join.on('repair_form.tenant_id', '=', tx.tenant).onRef('repair_form.device_id', '=', 'device.id'),
    )
    .select([
      'repair_form.id',
      'repair_form.at',
      'repair_form.part',
      'repair_form.parts',
      'repair_form.description',
      'repair_form.repaired_by',
      'repair_form.repaired_on',
      'repair_form.repaired_time',
      'repair_form.battery_fitted_on',
      'repair_form.replaced',
      'repair_form.person_name',
      'device.id as device_id',
      'device.serial',
      'device.name',
      'device.product',
      photos(tx).as('photos'),
    ])
    .orderBy('repair_form.at', 'desc')
    .orderBy('repair_form.id')

type RepairRow = Awaited<ReturnType<ReturnType<typeof repairs>['execute']>>[number]

const asRepair = (row: RepairRow): RepairForm => ({
  id: row.id,
  category: 'Repair',
  description: row.description,
  data: { ...row.parts } as Record<string, boolean>,
  user: row.person_name,
  timestamp: row.at.toISOString(),
  deviceId: row.device_id,
  serialNumber: row.serial,
  deviceName: row.name,
  productId: row.product,
  part: row.part,
  repairedBy: row.repaired_by,
  repairedOn: row.repaired_on,
  repairedTime: row.repaired_time,
  batteryFittedOn: row.battery_fitted_on,
  replaced: row.replaced ?? [],
  photos: row.photos,
})

/** Deletes the repair forms and notes of uninstalled devices. */
export async function deleteMaintenanceOf(tx: TenantTx, deviceIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('repair_form')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${deviceIds}::uuid[])`)
    .execute()
  await tx
    .deleteFrom('device_note')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${deviceIds}::uuid[])`)
    .execute()
}
