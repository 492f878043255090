import type { KeyState } from '@caretaker/rules/api-keys/api-keys.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { addSoftware } from '../people/persons.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import type { Recorded } from '../projections/events/audit.ts'
import { record } from '../projections/record.ts'
import { nameOfKey } from './api-keys.ts'

interface NewKey {
  id: string
  personId: string
  name: string
  hash: Buffer
  role: Role
  administersUsers: boolean
  managesIntegrations: boolean
  tags: readonly { id: string; displayName: string }[]
  createdAt: Date
  createdBy: string
  expiresAt: Date
}

/** Adds a key with a person of its own, in whose name its actions are recorded. */
export async function addApiKey(tx: TenantTx, by: Recorded, key: NewKey): Promise<void> {
  const { id, personId, name, role, administersUsers, managesIntegrations, tags, expiresAt } = key
  await addSoftware(tx, { id: personId, keyId: id, name: nameOfKey(name) })
  await tx
    .insertInto('api_key')
    .values({
      ...{ tenant_id: tx.tenant, id, person_id: personId, name, key_hash: key.hash, role },
      ...{ administers_users: administersUsers, manages_integrations: managesIntegrations },
      tag_ids: tags.map((tag) => tag.id),
      ...{ created_at: key.createdAt, created_by: key.createdBy, expires_at: expiresAt },
    })
    .execute()
  const after = {
    ...{ role, administersUsers, managesIntegrations, tags: tags.map(({ displayName }) => displayName) },
    expiresAt: expiresAt.toISOString(),
  }
  record(tx, [{ type: 'ApiKeyCreated', apiKeyId: id, apiKeyName: name, by, before: null, after }])
}

/** Revokes a key: calls with it are refused from now on. Returns false if it was already revoked. */
export async function revokeApiKey(
  tx: TenantTx,
  by: Recorded,
  { id, name, state }: { id: string; name: string; state: KeyState },
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('api_key')
    .set({ revoked_at: now })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  const changes = { before: { state }, after: { state: 'revoked' } }
  record(tx, [{ type: 'ApiKeyRevoked', apiKeyId: id, apiKeyName: name, by, ...changes }])
  return true
}
