import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * The readings of a packed day that a chart of a week draws, beside all of them, as these are kept; null where that would be most of
 * them. `outline_of` is how many readings the day had when it was made: a process of the version before does not know of it, and
 * adds late readings to the day alone.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table packed_day
      add column outline_of integer,
      add column outline_gaps integer[],
      add column outline_readings double precision[],
      alter column outline_gaps set storage main,
      alter column outline_readings set storage main`.execute(db)
}
