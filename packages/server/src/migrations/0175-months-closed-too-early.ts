import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * A month of which somebody had a report while it ran, and which nobody wrote down when it ended, was taken for finished with the
 * figures of that report: such are written down anew.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ id: string; zone: string }>`
    select id, time_zone as zone from tenant order by id`.execute(db)
  for (const { id, zone } of rows) {
    await sql.raw(`set local citus.propagate_set_commands = 'local'; set local app.tenant = '${id}'`).execute(db)
    await sql`
      update report_month set closed_at = null
      where tenant_id = ${id} and closed_at = gathered_at
        and gathered_at < (month + interval '1 month') at time zone ${zone}`.execute(db)
  }
}
