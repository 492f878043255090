import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/**
 * Alerts whose subject is a home, and the history of homes by which rules decide. The version before runs beside this one for a
 * while: a round of it that meets an alert of a home fails and is rolled back, and this version takes that alert further.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await tenantTable(db, {
    name: 'home_spell',
    columns: `property_id uuid not null,
      kind text not null,
      key text not null,
      -- Which of several of one key it is, such as a deadline.
      about text not null default '',
      began_at timestamptz not null,
      seen_at timestamptz not null,
      ended_at timestamptz,
      primary key (tenant_id, property_id, kind, key, about, seen_at)`,
    foreignKeys: ['foreign key (tenant_id, property_id) references property (tenant_id, id) on delete cascade'],
    hot: true,
  })
  await run(`create unique index home_spell_open on home_spell (tenant_id, property_id, kind, key, about)
    where ended_at is null`)
  await run(`create index home_spell_key on home_spell (tenant_id, kind, key, property_id)`)
  await run(`create index home_spell_ended on home_spell (tenant_id, ended_at) where ended_at is not null`)
  // An alert has a device or a home.
  await run('alter table alert alter column device_id drop not null')
  await run(`alter table alert add column property_id uuid, add column about text not null default ''`)
  await run(`alter table alert
    add foreign key (tenant_id, property_id) references property (tenant_id, id) on delete cascade`)
  // Since when homes have a history of their own; null until what was kept of them at devices is taken over.
  await run('alter table alert_progress add column homes_since timestamptz')
  // Frost is looked for where temperature alone is read; clients that have no devices may have homes.
  await sql`insert into due (work, tenant_id, due_at)
    select work, tenant.id, '1970-01-01' from tenant cross join (values ('watch alerts'), ('assess damp')) as due (work)
    on conflict do nothing`.execute(db)
}
