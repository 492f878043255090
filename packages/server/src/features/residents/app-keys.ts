import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { ResidentAppKey } from '@caretaker/contract/residents.ts'
import type { Recorded } from '../../audit/audit.ts'
import { audit } from '../../audit/audit.ts'
import { changed } from '../../changes/changed.ts'
import type { Context } from '../../context.ts'
import { hashOf, lastUseTo, newKey, refuseWrongKey } from '../../identity/secret-keys.ts'
import { expectWithin } from '../../postgres/throttle.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'

/** Rate limit of a tenant's resident app. */
export const callsOfApp = { most: 3_000, seconds: 3_600 }

/**
 * Adds a key for the tenant's resident app, returned only here: only its hash is stored. Revokes the former keys if
 * asked.
 */
export async function addAppKey(tx: TenantTx, person: Recorded, instead: boolean): Promise<string> {
  const key = newKey('resident_')
  const [id, now] = [randomUUID(), new Date()]
  if (instead)
    await tx
      .updateTable('resident_app_key')
      .set({ revoked_at: now })
      .where('tenant_id', '=', tx.tenant)
      .where('revoked_at', 'is', null)
      .execute()
  await tx
    .insertInto('resident_app_key')
    .values({ tenant_id: tx.tenant, id, key_hash: hashOf(key), created_at: now })
    .execute()
  await audit(tx, {
    person,
    action: 'resident app key added',
    subject: { type: 'client', id: tx.tenant, name: tx.tenant },
    after: { othersRevoked: instead },
  })
  await changed(tx, 'api key', [id])
  return key
}

/** The valid keys, newest first. */
export async function appKeys(tx: TenantTx): Promise<ResidentAppKey[]> {
  const rows = await tx
    .selectFrom('resident_app_key')
    .select(['id', 'created_at', 'last_used_at'])
    .where('tenant_id', '=', tx.tenant)
    .where('revoked_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
  }))
}

/** Revokes a key; revoking it again does nothing. */
export async function revokeAppKey(tx: TenantTx, person: Recorded, id: string): Promise<void> {
  const key = await tx
    .selectFrom('resident_app_key')
    .select('revoked_at')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!key) throw refuse('not found')
  if (key.revoked_at) return
  await tx
    .updateTable('resident_app_key')
    .set({ revoked_at: new Date() })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .execute()
  await audit(tx, {
    person,
    action: 'resident app key revoked',
    subject: { type: 'client', id: tx.tenant, name: tx.tenant },
    before: { keyId: id },
  })
  await changed(tx, 'api key', [id])
}

/**
 * Checks the key in the authorization header of a call to a tenant. Refuses with 401 without a valid key of the
 * tenant, 429 beyond the rate limit, and 403 for a suspended client.
 */
export async function expectAppKey(
  { db, anonymousDb }: Pick<Context, 'db' | 'anonymousDb'>,
  tenant: string,
  request: FastifyRequest,
): Promise<void> {
  const [, key] = /^Bearer (resident_[\w-]{43})$/.exec(request.headers.authorization ?? '') ?? []
  if (!key) throw refuse('unauthorized')
  const found = await inTenant(anonymousDb, tenant, (tx) => useKey(tx, key, new Date()))
  if (!found) return refuseWrongKey(anonymousDb, 'resident app key', request.ip)
  request.showLimit(await expectWithin(db, ['resident app', tenant], callsOfApp))
  // The reason is for the client's own users.
  if (found.isSuspended) throw refuse('forbidden', 'This client is suspended.')
}

/** Finds a valid key and stores the time of use; undefined for any other. */
async function useKey(tx: TenantTx, key: string, now: Date): Promise<{ isSuspended: boolean } | undefined> {
  const found = await tx
    .selectFrom('resident_app_key')
    .innerJoin('tenant', 'tenant.id', 'resident_app_key.tenant_id')
    .select(['resident_app_key.id', 'last_used_at', 'suspended_at'])
    .where('resident_app_key.tenant_id', '=', tx.tenant)
    .where('key_hash', '=', hashOf(key))
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (!found) return undefined
  if (!found.last_used_at || +now - +found.last_used_at > lastUseTo)
    await tx
      .updateTable('resident_app_key')
      .set({ last_used_at: now })
      .where('tenant_id', '=', tx.tenant)
      .where('id', '=', found.id)
      .execute()
  return { isSuspended: found.suspended_at !== null }
}
