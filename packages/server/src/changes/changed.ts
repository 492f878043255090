import { sql } from 'kysely'
import type { ChangeSubject } from '@caretaker/rules/changes/changes.ts'
import type { TenantTx } from '../postgres/tenant.ts'

/** The channel on which a tenant is named in which something changed, as soon as that is committed. */
export const somethingChanged = 'something_changed'

/** Ids beyond which a change is one of all things of its kind: more would cost more than to look at all of them. */
const mostIds = 5000

/**
 * Says that something people look at has changed, in the transaction that changes it: whoever writes such a thing calls this.
 * One call for many things, however many messages they come from. Without ids all things of the subject may have
 * changed; with none of them nothing has. An audience, ids of users or persons, is for what concerns only them.
 */
export async function changed(
  tx: TenantTx,
  subject: ChangeSubject,
  ids: Iterable<string> | null,
  audience: readonly string[] | null = null,
): Promise<void> {
  const these = ids && [...new Set(ids)]
  if (these?.length === 0) return
  // Array literals made here: the driver's own take a multiple of the time, and ids need no quotes.
  const list = these && these.length <= mostIds ? `{${these.join()}}` : null
  await sql`
    with told as (
      insert into change (tenant_id, subject, ids, audience)
      values (${tx.tenant}, ${subject}, ${list}::uuid[], ${audience}::uuid[]) returning tenant_id
    )
    select pg_notify(${somethingChanged}, tenant_id) from told`.execute(tx)
}
