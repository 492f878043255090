import { randomUUID } from 'node:crypto'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { rightsOf } from '@caretaker/rules/identity/actor.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { record } from '../projections/record.ts'

/** The person who views the portal, with the session that they use. */
interface Viewer {
  id: string
  name: string
  session?: { id: string } | undefined
}

/** Begins a view of the client as one of its members, which lasts until a time; returns its id. */
export async function startViewing(
  tx: TenantTx,
  viewer: Viewer,
  { member, viewed, now, endsAt }: { member: { id: string; name: string }; viewed: Actor; now: Date; endsAt: Date },
): Promise<string> {
  const viewingId = randomUUID()
  await tx
    .insertInto('viewing')
    .values({
      ...{ tenant_id: tx.tenant, id: viewingId, membership_id: member.id },
      ...{ person_id: viewer.id, person_name: viewer.name, session_id: viewer.session?.id ?? null },
      ...{ rights: rightsOf(viewed), began_at: now, ends_at: endsAt },
    })
    .execute()
  record(tx, [
    {
      ...{ type: 'ViewingStarted', userId: member.id, userName: member.name, by: viewer, endsAt },
      ...{ before: null, after: { endsAt: endsAt.toISOString() } },
    },
  ])
  return viewingId
}

/** Which views end: one or all of a viewer, those by or as a member, or expired ones. */
type Which = { viewer: string; id?: string | undefined } | { member: string; personId: string | null } | { until: Date }

/** Ends views of the client, and records it for their viewers. Returns how many. */
export async function endViews(tx: TenantTx, which: Which): Promise<number> {
  const ended = await tx
    .deleteFrom('viewing')
    .where('tenant_id', '=', tx.tenant)
    .where((eb) => {
      if ('until' in which) return eb('ends_at', '<=', which.until)
      if ('member' in which)
        return eb.or([eb('membership_id', '=', which.member), eb('person_id', 'is not distinct from', which.personId)])
      return eb.and([eb('person_id', '=', which.viewer), ...(which.id === undefined ? [] : [eb('id', '=', which.id)])])
    })
    .returning(['membership_id', 'person_id', 'person_name', 'ends_at'])
    .execute()
  if (!ended.length) return 0
  const members = await tx
    .selectFrom('membership')
    .select(['id', 'name'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', 'in', [...new Set(ended.map(({ membership_id: id }) => id))])
    .execute()
  const names = new Map(members.map(({ id, name }) => [id, name]))
  record(
    tx,
    ended.map(({ membership_id: userId, ends_at: endsAt, ...viewer }) => ({
      ...{ type: 'ViewingEnded', userId, userName: names.get(userId) ?? '' },
      ...{ by: { id: viewer.person_id, name: viewer.person_name } },
      ...{ before: null, after: { isExpired: +endsAt <= Date.now() } },
    })),
  )
  return ended.length
}

/** Deletes the views of people who are erased, without a trace of their names. */
export async function eraseViews(tx: TenantTx, personIds: readonly string[]): Promise<void> {
  if (!personIds.length) return
  await tx
    .deleteFrom('viewing')
    .where('tenant_id', '=', tx.tenant)
    .where('person_id', 'in', [...personIds])
    .execute()
}
