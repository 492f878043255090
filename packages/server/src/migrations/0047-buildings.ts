import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/**
 * What a building needs to be set up and shown on a map: the name as it is compared, the floor it opens on, where each
 * floor's plan lies and which file it is. Revisions are for two people who change the same. No column is called as one of a table that it is joined with: the version before does not say whose it means.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await run(`alter table building
    add column compared_name text,
    -- One of its floors; of one that is gone nothing remains.
    add column default_floor_id uuid,
    add column revision integer not null default 1`)
  await run(`alter table floor
    add column latitude double precision,
    add column longitude double precision,
    -- Metres.
    add column width double precision not null default 30,
    add column height double precision not null default 30,
    -- Degrees clockwise about the centre, which latitude and longitude say.
    add column rotation double precision not null default 0,
    add column revision integer not null default 1`)
  await tenantTable(db, {
    name: 'floor_plan',
    columns: `floor_id uuid not null,
      file_id uuid not null,
      -- As the file was called; the same content may have come under another name before.
      name text not null,
      uploaded_at timestamptz not null,
      primary key (tenant_id, floor_id)`,
    foreignKeys: [
      'foreign key (tenant_id, floor_id) references floor (tenant_id, id) on delete cascade',
      'foreign key (tenant_id, file_id) references file (tenant_id, id)',
    ],
  })
  await run('create index floor_plan_file on floor_plan (tenant_id, file_id)')
  // Of names that come to the same the first alone has it: the others keep their names until somebody changes them.
  const { rows } = await sql<{ id: string }>`select id from tenant order by id`.execute(db)
  for (const { id: tenant } of rows) {
    await run(`set local citus.propagate_set_commands = 'local'; set local app.tenant = '${tenant}'`)
    await sql`
      with keyed as (
        select id, row_number() over (partition by key order by id) as place, key
        from (
          select id, regexp_replace(regexp_replace(lower(trim(name)), '\\s+', '-', 'g'), '[^[:alnum:]-]', '', 'g') as key
          from building where tenant_id = ${tenant}) as building
        where key <> '')
      update building set compared_name = keyed.key from keyed
      where building.tenant_id = ${tenant} and building.id = keyed.id and keyed.place = 1`.execute(db)
  }
}
