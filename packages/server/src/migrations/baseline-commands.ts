import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { sharedTable, tenantTable } from './tenant-table.ts'

/** Commands to devices, and actions on many devices at once. */
export async function createCommands(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)

  await tenantTable(db, {
    name: 'command',
    columns: `id uuid not null,
      device_id uuid not null,
      name text not null,
      args jsonb not null,
      status text not null default 'queued',
      message text,
      created_by uuid,
      created_at timestamptz not null default now(),
      sent_at timestamptz,
      attempts integer not null default 0,
      answered_at timestamptz,
      expires_at timestamptz not null,
      taken_back_at timestamptz,
      taken_back_by uuid,
      late_answer text,
      primary key (tenant_id, id)`,
    foreignKeys: [
      'foreign key (created_by) references person (id)',
      'foreign key (taken_back_by) references person (id)',
      'foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade',
    ],
  })
  await run('create index command_device on command (tenant_id, device_id, created_at desc)')

  // The queue of what is still to be sent: read by the device link, which serves all tenants at once.
  await sharedTable(
    db,
    'command_outbox',
    `command_id uuid not null,
      tenant_id text not null,
      device_id uuid not null,
      due_at timestamptz not null default now(),
      expires_at timestamptz not null,
      primary key (command_id)`,
    'select, insert, update, delete',
    { local: true },
  )
  await run('alter table command_outbox add foreign key (tenant_id) references tenant (id)')
  await run('create index command_outbox_device on command_outbox (device_id)')
  await run('create index command_outbox_due on command_outbox (due_at)')

  await tenantTable(db, {
    name: 'bulk_action',
    columns: `id uuid not null,
      action text not null,
      tag_ids uuid[] not null default '{}',
      tag_names text[] not null default '{}',
      started_by uuid not null,
      started_by_name text not null,
      started_at timestamptz not null default now(),
      -- Counted as they happen: a hundred thousand rows are not counted at each look.
      total integer not null,
      done integer not null default 0,
      failed integer not null default 0,
      finished_at timestamptz,
      undone_at timestamptz,
      subject text not null default 'device',
      held_until timestamptz,
      settings jsonb,
      primary key (tenant_id, id)`,
  })
  await run('create index bulk_action_open on bulk_action (tenant_id, id) where finished_at is null')
  await run('create index bulk_action_person on bulk_action (tenant_id, started_by, started_at desc)')

  await tenantTable(db, {
    name: 'bulk_action_device',
    columns: `bulk_action_id uuid not null,
      device_id uuid not null,
      state text not null default 'waiting',
      message text,
      -- What it had before, as far as undoing needs it: the tags that were really added or removed, or the one it had.
      changed boolean not null default false,
      changed_tag_ids uuid[] not null default '{}',
      primary key (tenant_id, bulk_action_id, device_id)`,
    foreignKeys: ['foreign key (tenant_id, bulk_action_id) references bulk_action (tenant_id, id) on delete cascade'],
  })
  await run('create index bulk_action_device_state on bulk_action_device (tenant_id, bulk_action_id, state, device_id)')

  // Bulk actions of whatever subject, and which a page does by calls of its own while it is open. The things that an action
  // is done to are items now; `bulk_action_device` is read by nobody any more and goes with a later version.
  await tenantTable(db, {
    name: 'bulk_item',
    columns: `bulk_action_id uuid not null,
      item_id uuid not null,
      state text not null default 'waiting',
      message text,
      -- What it had before, as far as undoing needs it: the tags that were really added or removed, or the one it had.
      changed boolean not null default false,
      changed_tag_ids uuid[] not null default '{}',
      had_before jsonb,
      primary key (tenant_id, bulk_action_id, item_id)`,
    foreignKeys: ['foreign key (tenant_id, bulk_action_id) references bulk_action (tenant_id, id) on delete cascade'],
  })
  await run('create index bulk_item_state on bulk_item (tenant_id, bulk_action_id, state, item_id)')
}
