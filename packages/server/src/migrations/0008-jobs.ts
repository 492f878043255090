import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { sharedTable } from './tenant-table.ts'

/** Which tenant has which work waiting for the jobs, and from when. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Read by the worker, which serves all tenants at once.
  await sharedTable(
    db,
    'due',
    `work text not null,
     tenant_id text not null,
     due_at timestamptz not null,
     primary key (work, tenant_id)`,
    'select, insert, update, delete',
    { local: true },
  )
  // What waits of the data that is there is found by looking once in every tenant.
  await sql`
    insert into due (work, tenant_id, due_at)
    select work, tenant.id, ${new Date(0)} from tenant, unnest(${[
      'sweep connections',
      'run bulk actions',
      'erase readings',
      'sum up days',
      'forget telemetry',
      'forget bad messages',
      'forget mails',
      'forget bulk actions',
    ]}::text[]) as work`.execute(db)
}
