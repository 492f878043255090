import { sql } from 'kysely'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

export interface KeyRow {
  id: string
  personId: string
  name: string
  role: Role
  administersUsers: boolean
  managesIntegrations: boolean
  tagIds: string[]
  createdAt: Date
  createdBy: string
  expiresAt: Date
  revokedAt: Date | null
  lastUsedAt: Date | null
}

/** Maximum number of keys in the list; the oldest invalid ones are left out. */
const mostListed = 200

export async function keyRows(tx: TenantTx): Promise<KeyRow[]> {
  return (
    tx
      .selectFrom('api_key')
      .select(['id', 'person_id as personId', 'name', 'role', 'tag_ids as tagIds', 'created_by as createdBy'])
      .select(['administers_users as administersUsers', 'manages_integrations as managesIntegrations'])
      .select(sql<Date>`created_at`.as('createdAt'))
      .select(sql<Date>`expires_at`.as('expiresAt'))
      .select(['revoked_at as revokedAt', 'last_used_at as lastUsedAt'])
      .where('tenant_id', '=', tx.tenant)
      // Valid keys come first, so that none of them is left out.
      .orderBy(sql`revoked_at is not null`)
      .orderBy('expires_at', 'desc')
      .orderBy('id')
      .limit(mostListed)
      .execute()
  )
}

/** Serialises concurrent creations, so that the limit and unique names hold. */
export async function holdKeys(tx: TenantTx): Promise<void> {
  await tx.selectFrom('tenant').select('id').where('id', '=', tx.tenant).forNoKeyUpdate().executeTakeFirst()
}
