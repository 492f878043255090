import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/**
 * Bulk actions of whatever subject, and which a page does by calls of its own while it is open. The things that an action
 * is done to are items now; `bulk_action_device` is read by nobody any more and goes with a later version.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await run(`alter table bulk_action
    add column subject text not null default 'device',
    add column held_until timestamptz`)
  await tenantTable(db, {
    name: 'bulk_item',
    columns: `bulk_action_id uuid not null,
      item_id uuid not null,
      state text not null default 'waiting',
      message text,
      -- What it had before, as far as undoing needs it: the tags that were really added or removed, or the one it had.
      changed boolean not null default false,
      changed_tag_ids uuid[] not null default '{}',
      primary key (tenant_id, bulk_action_id, item_id)`,
    foreignKeys: ['foreign key (tenant_id, bulk_action_id) references bulk_action (tenant_id, id) on delete cascade'],
  })
  await run('create index bulk_item_state on bulk_item (tenant_id, bulk_action_id, state, item_id)')
  const { rows } = await sql<{ id: string }>`select id from tenant order by id`.execute(db)
  for (const { id } of rows) {
    await run(`set local citus.propagate_set_commands = 'local'; set local app.tenant = '${id}'`)
    await sql`
      insert into bulk_item (tenant_id, bulk_action_id, item_id, state, message, changed, changed_tag_ids)
      select tenant_id, bulk_action_id, device_id, state, message, changed, changed_tag_ids
      from bulk_action_device where tenant_id = ${id}
      on conflict do nothing`.execute(db)
  }
}
