import { sql } from 'kysely'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Tag } from '@caretaker/contract/tags.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { naturally } from '../../postgres/natural-order.ts'

/** Finds tags and locks them until the transaction ends, so that none is deleted while it is being added. */
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

/** The chosen tags; an unknown one is a field error of the call. */
export async function chosenTags(tx: TenantTx, ids: readonly string[], field: string): Promise<Tag[]> {
  const tags = await holdTags(tx, ids)
  const message = 'This tag does not exist.'
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
