import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** What a repair put in: models and numbers of parts, the time of day, and the day on which a battery was fitted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table repair_form
    add column replaced jsonb,
    -- A time of day as HH:MM, in the tenant's zone.
    add column repaired_time text,
    -- A day as YYYY-MM-DD, in the tenant's zone.
    add column battery_fitted_on text`.execute(db)
}
