import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * What devices said of records that they have none of, by what they watch, is settled by a job that the version before does not know: it
 * would settle them as before. Lights in stock that said that their battery is not full are looked at as well.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into due (work, tenant_id, due_at)
    select work, id, timestamptz 'epoch' from tenant, unnest(array['settle unwatched', 'watch charge']) as work
    on conflict do nothing`.execute(db)
}
