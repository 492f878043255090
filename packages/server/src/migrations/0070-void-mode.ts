import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/**
 * What void mode asks of the devices of a home: each value that it holds, with the one of before, and each firing of a boiler
 * with what became of it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await tenantTable(db, {
    name: 'void_effect',
    columns: `device_id uuid not null,
      effect text not null,
      -- The home for which it was asked.
      property_id uuid not null,
      -- Whether void mode holds the value, or has given it back.
      is_held boolean not null,
      -- The heating maximum before, in °C.
      former double precision,
      -- The last command by which it was asked; null where nothing could be asked.
      command_id uuid,
      asked_at timestamptz not null,
      primary key (tenant_id, device_id, effect)`,
    foreignKeys: [
      'foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade',
      'foreign key (tenant_id, property_id) references property (tenant_id, id) on delete cascade',
    ],
  })
  await run('create index void_effect_home on void_effect (tenant_id, property_id)')
  await tenantTable(db, {
    name: 'void_firing',
    columns: `device_id uuid not null,
      -- The day of it in the tenant's zone: a boiler is fired once on it, whatever the clocks do.
      monday date not null,
      property_id uuid not null,
      due_at timestamptz not null,
      -- due, asked, or missed because the server was not there.
      state text not null default 'due',
      command_id uuid,
      primary key (tenant_id, device_id, monday)`,
    foreignKeys: [
      'foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade',
      'foreign key (tenant_id, property_id) references property (tenant_id, id) on delete cascade',
    ],
  })
  await run(`create index void_firing_due on void_firing (tenant_id, due_at) where state = 'due'`)
  await run('create index void_firing_home on void_firing (tenant_id, property_id, due_at desc)')
  await run(
    `insert into due (work, tenant_id, due_at) select 'void mode', id, 'epoch' from tenant on conflict do nothing`,
  )
}
