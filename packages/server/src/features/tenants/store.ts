import { sql } from 'kysely'
import type { Capability, Feature } from '@caretaker/rules/identity/features.ts'
import { changed } from '../../changes/changed.ts'
import type { Person } from '../../identity/person.ts'
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

/** The features and capabilities that the tenant has. */
export async function flagsOf(tx: TenantTx): Promise<{ features: Feature[]; capabilities: Capability[] }> {
  const features = await tx.selectFrom('tenant_feature').select('feature').where('tenant_id', '=', tx.tenant).execute()
  const capabilities = await tx
    .selectFrom('tenant_capability')
    .select('capability')
    .where('tenant_id', '=', tx.tenant)
    .execute()
  return {
    features: features.map((row) => row.feature),
    capabilities: capabilities.map((row) => row.capability),
  }
}

/**
 * Turns a feature or capability of the tenant on or off. The application's own role cannot: a function of the database
 * does it, which asks for itself whether the person is a developer, and writes the audit.
 */
export async function switchFlag(
  tx: TenantTx,
  person: Pick<Person, 'id'>,
  kind: 'feature' | 'capability',
  flag: Feature | Capability,
  on: boolean,
): Promise<void> {
  const { rows } = await sql<{ switched: boolean }>`
    select switch_tenant_flag(${person.id}::uuid, ${tx.tenant}, ${kind}, ${flag}, ${on}) as switched`.execute(tx)
  if (!rows[0]!.switched) return
  await changed(tx, 'client', null)
  await changed(tx, 'audit', null)
}
