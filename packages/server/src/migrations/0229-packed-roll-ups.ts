import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

const arrays = ['hours', 'n', 'totals', 'lows', 'highs', 'last_ms', 'last_values']

/**
 * Hourly roll-ups of two months ago and before lie here, a row for each series and day: as rows of their own they take 225 bytes each,
 * most of it the room that was left for their changes, their key, and the index.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await tenantTable(db, {
    name: 'packed_roll_up',
    columns: `series_id bigint not null,
      -- The beginning of the day in UTC.
      day timestamptz not null,
      -- Of each hour of the day that has readings which it is, and what a row of "hourly" says of it.
      hours smallint[] not null,
      n integer[] not null,
      totals double precision[] not null,
      lows double precision[] not null,
      highs double precision[] not null,
      -- When the newest reading came, in ms since the hour began.
      last_ms integer[] not null,
      last_values double precision[] not null,
      primary key (tenant_id, series_id, day)`,
    hot: true,
    with: 'toast_tuple_target = 128',
    storage: Object.fromEntries(arrays.map((column) => [column, 'main'])),
  })
  // A day later: by then no process of a version is left that looks for them where they were.
  await sql`
    insert into due (work, tenant_id, due_at) select 'pack roll-ups', id, now() + interval '1 day' from tenant
    on conflict do nothing`.execute(db)
}
