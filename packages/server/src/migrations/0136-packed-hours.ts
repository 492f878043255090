import type { Kysely } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/**
 * The hours of packed days of what reports tell of, a row for each series and day. Hours of one series lie scattered in their own table, as
 * they came between all others: a report of a month would fetch a page for each.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await tenantTable(db, {
    name: 'packed_hours',
    columns: `series_id bigint not null,
      -- The beginning of the day in UTC.
      day timestamptz not null,
      low double precision not null,
      high double precision not null,
      -- Of each hour that has one: the hour since the epoch in 4 bytes, its mean in 8.
      means bytea not null,
      primary key (tenant_id, series_id, day)`,
    hot: true,
    grants: 'select, insert, delete',
  })
}
