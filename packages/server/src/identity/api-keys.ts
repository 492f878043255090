import { refuse } from '@caretaker/contract/refusal.ts'
import { callsOfKey, keyStateAt, tenantOfKey } from '@caretaker/rules/api-keys/api-keys.ts'
import type { Context } from '../context.ts'
import { within } from '../postgres/throttle.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { Person } from './person.ts'
import { hashOf, lastUseTo, wrongKey } from './secret-keys.ts'

/**
 * The person in whose name a key calls; undefined where what was sent is no key. Refuses with 401 a key that is nobody's, has
 * expired or was revoked, and with 429 one call too many.
 */
export async function personOfKey(
  { db, anonymousDb }: Pick<Context, 'db' | 'anonymousDb'>,
  key: string,
  address: string,
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
  if (!found) throw await wrongKey(anonymousDb, 'api key', address)
  const state = keyStateAt({ expiresAt: +found.expires_at, revokedAt: found.revoked_at && +found.revoked_at }, +now)
  if (state === 'revoked') throw refuse('unauthorized', 'This API key was revoked.')
  if (state === 'expired') throw refuse('unauthorized', 'This API key has expired.')
  if (!(await within(db, ['calls of api key', found.id], callsOfKey, now))) throw refuse('too many')
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

/** How the record of changes calls a key. */
export const nameOfKey = (name: string) => `${name} (API key)`
