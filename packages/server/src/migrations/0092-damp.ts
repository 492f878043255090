import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/**
 * How likely damp and mould are in the room of each sensor of air, as it was reckoned last, with what the next hour is added to; and
 * of each home the worst of its rooms. Every tenant is assessed at the next run.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await tenantTable(db, {
    name: 'damp_room',
    columns: `device_id uuid not null,
      level text not null,
      reason text not null,
      -- Since when it is at this level.
      since timestamptz not null,
      -- Since when somebody is to be told of it; it ends when the room is known to have dried.
      pressing_since timestamptz,
      cold text,
      cold_reason text,
      mean_temperature real,
      mean_humidity real,
      humid_days smallint not null,
      mould_index real not null,
      -- Of how many hours of the week the weather is assumed: none, some or all.
      assumed text not null,
      -- The hours of the last week, and how far mould had come at their end.
      hours bytea not null,
      mould double precision not null,
      dry integer not null,
      -- Up to which hour it is assessed, and when it was last reckoned from all its hours, late ones among them.
      until timestamptz not null,
      reckoned_at timestamptz not null,
      primary key (tenant_id, device_id)`,
    foreignKeys: ['foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade'],
    // Every row is written anew each hour, in the room that the one of before leaves.
    with: 'fillfactor = 45',
  })
  await run('create index damp_room_reckoned on damp_room (tenant_id, reckoned_at)')
  // The rank is for orders: an index of words would sort by them.
  await run(`alter table property
    add column damp_level text not null default 'not assessed',
    add column damp_rank smallint not null default 0,
    add column damp_since timestamptz`)
  await run(
    `insert into due (work, tenant_id, due_at) select 'assess damp', id, 'epoch' from tenant on conflict do nothing`,
  )
}
