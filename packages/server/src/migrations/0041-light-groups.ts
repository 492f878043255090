import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/**
 * Groups of emergency lights that are tested together, and their runs: each planned test of a group, and what became of
 * it for each light. A run outlives its group, whose name it keeps: a record of tests is never lost with the group.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await tenantTable(db, {
    name: 'light_group',
    columns: `id uuid not null,
      name text not null,
      -- The name as it is compared: no two groups of a tenant share it.
      name_key text not null,
      building_id uuid not null,
      -- By the clocks of the tenant: the yearly test begins at this time of day on each anniversary of this day.
      t180_start timestamp without time zone not null,
      -- Tests that are asked for besides T0 and T180.
      also_types text[] not null default '{}',
      created_at timestamptz not null,
      primary key (tenant_id, id),
      unique (tenant_id, name_key)`,
    foreignKeys: ['foreign key (tenant_id, building_id) references building (tenant_id, id)'],
  })
  await run('create index light_group_building on light_group (tenant_id, building_id)')
  // The key lets a light be in one group at most.
  await tenantTable(db, {
    name: 'light_group_member',
    columns: `device_id uuid not null,
      group_id uuid not null,
      added_at timestamptz not null,
      primary key (tenant_id, device_id)`,
    foreignKeys: [
      'foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade',
      'foreign key (tenant_id, group_id) references light_group (tenant_id, id) on delete cascade',
    ],
  })
  await run('create index light_group_member_group on light_group_member (tenant_id, group_id)')
  await tenantTable(db, {
    name: 'test_run',
    columns: `id uuid not null,
      group_id uuid not null,
      group_name text not null,
      building_id uuid not null,
      test_type text not null,
      starts_at timestamptz not null,
      state text not null default 'planned',
      ended_at timestamptz,
      primary key (tenant_id, id),
      unique (tenant_id, group_id, test_type, starts_at)`,
  })
  await run('create index test_run_start on test_run (tenant_id, starts_at)')
  await run(`create index test_run_open on test_run (tenant_id, starts_at) where state in ('planned', 'running')`)
  await tenantTable(db, {
    name: 'test_run_light',
    columns: `run_id uuid not null,
      device_id uuid not null,
      state text not null default 'waiting',
      reason text,
      -- When its command is to go out: the lights behind one gateway take turns.
      due_at timestamptz not null,
      command_id uuid,
      -- When the light confirmed that it has begun.
      synced_at timestamptz,
      -- The test that the light told of.
      event_id uuid,
      ended_at timestamptz,
      primary key (tenant_id, run_id, device_id)`,
    foreignKeys: [
      'foreign key (tenant_id, run_id) references test_run (tenant_id, id) on delete cascade',
      'foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade',
    ],
  })
  await run('create index test_run_light_device on test_run_light (tenant_id, device_id, due_at desc)')
  await run(`create index test_run_light_open on test_run_light (tenant_id, due_at)
    where state in ('waiting', 'sent', 'running')`)
}
