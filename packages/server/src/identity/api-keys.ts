import { sql } from 'kysely'
import { refuse } from '@caretaker/contract/refusal.ts'
import { callsOfKey, keyStateAt, tenantOfKey } from '@caretaker/rules/api-keys/api-keys.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import type { Context } from '../context.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import type { Standing } from '../postgres/throttle.ts'
import { expectWithin } from '../postgres/throttle.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { Person } from './person.ts'
import { hashOf, lastUseTo, refuseWrongKey } from './secret-keys.ts'
import { naturally } from '../postgres/natural-order.ts'

/**
 * The person record of an API key; undefined if `key` does not have the form of one. Refuses an unknown, expired or revoked key
 * with 401 and a call beyond the rate limit with 429. `showLimit` receives the key's rate limit status.
 */
export async function personOfKey(
  { db, anonymousDb }: Pick<Context, 'db' | 'anonymousDb'>,
  key: string,
  { ip, showLimit }: { ip: string; showLimit(standing: Standing): void },
  now = new Date(),
): Promise<Person | undefined> {
  const tenant = tenantOfKey(key)
  if (tenant === undefined) return undefined
  const found = await inTenant(anonymousDb, tenant, (tx) =>
    tx
      .selectFrom('api_key')
      .select(['id', 'person_id as personId', 'name', 'expires_at', 'revoked_at', 'last_used_at'])
      .where('tenant_id', '=', tenant)
      .where('key_hash', '=', hashOf(key))
      .executeTakeFirst(),
  )
  if (!found) return refuseWrongKey(anonymousDb, 'api key', ip)
  const state = keyStateAt({ expiresAt: +found.expires_at, revokedAt: found.revoked_at && +found.revoked_at }, +now)
  if (state === 'revoked') throw refuse('unauthorized', 'This API key was revoked.')
  if (state === 'expired') throw refuse('unauthorized', 'This API key has expired.')
  showLimit(await expectWithin(db, ['calls of api key', found.id], callsOfKey, now))
  if (!found.last_used_at || +now - +found.last_used_at > lastUseTo)
    await inTenant(db, tenant, (tx) =>
      tx
        .updateTable('api_key')
        .set({ last_used_at: now })
        .where('tenant_id', '=', tenant)
        .where('id', '=', found.id)
        .execute(),
    )
  return {
    ...{ id: found.personId, name: nameOfKey(found.name), email: '', pictureUrl: null },
    ...{ emailVerified: false, removedAt: null, keyOf: tenant },
  }
}

/** How the audit names a key. */
export const nameOfKey = (name: string) => `${name} (API key)`

/** The creator of a key, as the audit recorded it. */
export interface Creator {
  personId: string | null
  /** Null if no longer a member. */
  memberId: string | null
  /** Whether an API key created it. */
  isKey: boolean
}

/** The creators of keys, by key id. */
export async function creatorsOf(tx: TenantTx, keyIds: readonly string[]): Promise<Map<string, Creator>> {
  if (!keyIds.length) return new Map()
  const rows = await tx
    .selectFrom('audit_entry')
    .leftJoin('membership', (join) =>
      join.onRef('membership.person_id', '=', 'audit_entry.person_id').on('membership.tenant_id', '=', tx.tenant),
    )
    .leftJoin('api_key as maker', (join) =>
      join.onRef('maker.person_id', '=', 'audit_entry.person_id').on('maker.tenant_id', '=', tx.tenant),
    )
    .select(['subject_id', 'audit_entry.person_id as personId', 'membership.id as memberId'])
    .select(sql<boolean>`maker.id is not null`.as('isKey'))
    .where('audit_entry.tenant_id', '=', tx.tenant)
    .where('subject_type', '=', 'API key')
    .where('subject_id', 'in', [...keyIds])
    .where('action', '=', 'API key made')
    .execute()
  return new Map(rows.map(({ subject_id: id, ...creator }) => [id, creator]))
}

export interface RemainingKey {
  id: string
  name: string
  role: Role
  expiresAt: Date
}

/**
 * The active keys that a person created, and those that were created with them. They belong to the client and outlive the
 * person's membership.
 */
export async function activeKeysMadeBy(tx: TenantTx, personId: string, now = new Date()): Promise<RemainingKey[]> {
  const keys = await tx
    .selectFrom('api_key')
    .select(['id', 'person_id as personId', 'name', 'role'])
    .select(sql<Date>`expires_at`.as('expiresAt'))
    .where('tenant_id', '=', tx.tenant)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy(naturally(sql`name`))
    .execute()
  const creators = await creatorsOf(
    tx,
    keys.map(({ id }) => id),
  )
  const makers = new Set([personId])
  for (let known = 0; known < makers.size;) {
    known = makers.size
    for (const key of keys) if (makers.has(creators.get(key.id)?.personId ?? '')) makers.add(key.personId)
  }
  return keys
    .filter((key) => key.personId !== personId && makers.has(key.personId))
    .map(({ personId: _, ...key }) => key)
}
