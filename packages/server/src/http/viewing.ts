import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { viewingEndedText, viewingHeader, viewingText } from '@caretaker/contract/calls/people.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import { Id, TenantId } from '@caretaker/contract/scalars.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { rightsOf } from '@caretaker/rules/identity/actor.ts'
import { isVendorStaff, whyNotViewAs } from '@caretaker/rules/people/users.ts'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import type { Person, Viewing } from '../identity/person.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { inTenant } from '../postgres/tenant.ts'
import { actorOfMember, actorsOf } from './access.ts'

/** The member whom the caller views a client as. */
export interface Viewed {
  actor: Actor
  name: string
  endsAt: Date
}

/** The person with the view that the call names, if any. */
export function withViewing(person: Person, { headers }: Pick<FastifyRequest, 'headers'>): Person {
  const named = headers[viewingHeader]
  if (named === undefined) return person
  const [tenant, id] = String(named).split('/')
  const [known, view] = [TenantId.safeParse(tenant), Id.safeParse(id)]
  if (person.keyOf || !known.success || !view.success) throw refuse('forbidden', viewingEndedText)
  return { ...person, viewing: { tenant: known.data, id: view.data } }
}

/**
 * The member whom the person views this client as; undefined if that has ended: by expiry, with the session, because the member was
 * removed or their rights have changed, or because the person has lost theirs.
 */
export async function findViewed(
  tx: TenantTx,
  { id, session, viewing }: Pick<Person, 'id' | 'session' | 'viewing'>,
  { vendorDomain }: Pick<Config, 'vendorDomain'>,
): Promise<Viewed | undefined> {
  if (viewing?.tenant !== tx.tenant) return undefined
  const row = await tx
    .selectFrom('viewing')
    .select(['membership_id', 'rights', 'ends_at'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', viewing.id)
    .where('person_id', '=', id)
    .where(sql<boolean>`session_id is not distinct from ${session?.id ?? null}`)
    .where('ends_at', '>', new Date())
    .executeTakeFirst()
  const viewer = row && (await actorsOf(tx, [id])).get(id)
  const member = viewer && (await actorOfMember(tx, row.membership_id))
  if (!member) return undefined
  const { name, email, ...actor } = member
  if (rightsOf(actor) !== row.rights) return undefined
  const isOfVendor = isVendorStaff(email, vendorDomain)
  return whyNotViewAs(viewer, { ...actor, isOfVendor }) ? undefined : { actor, name, endsAt: row.ends_at }
}

/** Like `findViewed` for the rest of a call's transaction, which then cannot write. */
export async function beginViewed(tx: TenantTx, person: Person, config: Config): Promise<Viewed> {
  const viewed = await findViewed(tx, person, config)
  if (!viewed) throw refuse('forbidden', viewingEndedText)
  person.viewing!.name = viewed.name
  await sql`set transaction read only`.execute(tx)
  return viewed
}

/** The refusal of a change by a person who views the portal as someone else. */
export async function refuseChange({ db, config }: Pick<Context, 'db' | 'config'>, person: Person): Promise<never> {
  const viewed = await inTenant(db, person.viewing!.tenant, (tx) => findViewed(tx, person, config))
  throw refuse('forbidden', viewed ? viewingText(viewed.name) : viewingEndedText)
}

/** Turns the error of a write in a transaction that cannot write into a refusal. */
export function refuseWrite(error: unknown, viewing: Viewing | undefined): never {
  if (viewing?.name !== undefined && (error as { code?: string }).code === '25006')
    throw refuse('forbidden', viewingText(viewing.name))
  throw error
}
