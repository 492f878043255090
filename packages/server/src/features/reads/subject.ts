import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { AuditSubject } from '@caretaker/rules/audit/audit.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { seesTenant } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { findProperty } from '../properties/store.ts'

export interface AskedAbout {
  propertyId?: string | undefined
  residentId?: string | undefined
  userId?: string | undefined
}

/** The entries of one property, resident, user or API key. */
export interface ReadSubject {
  where: RawBuilder<boolean>
  audited: { type: AuditSubject; id: string; name: string }
  /** Whether entries name the properties shown: only the entries of a person do. */
  namesHomes?: true
}

/**
 * Finds the subject of the request. Restricted managers see the log of their properties only: other logs name
 * properties that they may not see.
 */
export async function subjectOf(tx: TenantTx, actor: Actor, about: AskedAbout): Promise<ReadSubject> {
  const { propertyId, residentId, userId } = about
  const [only, ...more] = Object.values(about).filter((one) => one !== undefined)
  if (only === undefined || more.length > 0) {
    const message = 'Name one property, resident or user'
    throw refuse('invalid', message, [{ field: 'query', message }])
  }
  if (propertyId !== undefined) {
    const { reference } = await findProperty(tx, actor, propertyId)
    const where = sql<boolean>`property_ids @> array[${propertyId}]::uuid[]`
    return { where, audited: { type: 'property', id: propertyId, name: reference } }
  }
  if (!seesTenant(actor)) throw refuse('forbidden')
  return userId === undefined ? residentSubject(tx, actor, residentId!) : personSubject(tx, userId)
}

async function residentSubject(tx: TenantTx, actor: Actor, residentId: string): Promise<ReadSubject> {
  if (!can(actor, 'see residents')) throw refuse('forbidden')
  const resident = await tx
    .selectFrom('resident')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('app_user_id', '=', residentId)
    .executeTakeFirst()
  const where = sql<boolean>`resident_ids @> array[${residentId}]::text[]`
  // A resident who was removed is known only from the log.
  if (!resident && !(await hasEntry(tx, where))) throw refuse('not found')
  return { where, audited: { type: 'resident', id: resident?.id ?? residentId, name: residentId } }
}

async function personSubject(tx: TenantTx, userId: string): Promise<ReadSubject> {
  const ours = (table: 'membership' | 'api_key') =>
    tx
      .selectFrom(table)
      .select(['name', 'person_id as personId'])
      .where('tenant_id', '=', tx.tenant)
      .where('id', '=', userId)
      .executeTakeFirst()
  const user = await ours('membership')
  const found = user ?? (await ours('api_key')) ?? (await removedPerson(tx, userId))
  if (!found) throw refuse('not found')
  const where = sql<boolean>`person_id = ${found.personId}::uuid`
  return { where, namesHomes: true, audited: { type: user ? 'user' : 'API key', id: userId, name: found.name } }
}

/** A user or key that was removed, by the id of the person in the entries. */
async function removedPerson(tx: TenantTx, personId: string): Promise<{ name: string; personId: string } | undefined> {
  return tx
    .selectFrom('personal_data_read')
    .select(['person_name as name', 'person_id as personId'])
    .where('tenant_id', '=', tx.tenant)
    .where('person_id', '=', personId)
    .orderBy('first_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

async function hasEntry(tx: TenantTx, where: RawBuilder<boolean>): Promise<boolean> {
  const found = await tx
    .selectFrom('personal_data_read')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where(where)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}
