import type { TenantTx } from '../../postgres/tenant.ts'

export async function tenantInfo(tx: TenantTx) {
  const row = await tx.selectFrom('tenant').selectAll().where('id', '=', tx.tenant).executeTakeFirstOrThrow()
  return {
    id: row.id,
    name: row.id,
    displayName: row.display_name,
    contacts: row.contacts,
    timeZone: row.time_zone,
    settings: row.settings,
  }
}
