import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { applicationRole, tenantTable } from './tenant-table.ts'

/** The texts of a device that listings filter, sort and search by. */
const texts = [
  'serial',
  'name',
  'building_name',
  'floor_name',
  'room',
  'address',
  'postcode',
  'property_reference',
  'location',
  'location_details',
]
const faultCode = `left(nullif(reported ->> 'faultCode', 'None'), 60)`

/** Where the devices of a tenant are, cut to what an index of devices can hold. */
async function copyPlaces(db: Kysely<unknown>, tenant: string): Promise<void> {
  await sql`
    with place as (
      select device.id, left(building.name, 80) as building_name, floor.number as floor_number,
        left(floor.name, 40) as floor_name, left(property.reference, 40) as property_reference,
        left(coalesce(
          nullif(concat_ws(', ', nullif(property.address1, ''), nullif(property.address2, ''),
            nullif(property.address3, ''), nullif(property.town, ''), nullif(property.county, '')), ''),
          nullif(building.address, '')), 200) as address,
        left(coalesce(nullif(property.postcode, ''), nullif(building.postcode, '')), 12) as postcode
      from device
      left join building on building.tenant_id = ${tenant} and building.id = device.building_id
      left join floor on floor.tenant_id = ${tenant} and floor.id = device.floor_id
      left join property on property.tenant_id = ${tenant} and property.id = device.property_id
      where device.tenant_id = ${tenant}
    )
    update device set building_name = place.building_name, floor_number = place.floor_number,
      floor_name = place.floor_name, property_reference = place.property_reference, address = place.address,
      postcode = place.postcode
    from place
    where device.tenant_id = ${tenant} and device.id = place.id`.execute(db)
}

/** What listings sort, filter and search by, views, documents, bulk actions and licences. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)

  // Where a device is, copied from its building, floor and property, so that a listing is read from one table.
  await run(`alter table device
    add column building_name text,
    add column floor_number integer,
    add column floor_name text,
    add column property_reference text,
    add column address text,
    add column postcode text,
    add column status_at timestamptz not null default now(),
    add column last_test_at timestamptz,
    add column fault_code text generated always as (${faultCode}) stored`)
  // Texts are compared and sorted in lower case. Row security lets no expression be an index's condition, but a column.
  const folded = [...texts.map((name) => [name, name]), ['fault_code', faultCode]]
  const added = folded.map(
    ([name, text]) => `add column ${name}_folded text generated always as (lower(${text})) stored`,
  )
  await run(`alter table device ${added.join(', ')}`)
  await run(`alter table device
    add column search text not null generated always as (lower(
      serial || ' ' || name || ' ' || coalesce(building_name, '') || ' ' || coalesce(floor_name, '') || ' ' ||
      coalesce(room, '') || ' ' || coalesce(location, '') || ' ' || coalesce(property_reference, ''))) stored,
    add column search_address text not null generated always as (lower(
      coalesce(address, '') || ' ' || coalesce(postcode, ''))) stored`)
  const { rows } = await sql<{ id: string }>`select id from tenant order by id`.execute(db)
  for (const { id } of rows) {
    // A statement of its own for the other machines of a distributed database: set_config would not reach them.
    await run(`set local citus.propagate_set_commands = 'local'; set local app.tenant = '${id}'`)
    await copyPlaces(db, id)
    await sql`
      update device set last_test_at = newest.at
      from (select device_id, max(started_at) as at from emergency_test where tenant_id = ${id} group by device_id) as newest
      where device.tenant_id = ${id} and device.id = newest.device_id`.execute(db)
    await sql`
      update device set listing = case product when 'ADEY' then 'ThirdParty' when 'ZH' then 'HomeHubs' else 'VStats' end
      where tenant_id = ${id} and product in ('ADEY', 'ZH', 'TH')`.execute(db)
  }
  // All of these stand in one index, in lower case half as long again at worst; it has room for 2,700 bytes of a device.
  await run(`alter table device add constraint device_texts_fit_the_index check (octet_length(
    serial || name || coalesce(building_name, '') || coalesce(floor_name, '') || coalesce(property_reference, '') ||
    coalesce(address, '') || coalesce(postcode, '') || coalesce(room, '') || coalesce(location, '') ||
    coalesce(location_details, '')) <= 1200)`)
  await run('create index device_tag_tag on device_tag (tenant_id, tag_id, device_id)')

  await tenantTable(db, {
    name: 'view_definition',
    columns: `id uuid not null,
      root text not null,
      label text not null,
      private boolean not null,
      owner_id uuid not null,
      author_ids uuid[] not null default '{}',
      columns jsonb not null,
      filters jsonb not null,
      sorts jsonb not null,
      version integer not null default 1,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id)`,
  })
  await run('create index view_definition_root on view_definition (tenant_id, root)')
  // Two people may give one name at the same moment. Private names are their owner's business.
  await run(
    `create unique index view_definition_public_name on view_definition (tenant_id, root, lower(label)) where not private`,
  )
  await run(
    `create unique index view_definition_private_name on view_definition (tenant_id, owner_id, root, lower(label)) where private`,
  )

  // What a person keeps for themselves, such as the views of the grids.
  await tenantTable(db, {
    name: 'user_document',
    columns: `id uuid not null,
      owner_id uuid not null,
      document_type text not null,
      content_type text not null,
      metadata jsonb not null,
      content jsonb not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id)`,
  })
  await run('create index user_document_owner on user_document (tenant_id, owner_id, document_type)')

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
      primary key (tenant_id, id)`,
  })
  await run('create index bulk_action_person on bulk_action (tenant_id, started_by, started_at desc)')
  await run('create index bulk_action_open on bulk_action (tenant_id, id) where finished_at is null')
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

  // Readings of devices that were uninstalled. A device may have too many to delete while somebody waits: their series is
  // taken away at once, so that nobody sees them any more, and a job deletes them.
  await tenantTable(db, {
    name: 'erasure',
    columns: `series_id bigint not null,
      asked_at timestamptz not null default now(),
      erased_at timestamptz,
      primary key (tenant_id, series_id)`,
  })
  await run(`grant delete on point to ${applicationRole}`)

  // A service that was bought for so many homes; each is given to one or to none yet.
  await tenantTable(db, {
    name: 'licence',
    columns: `id uuid not null,
      type text not null,
      property_id uuid,
      start_on date not null,
      period_months integer not null check (period_months > 0),
      renewed_on date,
      primary key (tenant_id, id)`,
    foreignKeys: ['foreign key (tenant_id, property_id) references property (tenant_id, id)'],
  })
  await run('create index licence_property on licence (tenant_id, property_id)')
}
