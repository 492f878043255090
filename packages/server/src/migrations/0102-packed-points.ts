import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/**
 * Points older than a day lie here, a row for each series and day. Arrays that hardly change from one element to the next are
 * what Postgres compresses well: gaps between regular readings are nearly all the same.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await tenantTable(db, {
    name: 'packed_day',
    columns: `series_id bigint not null,
      -- The beginning of the day in UTC.
      day timestamptz not null,
      n integer not null,
      -- In ms: from the beginning of the day to the first reading, and from each to the next.
      gaps integer[] not null,
      readings double precision[] not null,
      primary key (tenant_id, series_id, day)`,
    hot: true,
    with: 'toast_tuple_target = 128',
    storage: { gaps: 'main', readings: 'main' },
  })
  await sql`
    insert into due (work, tenant_id, due_at) select 'pack points', id, timestamptz 'epoch' from tenant
    on conflict do nothing`.execute(db)
}
