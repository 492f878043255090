import { sql } from 'kysely'
import { audit } from '../../audit/audit.ts'
import { doDue } from '../../postgres/due.ts'
import type { Db } from '../../postgres/pool.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { listMembers } from './store.ts'

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
  const names = new Map((await listMembers(tx)).map((member) => [member.id, member.name]))
  for (const { membership_id: id, ends_at: endsAt, ...viewer } of ended)
    await audit(tx, {
      ...{ person: { id: viewer.person_id, name: viewer.person_name }, action: 'viewing as user ended' },
      ...{ subject: { type: 'user', id, name: names.get(id) ?? '' }, after: { isExpired: +endsAt <= Date.now() } },
    })
  return ended.length
}

/** Ends the views that have expired: the browser may have been closed before. Returns how many. */
export async function endExpiredViews(db: Db, now = new Date()): Promise<number> {
  return doDue(db, {
    ...{ work: 'end views', now },
    run: (tenant) => inTenant(db, tenant, (tx) => endViews(tx, { until: now })),
    next: async (tx) => {
      const { rows } = await sql<{ first: Date | null }>`
        select min(ends_at) as first from viewing where tenant_id = ${tx.tenant}`.execute(tx)
      return rows[0]!.first
    },
  })
}
