import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Recorded } from '../../audit/audit.ts'
import { audit } from '../../audit/audit.ts'
import type { Context } from '../../context.ts'
import { hashOf, newKey, wrongKey } from '../../identity/secret-keys.ts'
import { within } from '../../postgres/throttle.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/** Calls that a tenant's resident app may make. */
const callsOfApp = { most: 3_000, seconds: 3_600 }

/** A new key of the tenant's resident app, given out here once: only its hash is kept. The ones before it hold no more, if asked. */
export async function addAppKey(tx: TenantTx, person: Recorded, instead: boolean): Promise<string> {
  const key = newKey('resident_')
  const now = new Date()
  if (instead)
    await tx
      .updateTable('resident_app_key')
      .set({ revoked_at: now })
      .where('tenant_id', '=', tx.tenant)
      .where('revoked_at', 'is', null)
      .execute()
  await tx
    .insertInto('resident_app_key')
    .values({ tenant_id: tx.tenant, id: randomUUID(), key_hash: hashOf(key), created_at: now })
    .execute()
  await audit(tx, {
    person,
    action: 'resident app key added',
    subject: { type: 'client', id: tx.tenant, name: tx.tenant },
    after: { othersRevoked: instead },
  })
  return key
}

/** Refuses a call without a key of the tenant's in its authorization header, and one too many. */
export async function expectAppKey(tx: TenantTx, request: FastifyRequest, { db }: Pick<Context, 'db'>): Promise<void> {
  const [, key] = /^Bearer (resident_[\w-]{43})$/.exec(request.headers.authorization ?? '') ?? []
  const found =
    key &&
    (await tx
      .selectFrom('resident_app_key')
      .select('id')
      .where('tenant_id', '=', tx.tenant)
      .where('key_hash', '=', hashOf(key))
      .where('revoked_at', 'is', null)
      .executeTakeFirst())
  if (!found) throw key ? await wrongKey(db, 'resident app key', request.ip) : refuse('unauthorized')
  if (!(await within(db, ['resident app', tx.tenant], callsOfApp))) throw refuse('too many')
}
