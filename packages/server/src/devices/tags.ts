import { sql } from 'kysely'
import { differences } from '@caretaker/rules/audit/audit.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import type { Recorded } from '../projections/events/audit.ts'
import type { NamedDevice } from '../projections/events/devices.ts'
import { record } from '../projections/record.ts'

/** A tag on a device. */
export interface Tagging {
  deviceId: string
  tagId: string
}

/** Adds and removes tags of locked devices. Returns, by device, the tags that were actually added or removed. */
export async function changeTags(
  tx: TenantTx,
  person: Recorded,
  devices: ReadonlyMap<string, NamedDevice>,
  change: { add?: readonly Tagging[]; remove?: readonly Tagging[] },
): Promise<Map<string, { added: string[]; removed: string[] }>> {
  const really = new Map<string, { added: string[]; removed: string[] }>()
  const of = (deviceId: string) => {
    if (!really.has(deviceId)) really.set(deviceId, { added: [], removed: [] })
    return really.get(deviceId)!
  }
  for (const { deviceId, tagId } of await insertTaggings(tx, change.add ?? [])) of(deviceId).added.push(tagId)
  for (const { deviceId, tagId } of await deleteTaggings(tx, change.remove ?? [])) of(deviceId).removed.push(tagId)
  if (!really.size) return really
  const ids = [...really.keys()]
  const now = await tagsOf(tx, ids)
  const removedNames = await namesOf(
    tx,
    'tag',
    [...really.values()].flatMap(({ removed }) => removed),
  )
  record(
    tx,
    ids.map((deviceId) => {
      const { added, removed } = really.get(deviceId)!
      const after = now.get(deviceId) ?? []
      const kept = after.filter(({ id }) => !added.includes(id)).map(({ name }) => name)
      return {
        ...{ type: 'DeviceTagsChanged', deviceId, serial: devices.get(deviceId)!.serial, by: person },
        before: { tags: sorted([...kept, ...removed.map((id) => removedNames.get(id)!)]) },
        after: { tags: sorted(after.map(({ name }) => name)) },
      }
    }),
  )
  return really
}

/** The tags of each of these devices. */
async function tagsOf(tx: TenantTx, deviceIds: readonly string[]) {
  const rows = await tx
    .selectFrom('device_tag')
    .innerJoin('tag', (join) => join.on('tag.tenant_id', '=', tx.tenant).onRef('tag.id', '=', 'device_tag.tag_id'))
    .where('device_tag.tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${deviceIds}::uuid[])`)
    .select(['device_id', 'tag.id', 'tag.name'])
    .execute()
  return Map.groupBy(rows, (row) => row.device_id)
}

async function namesOf(
  tx: TenantTx,
  kind: 'tag' | 'access_rights_tag',
  ids: readonly (string | null)[],
): Promise<Map<string, string>> {
  const wanted = [...new Set(ids.filter((id) => id !== null))]
  if (!wanted.length) return new Map()
  const { rows } = await sql<{ id: string; name: string }>`
    select id, ${sql.ref(kind === 'tag' ? 'name' : 'display_name')} as name from ${sql.table(kind)}
    where tenant_id = ${tx.tenant} and id = any(${wanted}::uuid[])`.execute(tx)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

const sorted = (names: string[]) => names.sort((a, b) => a.localeCompare(b, 'en'))

async function insertTaggings(tx: TenantTx, taggings: readonly Tagging[]): Promise<Tagging[]> {
  if (!taggings.length) return []
  const { rows } = await sql<Tagging>`
    insert into device_tag (tenant_id, device_id, tag_id) select ${tx.tenant}, device_id, tag_id from ${rowsOf(taggings)}
    on conflict do nothing
    returning device_id as "deviceId", tag_id as "tagId"`.execute(tx)
  return rows
}

async function deleteTaggings(tx: TenantTx, taggings: readonly Tagging[]): Promise<Tagging[]> {
  if (!taggings.length) return []
  const { rows } = await sql<Tagging>`
    delete from device_tag using ${rowsOf(taggings)}
    where device_tag.tenant_id = ${tx.tenant}
      and device_tag.device_id = wanted.device_id and device_tag.tag_id = wanted.tag_id
    returning device_tag.device_id as "deviceId", device_tag.tag_id as "tagId"`.execute(tx)
  return rows
}

const rowsOf = (taggings: readonly Tagging[]) =>
  sql`unnest(${taggings.map((one) => one.deviceId)}::uuid[], ${taggings.map((one) => one.tagId)}::uuid[])
    as wanted (device_id, tag_id)`

/** A device with its access rights tag. */
interface Tagged extends NamedDevice {
  accessRightsTagId: string | null
}

/** Sets or clears the access rights tag of locked devices; returns those that did not have it. */
export async function setAccessRightsTag<Device extends Tagged>(
  tx: TenantTx,
  person: Recorded,
  devices: readonly Device[],
  tagId: string | null,
): Promise<Device[]> {
  const others = devices.filter((device) => device.accessRightsTagId !== tagId)
  if (!others.length) return []
  await tx
    .updateTable('device')
    .set({ access_rights_tag_id: tagId })
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${others.map((device) => device.deviceId)}::uuid[])`)
    .execute()
  const names = await namesOf(tx, 'access_rights_tag', [tagId, ...others.map((device) => device.accessRightsTagId)])
  const nameOf = (id: string | null) => (id ? (names.get(id) ?? null) : null)
  record(
    tx,
    others.map(({ deviceId, serial, accessRightsTagId }) => {
      const difference = differences({ accessRightsTag: nameOf(accessRightsTagId) }, { accessRightsTag: nameOf(tagId) })
      return {
        ...{ type: 'DeviceAccessRightsTagChanged', deviceId, serial, by: person },
        ...{ before: difference?.before ?? null, after: difference?.after ?? null },
        ...{ beforeTagId: accessRightsTagId, afterTagId: tagId },
      }
    }),
  )
  return others
}

/** Removes an access rights tag that is about to be deleted from all its devices. */
export async function takeOffAccessRightsTag(tx: TenantTx, tagId: string): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    with carriers as (
      select id from device where tenant_id = ${tx.tenant} and access_rights_tag_id = ${tagId}
      order by id for no key update
    )
    update device set access_rights_tag_id = null from carriers
    where device.tenant_id = ${tx.tenant} and device.id = carriers.id
    returning device.id`.execute(tx)
  record(
    tx,
    rows.map(({ id }) => ({ type: 'DeviceTagDeleted', deviceId: id })),
  )
}

/** Removes a tag that is about to be deleted from all its devices. */
export async function takeOffTag(tx: TenantTx, tagId: string): Promise<void> {
  const carriers = await tx
    .deleteFrom('device_tag')
    .where('tenant_id', '=', tx.tenant)
    .where('tag_id', '=', tagId)
    .returning('device_id')
    .execute()
  record(
    tx,
    carriers.map(({ device_id: deviceId }) => ({ type: 'DeviceTagDeleted', deviceId })),
  )
}

/** Announces that a tag was renamed: lists show its name with its devices. */
export async function refreshTagName(tx: TenantTx, tagId: string): Promise<void> {
  const carriers = await tx
    .selectFrom('device_tag')
    .select('device_id')
    .where('tenant_id', '=', tx.tenant)
    .where('tag_id', '=', tagId)
    .execute()
  record(
    tx,
    carriers.map(({ device_id: deviceId }) => ({ type: 'DeviceTagRenamed', deviceId })),
  )
}

/** Replaces all tags of locked devices. An import that does so records it for each device. */
export async function replaceTags(
  tx: TenantTx,
  devices: readonly { deviceId: string; tagIds: readonly string[] }[],
): Promise<void> {
  if (!devices.length) return
  await tx
    .deleteFrom('device_tag')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${devices.map(({ deviceId }) => deviceId)}::uuid[])`)
    .execute()
  await insertTaggings(
    tx,
    devices.flatMap(({ deviceId, tagIds }) => tagIds.map((tagId) => ({ deviceId, tagId }))),
  )
}
