import { sql } from 'kysely'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Tag } from '@caretaker/contract/tags.ts'
import { differences } from '@caretaker/rules/audit/audit.ts'
import { auditAll } from '../../audit/audit.ts'
import type { Recorded } from '../../audit/audit.ts'
import type { HeldDevice } from '../devices/held.ts'
import { deviceSubject } from '../devices/held.ts'
import { changed } from '../../changes/changed.ts'
import { retagged } from '../../postgres/retagged.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { listAccessRightsTags, listTags } from '../tags/store.ts'
import { naturally } from '../../postgres/natural-order.ts'

/** A tag on a device. */
export interface Tagging {
  deviceId: string
  tagId: string
}
type Person = Recorded

/** Finds tags and holds them until the transaction ends, so that nobody deletes one that is about to be given out. */
export async function holdTags(tx: TenantTx, ids: readonly string[]): Promise<Tag[]> {
  return tx
    .selectFrom('tag')
    .select(['id', 'name'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .orderBy('id')
    .forKeyShare()
    .execute()
}

/** Tags that somebody chose; one that does not exist is a wrong field of the call. */
export async function chosenTags(tx: TenantTx, ids: readonly string[], field: string): Promise<Tag[]> {
  const tags = await holdTags(tx, ids)
  const message = 'There is no such tag.'
  if (tags.length < new Set(ids).size) throw refuse('invalid', message, [{ field, message }])
  return tags
}

/** The tags of each of these devices, by name. */
export async function tagsOfDevices(tx: TenantTx, deviceIds: readonly string[]): Promise<Map<string, Tag[]>> {
  const rows = await tx
    .selectFrom('device_tag')
    .innerJoin('tag', (join) => join.on('tag.tenant_id', '=', tx.tenant).onRef('tag.id', '=', 'device_tag.tag_id'))
    .where('device_tag.tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${deviceIds}::uuid[])`)
    .select(['device_id', 'tag.id', 'tag.name'])
    .orderBy(naturally(sql`tag.name`))
    .execute()
  const tags = new Map<string, Tag[]>(deviceIds.map((id) => [id, []]))
  for (const { device_id, ...tag } of rows) tags.get(device_id)!.push(tag)
  return tags
}

/**
 * Adds and removes tags of held devices, and records it for each that really changed. Gives the tags that were really
 * added or removed, by device.
 */
export async function changeTags(
  tx: TenantTx,
  person: Person,
  devices: ReadonlyMap<string, HeldDevice>,
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
  await retagged(tx, ids)
  await changed(tx, 'device', ids)
  const names = new Map((await listTags(tx)).map((tag) => [tag.id, tag.name]))
  const now = await tagsOfDevices(tx, ids)
  await auditAll(
    tx,
    person,
    'device tags changed',
    ids.map((id) => {
      const { added, removed } = really.get(id)!
      const after = now.get(id)!
      const before = [...after.map((tag) => tag.id).filter((tag) => !added.includes(tag)), ...removed]
      return {
        subject: deviceSubject(devices.get(id)!),
        before: { tags: sorted(before.map((tag) => names.get(tag)!)) },
        after: { tags: sorted(after.map((tag) => tag.name)) },
      }
    }),
  )
  return really
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

/** Gives held devices the access rights tag, or none, and records it for each that did not have it; gives those. */
export async function changeAccessRightsTag(
  tx: TenantTx,
  person: Person,
  devices: readonly HeldDevice[],
  tagId: string | null,
): Promise<HeldDevice[]> {
  const others = devices.filter((device) => device.accessRightsTagId !== tagId)
  if (!others.length) return []
  const ids = others.map((device) => device.deviceId)
  await tx
    .updateTable('device')
    .set({ access_rights_tag_id: tagId })
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute()
  await retagged(tx, ids)
  await changed(tx, 'device', ids)
  await reachChanged(tx, others, tagId)
  const names = new Map((await listAccessRightsTags(tx)).map((tag) => [tag.id, tag.displayName]))
  const nameOf = (id: string | null) => (id ? (names.get(id) ?? null) : null)
  await auditAll(
    tx,
    person,
    'device access rights tag changed',
    others.map((device) => ({
      subject: deviceSubject(device),
      ...differences({ accessRightsTag: nameOf(device.accessRightsTagId) }, { accessRightsTag: nameOf(tagId) }),
    })),
  )
  return others
}

/** Those who carry the tags that devices have lost or been given see other devices now. */
export async function reachChanged(
  tx: TenantTx,
  devices: readonly Pick<HeldDevice, 'accessRightsTagId'>[],
  given: string | null = null,
): Promise<void> {
  await changed(
    tx,
    'reach',
    [given, ...devices.map((device) => device.accessRightsTagId)].filter((tag) => tag !== null),
  )
}
