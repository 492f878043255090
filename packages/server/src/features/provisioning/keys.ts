import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { ProvisioningKey } from '@caretaker/contract/provisioning.ts'
import {
  callsOfProvisioning,
  mostProvisioningKeys,
  provisioningKeyPrefix,
  tenantOfProvisioningKey,
} from '@caretaker/rules/provisioning/member.ts'
import type { Recorded } from '../../audit/audit.ts'
import type { Context } from '../../context.ts'
import { hashOf, lastUseTo, newKey, refuseWrongKey } from '../../identity/secret-keys.ts'
import { expectWithin } from '../../postgres/throttle.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { record } from '../../projections/record.ts'
import { holdProvisioning } from './store.ts'

/** The valid keys, newest first. */
export async function listKeys(tx: TenantTx): Promise<ProvisioningKey[]> {
  const rows = await tx
    .selectFrom('scim_key')
    .select(['id', 'created_at', 'created_by', 'last_used_at'])
    .where('tenant_id', '=', tx.tenant)
    .where('revoked_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    createdAt: row.created_at.toISOString(),
    createdBy: row.created_by,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
  }))
}

/** Creates a key, which is returned only here. */
export async function createKey(tx: TenantTx, person: Recorded): Promise<{ id: string; key: string }> {
  await holdProvisioning(tx)
  if ((await listKeys(tx)).length >= mostProvisioningKeys)
    throw refuse(
      'conflict',
      `A client can have at most ${mostProvisioningKeys} provisioning keys. Revoke the older one first.`,
    )
  const [id, key] = [randomUUID(), newKey(provisioningKeyPrefix(tx.tenant))]
  await tx
    .insertInto('scim_key')
    .values({ tenant_id: tx.tenant, id, key_hash: hashOf(key), created_at: new Date(), created_by: person.name })
    .execute()
  record(tx, [{ type: 'ProvisioningKeyCreated', ...ofKey(tx, id), by: person, before: null, after: { keyId: id } }])
  return { id, key }
}

/** Revokes a key; revoking it again does nothing. */
export async function revokeKey(tx: TenantTx, person: Recorded, id: string): Promise<void> {
  const key = await tx
    .selectFrom('scim_key')
    .select('revoked_at')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!key) throw refuse('not found')
  if (key.revoked_at) return
  await tx
    .updateTable('scim_key')
    .set({ revoked_at: new Date() })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .execute()
  record(tx, [{ type: 'ProvisioningKeyRevoked', ...ofKey(tx, id), by: person, before: { keyId: id }, after: null }])
}

const ofKey = ({ tenant }: TenantTx, provisioningKeyId: string) => ({
  ...{ provisioningKeyId, tenantId: tenant, tenantName: tenant },
})

/**
 * The client whose directory calls. Refuses with 401 without a valid key, with 429 beyond the rate limit, and with 403
 * while the client is suspended.
 */
export async function tenantOfCall(
  { db, anonymousDb }: Pick<Context, 'db' | 'anonymousDb'>,
  request: Pick<FastifyRequest, 'headers' | 'ip' | 'showLimit'>,
): Promise<string> {
  const [, key = ''] = /^Bearer ([\w-]+)$/i.exec(request.headers.authorization ?? '') ?? []
  const tenant = tenantOfProvisioningKey(key)
  if (tenant === undefined) throw refuse('unauthorized')
  const found = await inTenant(anonymousDb, tenant, (tx) => useKey(tx, key, new Date()))
  if (!found) return refuseWrongKey(anonymousDb, 'provisioning key', request.ip)
  request.showLimit(await expectWithin(db, ['calls of provisioning', found.id], callsOfProvisioning))
  if (found.isSuspended) throw refuse('forbidden', 'This client is suspended.')
  return tenant
}

/** Finds a valid key and stores the time of use; undefined for any other, and for those of a client that is being removed. */
async function useKey(tx: TenantTx, key: string, now: Date): Promise<{ id: string; isSuspended: boolean } | undefined> {
  const found = await tx
    .selectFrom('scim_key')
    .innerJoin('tenant', 'tenant.id', 'scim_key.tenant_id')
    .select(['scim_key.id', 'last_used_at', 'suspended_at'])
    .where('scim_key.tenant_id', '=', tx.tenant)
    .where('key_hash', '=', hashOf(key))
    .where('revoked_at', 'is', null)
    .where('removal_began_at', 'is', null)
    .executeTakeFirst()
  if (!found) return undefined
  if (!found.last_used_at || +now - +found.last_used_at > lastUseTo)
    await tx
      .updateTable('scim_key')
      .set({ last_used_at: now })
      .where('tenant_id', '=', tx.tenant)
      .where('id', '=', found.id)
      .execute()
  return { id: found.id, isSuspended: found.suspended_at !== null }
}
