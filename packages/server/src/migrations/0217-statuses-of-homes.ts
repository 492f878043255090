import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/**
 * Which statuses the devices of a home have, kept as one value of the home as their tags are: which of them somebody sees depends on
 * product and access rights tag. The job that keeps statuses of homes writes it for all. Whoever has 0207 as it was at first lacks what
 * it makes of that by now; everybody else has it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Said first: whoever has work to do holds what is due before homes. The day after once more, for the version before, which may
  // still run for a while, settles homes without a word of their statuses.
  await sql`
    insert into due (work, tenant_id, due_at) select 'settle homes', id, 'epoch'::timestamptz from tenant
    union all select 'look at tags of homes', id, now() + interval '1 day' from tenant
    on conflict (work, tenant_id) do update set due_at = least(due.due_at, excluded.due_at)`.execute(db)
  await sql`alter table property add column if not exists status_set uuid`.execute(db)
  const { rows } = await sql`select where to_regclass('status_set') is null`.execute(db)
  if (!rows.length) return
  await tenantTable(db, {
    name: 'status_set',
    columns: `
      id uuid not null,
      place integer not null,
      product text not null,
      access_rights_tag_id uuid,
      status text not null,
      severity smallint not null,
      primary key (tenant_id, id, place)`,
  })
}
