import { sql } from 'kysely'
import { refuse } from '@caretaker/contract/refusal.ts'
import { viewingMinutes } from '@caretaker/contract/calls/people.ts'
import { internalRoles } from '@caretaker/rules/identity/roles.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { isVendorStaff, whyNotViewAs, whyNotViewTexts } from '@caretaker/rules/people/users.ts'
import { endViews, startViewing } from '../../people/viewings.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { actorOf, actorOfMember } from '../../http/access.ts'
import type { Person } from '../../identity/person.ts'
import type { Asking } from './service.ts'
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

/**
 * Begins a view of the client as one of its members; the person's earlier views end. `elsewhere` are the member's roles
 * anywhere.
 */
export async function beginViewing(asking: Asking, id: string, elsewhere: readonly Role[]) {
  const { tx, person } = asking
  await holdBoth(tx, person, id)
  const member = await memberToView({ ...asking, actor: await actorOf(tx, person) }, id)
  const viewed = await actorOfMember(tx, id)
  if (!viewed) throw refuse('not found')
  if (elsewhere.some((role) => internalRoles.includes(role))) throw refuse('forbidden', whyNotViewTexts['vendor staff'])
  await endViews(tx, { viewer: person.id })
  const now = new Date()
  const endsAt = new Date(+now + viewingMinutes * 60_000)
  const viewingId = await startViewing(tx, person, { member, viewed, now, endsAt })
  return { viewingId, name: member.name, role: member.role, endsAt: endsAt.toISOString() }
}

/** Locks the member and the viewer, in the same order as changes to members, so that neither changes meanwhile. */
async function holdBoth(tx: TenantTx, { id }: Pick<Person, 'id'>, memberId: string): Promise<void> {
  await sql`
    select from membership where tenant_id = ${tx.tenant} and (id = ${memberId} or person_id = ${id})
    order by id for update`.execute(tx)
}
