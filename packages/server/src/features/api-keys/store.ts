import { sql } from 'kysely'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { addSoftware } from '../../people/persons.ts'
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

/** Most keys in the list; the oldest invalid ones are left out. */
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

/** Inserts a key with a person of its own, in whose name its actions are recorded, and who can never sign in. */
export async function insertKey(
  tx: TenantTx,
  row: KeyRow,
  { hash, recordedAs }: { hash: Buffer; recordedAs: string },
): Promise<void> {
  await addSoftware(tx, { id: row.personId, keyId: row.id, name: recordedAs })
  await tx
    .insertInto('api_key')
    .values({
      ...{ tenant_id: tx.tenant, id: row.id, person_id: row.personId, name: row.name, key_hash: hash },
      ...{
        role: row.role,
        administers_users: row.administersUsers,
        manages_integrations: row.managesIntegrations,
        tag_ids: row.tagIds,
        created_at: row.createdAt,
        created_by: row.createdBy,
      },
      expires_at: row.expiresAt,
    })
    .execute()
}

/** Returns false if it was already revoked. */
export async function revoke(tx: TenantTx, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('api_key')
    .set({ revoked_at: now })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
