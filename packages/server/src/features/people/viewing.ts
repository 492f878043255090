import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { refuse } from '@caretaker/contract/refusal.ts'
import { viewingMinutes } from '@caretaker/contract/calls/people.ts'
import { internalRoles } from '@caretaker/rules/identity/roles.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { isVendorStaff, whyNotViewAs, whyNotViewTexts } from '@caretaker/rules/people/users.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { Person } from '../../identity/person.ts'
import type { Asking } from './service.ts'
import { recordAction } from './service.ts'
import * as store from './store.ts'

/** The member whom a manager is about to view the portal as. */
async function memberToView({ tx, actor, context }: Asking, id: string) {
  const member = (await store.listMembers(tx)).find((one) => one.id === id)
  if (!member) throw refuse('not found')
  const isOfVendor = isVendorStaff(member.email, context.config.vendorDomain)
  const why = whyNotViewAs(actor, { ...member, isOfVendor })
  if (why) throw refuse('forbidden', whyNotViewTexts[why])
  return member
}

/** The person of a member whom the actor may view the portal as; null for a member who has never signed in. */
export async function personToView(asking: Asking, id: string): Promise<string | null> {
  return (await memberToView(asking, id)).personId
}

/** Begins a view of the client as one of its members; earlier ones of the person end. `elsewhere` are the member's roles anywhere. */
export async function beginViewing(asking: Asking, id: string, elsewhere: readonly Role[]) {
  const { tx, person } = asking
  const member = await memberToView(asking, id)
  if (elsewhere.some((role) => internalRoles.includes(role))) throw refuse('forbidden', whyNotViewTexts['vendor staff'])
  await holdMember(tx, id)
  await endViewings(tx, person)
  const [viewingId, now] = [randomUUID(), Date.now()]
  const endsAt = new Date(now + viewingMinutes * 60_000)
  await tx
    .insertInto('viewing')
    .values({
      ...{ tenant_id: tx.tenant, id: viewingId, membership_id: member.id },
      ...{ person_id: person.id, person_name: person.name, session_id: person.session?.id ?? null },
      ...{ began_at: new Date(now), ends_at: endsAt },
    })
    .execute()
  await recordAction({ tx, person }, 'viewing as user started', member, { endsAt: endsAt.toISOString() })
  return { viewingId, name: member.name, role: member.role, endsAt: endsAt.toISOString() }
}

/** Prevents that the member is removed meanwhile. */
async function holdMember(tx: TenantTx, id: string): Promise<void> {
  const { rows } = await sql`
    select from membership where tenant_id = ${tx.tenant} and id = ${id} for key share`.execute(tx)
  if (!rows.length) throw refuse('not found')
}

/** Ends the person's views of the client, or one of them, and records it. */
export async function endViewings(tx: TenantTx, person: Pick<Person, 'id' | 'name'>, id?: string): Promise<number> {
  const ended = await tx
    .deleteFrom('viewing')
    .where('tenant_id', '=', tx.tenant)
    .where('person_id', '=', person.id)
    .$if(id !== undefined, (query) => query.where('id', '=', id!))
    .returning(['membership_id', 'ends_at'])
    .execute()
  if (!ended.length) return 0
  const names = new Map((await store.listMembers(tx)).map((member) => [member.id, member.name]))
  for (const { membership_id: id, ends_at: endsAt } of ended) {
    const member = { id, name: names.get(id) ?? '' }
    await recordAction({ tx, person }, 'viewing as user ended', member, { isExpired: +endsAt <= Date.now() })
  }
  return ended.length
}
