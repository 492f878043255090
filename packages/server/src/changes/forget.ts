import { sql } from 'kysely'
import type { Db } from '../postgres/pool.ts'
import { inTenant } from '../postgres/tenant.ts'
import { memory } from './feed.ts'

/** Rows deleted in one transaction at most. */
const batch = 5000

/** Deletes what the feed is no longer asked for: what is older than twice its memory. Returns how many rows. */
export async function forgetChanges(db: Db, now = new Date()): Promise<number> {
  const oldest = new Date(now.getTime() - 2 * memory)
  let gone = 0
  for (const { id } of await db.selectFrom('tenant').select('id').orderBy('id').execute())
    for (let found = batch; found === batch; gone += found) found = await forgetSome(db, id, oldest)
  return gone
}

/** The oldest are looked at alone: rows stand in the order of their transactions, which is about that of their times. */
async function forgetSome(db: Db, tenant: string, oldest: Date): Promise<number> {
  return inTenant(db, tenant, async (tx) => {
    const { numAffectedRows } = await sql`
      delete from change where tenant_id = ${tenant} and (position, seq) in (
        select position, seq from (
          select position, seq, at from change where tenant_id = ${tenant} order by position, seq limit ${batch}
        ) as first where at < ${oldest})`.execute(tx)
    return Number(numAffectedRows)
  })
}
