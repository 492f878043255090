import { sql } from 'kysely'
import type { GroupAccess } from '@caretaker/rules/identity/group-access.ts'
import type { TenantTx } from '../postgres/tenant.ts'

/** The roles that groups in the client's directory grant, in the order in which they apply. */
export async function groupAccessTable(tx: TenantTx): Promise<GroupAccess[]> {
  return tx
    .selectFrom('group_access')
    .select(['group_name as group', 'role', 'tag_ids as tags'])
    .where('tenant_id', '=', tx.tenant)
    .orderBy('position')
    .execute()
}

/** Whether a group grants this access rights tag. */
export async function groupGivesTag(tx: TenantTx, tagId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('group_access')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`${tagId}::uuid = any(tag_ids)`)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
