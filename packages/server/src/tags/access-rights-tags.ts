import { randomUUID } from 'node:crypto'
import type { AccessRightsTag } from '@caretaker/contract/tags.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import type { Recorded } from '../projections/events/audit.ts'
import { record } from '../projections/record.ts'

/** The tag that each tenant has from the start and that cannot be deleted. */
export async function createDefaultAccessRightsTag(tx: TenantTx): Promise<void> {
  await tx
    .insertInto('access_rights_tag')
    .values({ tenant_id: tx.tenant, id: randomUUID(), display_name: 'Default', protected: true })
    .execute()
}

/** Undefined if a tag with that name exists, ignoring case. */
export async function createAccessRightsTag(
  tx: TenantTx,
  by: Recorded,
  displayName: string,
): Promise<AccessRightsTag | undefined> {
  const tag = await tx
    .insertInto('access_rights_tag')
    .values({ tenant_id: tx.tenant, id: randomUUID(), display_name: displayName })
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'display_name as displayName', 'protected'])
    .executeTakeFirst()
  if (tag)
    record(tx, [
      {
        ...{ type: 'AccessRightsTagCreated', accessRightsTagId: tag.id, tagName: displayName, by },
        ...{ before: null, after: { displayName } },
      },
    ])
  return tag
}

/** Deletes a locked tag that no device, property or user has. */
export async function deleteAccessRightsTag(
  tx: TenantTx,
  by: Recorded,
  { id, displayName }: Pick<AccessRightsTag, 'id' | 'displayName'>,
): Promise<void> {
  await tx.deleteFrom('access_rights_tag').where('tenant_id', '=', tx.tenant).where('id', '=', id).execute()
  record(tx, [
    {
      ...{ type: 'AccessRightsTagDeleted', accessRightsTagId: id, tagName: displayName, by },
      ...{ before: { displayName }, after: null },
    },
  ])
}
