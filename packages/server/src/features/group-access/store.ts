import { randomUUID } from 'node:crypto'
import type { GroupAccess } from '@caretaker/rules/identity/group-access.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/** Lets one transaction at a time make decisions based on the table. */
export async function holdTable(tx: TenantTx): Promise<void> {
  await tx.selectFrom('tenant').select('id').where('id', '=', tx.tenant).forNoKeyUpdate().executeTakeFirst()
}

export async function replaceTable(tx: TenantTx, table: readonly GroupAccess[]): Promise<void> {
  await tx.deleteFrom('group_access').where('tenant_id', '=', tx.tenant).execute()
  if (table.length)
    await tx
      .insertInto('group_access')
      .values(
        table.map(({ group, role, tags }, position) => ({
          ...{ tenant_id: tx.tenant, id: randomUUID(), group_name: group, role, tag_ids: [...tags], position },
        })),
      )
      .execute()
}
