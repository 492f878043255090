import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/** How many messages of a device were not taken, told on its page; and events and audit entries that grow old. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await tenantTable(db, {
    name: 'refused_message',
    columns: `device_id uuid not null,
      reason text not null,
      count bigint not null,
      first_at timestamptz not null,
      last_at timestamptz not null,
      primary key (tenant_id, device_id, reason)`,
    foreignKeys: ['foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade'],
  })
  // What is old already is found by looking once in every tenant.
  await sql`
    insert into due (work, tenant_id, due_at)
    select work, tenant.id, ${new Date(0)} from tenant, unnest(${['forget events', 'forget audit']}::text[]) as work
    on conflict do nothing`.execute(db)
}
