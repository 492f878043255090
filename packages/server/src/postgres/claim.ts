import { sql } from 'kysely'
import type { TenantTx } from './tenant.ts'

/** Tables of what a worker writes for somebody: each row is claimed by one worker at a time, again when that one falls silent. */
type Written = 'report_run' | 'tenant_export'

/** The id of the oldest that waits, or whose writer has not been heard of since its claim ran out, now claimed until an instant. */
export async function claimOldest(tx: TenantTx, table: Written, now: Date, until: Date): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    update ${sql.table(table)} set state = 'running', claimed_until = ${until}, attempts = attempts + 1, rows_written = 0
    where tenant_id = ${tx.tenant} and id = (
      select id from ${sql.table(table)}
      where tenant_id = ${tx.tenant} and finished_at is null and (claimed_until is null or claimed_until <= ${now})
      order by asked_at, id limit 1 for update skip locked)
    returning id`.execute(tx)
  return rows[0]?.id
}
