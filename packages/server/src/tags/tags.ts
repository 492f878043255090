import { randomUUID } from 'node:crypto'
import type { TenantTx } from '../postgres/tenant.ts'
import type { Recorded } from '../projections/events/audit.ts'
import { record } from '../projections/record.ts'

interface NamedTag {
  id: string
  name: string
}

/** Undefined if a tag with that name exists, ignoring case. */
export async function createTag(tx: TenantTx, by: Recorded, name: string): Promise<NamedTag | undefined> {
  const tag = await tx
    .insertInto('tag')
    .values({ tenant_id: tx.tenant, id: randomUUID(), name })
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'name'])
    .executeTakeFirst()
  if (tag) record(tx, [{ type: 'TagCreated', tagId: tag.id, tagName: tag.name, by, before: null, after: { name } }])
  return tag
}

/** Creates the tags of an import; existing ones with the same name, ignoring case, stay. */
export async function importTags(tx: TenantTx, names: readonly string[]): Promise<void> {
  if (!names.length) return
  await tx
    .insertInto('tag')
    .values(names.map((name) => ({ tenant_id: tx.tenant, id: randomUUID(), name })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  record(tx, [{ type: 'TagsImported' }])
}

const uniqueViolation = '23505'

/** Renames a locked tag; false if another tag has the name, ignoring case. */
export async function renameTag(tx: TenantTx, by: Recorded, tag: NamedTag, name: string): Promise<boolean> {
  try {
    await tx.updateTable('tag').set({ name }).where('tenant_id', '=', tx.tenant).where('id', '=', tag.id).execute()
  } catch (error) {
    if ((error as { code?: string }).code === uniqueViolation) return false
    throw error
  }
  const changes = { before: { name: tag.name }, after: { name } }
  record(tx, [{ type: 'TagRenamed', tagId: tag.id, tagName: name, by, ...changes }])
  return true
}

/** Deletes a locked tag that no device has; undefined if there is none. */
export async function deleteTag(tx: TenantTx, by: Recorded, id: string): Promise<NamedTag | undefined> {
  const tag = await tx
    .deleteFrom('tag')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .returning(['id', 'name'])
    .executeTakeFirst()
  if (tag)
    record(tx, [{ type: 'TagDeleted', tagId: id, tagName: tag.name, by, before: { name: tag.name }, after: null }])
  return tag
}
