import { sql } from 'kysely'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { AccessRightsTag, Tag } from '@caretaker/contract/tags.ts'
import type { Recorded } from '../../audit/audit.ts'
import { refreshTagName, takeOffAccessRightsTag, takeOffTag } from '../../devices/tags.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { removeAccessRightsTag } from '../../properties/details.ts'
import * as accessRightsTags from '../../tags/access-rights-tags.ts'
import * as tags from '../../tags/tags.ts'
import { tagsOfRule } from '../alerts/scopes.ts'
import { forgetTag } from '../alerts/store.ts'
import { naturally } from '../../postgres/natural-order.ts'

export async function listTags(tx: TenantTx): Promise<Tag[]> {
  return tx
    .selectFrom('tag')
    .select(['id', 'name'])
    .where('tenant_id', '=', tx.tenant)
    .orderBy(naturally(sql`name`))
    .orderBy('id')
    .execute()
}

/** The alerts defined on the tenant's tags, by tag. */
export async function listAlerts(tx: TenantTx) {
  const rows = await tx
    .selectFrom('alert_definition as rule')
    .innerJoin('tag', (join) => join.on('tag.tenant_id', '=', tx.tenant).on(sql<boolean>`tag.id = any(${tagsOfRule})`))
    .where('rule.tenant_id', '=', tx.tenant)
    .select(['rule.id', 'tag.id as tag_id', 'tag.name', 'delay', 'delay_unit'])
    .orderBy(naturally(sql`tag.name`))
    .orderBy('rule.id')
    .execute()
  return rows.map((row) => ({
    alertId: row.id,
    tagId: row.tag_id,
    tagName: row.name,
    delay: row.delay,
    delayUnit: row.delay_unit,
  }))
}

/** Finds the tag and locks it until the transaction ends. Lock order: tags before devices. */
export async function holdTag(tx: TenantTx, id: string): Promise<Tag | undefined> {
  return tx
    .selectFrom('tag')
    .select(['id', 'name'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/**
 * Renames a locked tag, and announces it to the pages of its devices; false if another tag has the name, ignoring case.
 */
export async function renameTag(tx: TenantTx, by: Recorded, tag: Tag, name: string): Promise<boolean> {
  if (!(await tags.renameTag(tx, by, tag, name))) return false
  await refreshTagName(tx, tag.id)
  return true
}

/** Deletes a tag with its alerts and removes it from its devices; undefined if there is none. */
export async function deleteTag(tx: TenantTx, by: Recorded, id: string): Promise<Tag | undefined> {
  await holdTag(tx, id)
  await forgetTag(tx, id, new Date())
  await takeOffTag(tx, id)
  return tags.deleteTag(tx, by, id)
}

const accessRightsTag = ['id', 'display_name as displayName', 'protected'] as const

/** Protected ones first, then by name. */
export async function listAccessRightsTags(tx: TenantTx): Promise<AccessRightsTag[]> {
  return tx
    .selectFrom('access_rights_tag')
    .select(accessRightsTag)
    .where('tenant_id', '=', tx.tenant)
    .orderBy('protected', 'desc')
    .orderBy(naturally(sql`display_name`))
    .execute()
}

/**
 * Finds the tag and locks it until the transaction ends: `to delete` waits for all transactions that assign it, `to
 * hand out` only for one that deletes it.
 */
export async function holdAccessRightsTag(
  tx: TenantTx,
  id: string,
  purpose: 'to delete' | 'to hand out',
): Promise<AccessRightsTag | undefined> {
  const query = tx
    .selectFrom('access_rights_tag')
    .select(accessRightsTag)
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
  return (purpose === 'to delete' ? query.forUpdate() : query.forKeyShare()).executeTakeFirst()
}

/** The tag chosen for a user or a device; an unknown one is a field error of the call. */
export async function chosenAccessRightsTag(tx: TenantTx, id: string, field: string): Promise<AccessRightsTag> {
  const tag = await holdAccessRightsTag(tx, id, 'to hand out')
  const message = 'This access rights tag does not exist.'
  if (!tag) throw refuse('invalid', message, [{ field, message }])
  return tag
}

/** The number of users with the tag, including invited ones. */
export async function countCarriers(tx: TenantTx, id: string): Promise<number> {
  const { count } = await tx
    .selectFrom('membership')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`${id}::uuid = any(tag_ids)`)
    .executeTakeFirstOrThrow()
  return count
}

/** Removes a locked tag from every device and property and deletes it. */
export async function deleteAccessRightsTag(tx: TenantTx, by: Recorded, tag: AccessRightsTag): Promise<void> {
  await takeOffAccessRightsTag(tx, tag.id)
  await removeAccessRightsTag(tx, tag.id)
  await accessRightsTags.deleteAccessRightsTag(tx, by, tag)
}
