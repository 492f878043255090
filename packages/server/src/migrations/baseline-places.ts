import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { sharedTable, tenantTable } from './tenant-table.ts'

/** Buildings with their floors and plans, and post codes. */
export async function createPlaces(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)

  await tenantTable(db, {
    name: 'building',
    columns: `id uuid not null,
      name text not null,
      address text not null default '',
      postcode text not null default '',
      latitude double precision,
      longitude double precision,
      compared_name text,
      -- One of its floors; of one that is gone nothing remains.
      default_floor_id uuid,
      revision integer not null default 1,
      responsible_person text,
      completion_certificate text,
      central_battery text,
      primary key (tenant_id, id)`,
  })
  await run('create unique index building_compared_name on building (tenant_id, compared_name)')
  await run(`create index building_map on building (tenant_id, latitude, longitude)
    include (id, name)
    where latitude is not null and longitude is not null`)
  await run('create unique index building_name on building (tenant_id, lower(name))')

  await tenantTable(db, {
    name: 'floor',
    columns: `id uuid not null,
      building_id uuid not null,
      number integer not null,
      name text not null,
      latitude double precision,
      longitude double precision,
      -- Metres.
      width double precision not null default 30,
      height double precision not null default 30,
      -- Degrees clockwise about the centre, which latitude and longitude say.
      rotation double precision not null default 0,
      revision integer not null default 1,
      primary key (tenant_id, id),
      unique (tenant_id, building_id, number)`,
    foreignKeys: ['foreign key (tenant_id, building_id) references building (tenant_id, id) on delete cascade'],
  })

  // What a building needs to be set up and shown on a map: the name as it is compared, the floor it opens on, where each
  // floor's plan lies and which file it is. Revisions are for two people who change the same. No column is called as one of a table that it is joined with: the version before does not say whose it means.
  await tenantTable(db, {
    name: 'floor_plan',
    columns: `floor_id uuid not null,
      file_id uuid not null,
      -- As the file was called; the same content may have come under another name before.
      name text not null,
      uploaded_at timestamptz not null,
      primary key (tenant_id, floor_id)`,
    foreignKeys: [
      'foreign key (tenant_id, file_id) references file (tenant_id, id)',
      'foreign key (tenant_id, floor_id) references floor (tenant_id, id) on delete cascade',
    ],
  })
  await run('create index floor_plan_file on floor_plan (tenant_id, file_id)')

  await sharedTable(
    db,
    'postcode',
    `postcode text not null,
      latitude double precision not null,
      longitude double precision not null,
      check ((latitude >= ('-90'::integer)::double precision) and (latitude <= (90)::double precision)),
      check ((longitude >= ('-180'::integer)::double precision) and (longitude <= (180)::double precision)),
      primary key (postcode)`,
    'select',
  )
}
