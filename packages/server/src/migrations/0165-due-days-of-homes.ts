import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * The true day of a step is entered as another row, which names the one that it corrects: what was entered stays. A gas check
 * remembers the deadline whose date it kept. What was due in open cases and of gas checks is counted anew by the job.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table awaabs_law_step add column corrects uuid, add column emergency boolean`.execute(db)
  await sql`alter table property add column gas_check_after date`.execute(db)
  await sql`insert into due (work, tenant_id, due_at)
    select 'count due days', id, '1970-01-01' from tenant on conflict do nothing`.execute(db)
}
