import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { sharedTable, tenantTable } from './tenant-table.ts'

/** Devices, how they are reached, and what is true of them. */
export async function createDevices(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)

  await tenantTable(db, {
    name: 'device',
    columns: `id uuid not null,
      serial text not null,
      product text not null,
      model text not null default '',
      name text not null,
      listing text,
      status text not null,
      severity smallint not null,
      connection_status text not null default 'neverconnected',
      in_wholesale boolean not null default false,
      building_id uuid,
      floor_id uuid,
      property_id uuid,
      parent_id uuid,
      access_rights_tag_id uuid,
      room text,
      location text,
      location_details text,
      power_clamps jsonb,
      latitude double precision,
      longitude double precision,
      monitoring text,
      reported jsonb not null default '{}',
      desired jsonb not null default '{}',
      reporting_interval integer not null default 900,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      building_name text,
      floor_number integer,
      floor_name text,
      property_reference text,
      address text,
      postcode text,
      status_at timestamptz not null default now(),
      last_test_at timestamptz,
      fault_code text generated always as ("left"(nullif((reported ->> 'faultCode'), 'None'), 60)) stored,
      serial_folded text generated always as (lower(serial)) stored,
      name_folded text generated always as (lower(name)) stored,
      building_name_folded text generated always as (lower(building_name)) stored,
      floor_name_folded text generated always as (lower(floor_name)) stored,
      room_folded text generated always as (lower(room)) stored,
      address_folded text generated always as (lower(address)) stored,
      postcode_folded text generated always as (lower(postcode)) stored,
      property_reference_folded text generated always as (lower(property_reference)) stored,
      location_folded text generated always as (lower(location)) stored,
      location_details_folded text generated always as (lower(location_details)) stored,
      fault_code_folded text generated always as (lower("left"(nullif((reported ->> 'faultCode'), 'None'), 60))) stored,
      search text generated always as (lower((serial || ' ' || name || ' ' || coalesce(building_name, '') || ' ' || coalesce(floor_name, '') || ' ' || coalesce(room, '') || ' ' || coalesce(location, '') || ' ' || coalesce(property_reference, '')))) stored not null,
      search_address text generated always as (lower((coalesce(address, '') || ' ' || coalesce(postcode, '')))) stored not null,
      connection_at timestamptz,
      gas_due_at timestamptz,
      gas_state text,
      water_due_at timestamptz,
      water_state text,
      status_reason text,
      status_reason_folded text,
      is_roughly_placed boolean not null default false,
      compliance_turns_at timestamptz,
      last_full_test_at timestamptz,
      constraint device_texts_fit_the_index check (octet_length((serial || name || coalesce(building_name, '') || coalesce(floor_name, '') || coalesce(property_reference, '') || coalesce(address, '') || coalesce(postcode, '') || coalesce(room, '') || coalesce(location, '') || coalesce(location_details, ''))) <= 1200),
      primary key (tenant_id, id),
      unique (tenant_id, serial)`,
    with: 'autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_insert_scale_factor=0.02, autovacuum_analyze_scale_factor=0.02, fillfactor=85',
    foreignKeys: [
      'foreign key (tenant_id, access_rights_tag_id) references access_rights_tag (tenant_id, id)',
      'foreign key (tenant_id, building_id) references building (tenant_id, id)',
      'foreign key (tenant_id, floor_id) references floor (tenant_id, id)',
      'foreign key (tenant_id, property_id) references property (tenant_id, id)',
    ],
  })
  await run('create index device_access_rights on device (tenant_id, access_rights_tag_id)')
  await run(`create index device_between on device (tenant_id, parent_id)
    include (id)
    where parent_id is not null and listing is distinct from 'EmergencyLights'`)
  await run(`create index device_by_address on device (tenant_id, listing, address_folded, serial)
    include (id, access_rights_tag_id, product, address)`)
  await run(`create index device_by_building_name on device (tenant_id, listing, building_name_folded, serial)
    include (id, access_rights_tag_id, product, building_name)
    where listing in ('EmergencyLights', 'Boilers', 'NetworkingDevices', 'ThirdParty')`)
  await run(`create index device_by_connection_at on device (tenant_id, listing, connection_at, serial)
    include (id, access_rights_tag_id, product)`)
  await run(`create index device_by_connection_status on device (tenant_id, listing, connection_status, serial)
    include (id, access_rights_tag_id, product)`)
  await run(`create index device_by_failed_since on device (tenant_id, listing, (case when severity in (3, 5) then status_at else null end),
  serial)
    include (id, access_rights_tag_id, product, severity, status_at)`)
  await run(`create index device_by_fault_code on device (tenant_id, listing, fault_code_folded, serial)
    include (id, access_rights_tag_id, product, fault_code)
    where listing = 'Boilers'`)
  await run(`create index device_by_floor_name on device (tenant_id, listing, floor_name_folded, serial)
    include (id, access_rights_tag_id, product, floor_name)
    where listing in ('EmergencyLights', 'Boilers', 'NetworkingDevices', 'ThirdParty')`)
  await run(`create index device_by_floor_number on device (tenant_id, listing, floor_number, serial)
    include (id, access_rights_tag_id, product)
    where listing in ('EmergencyLights', 'Boilers', 'NetworkingDevices', 'ThirdParty')`)
  await run(`create index device_by_full_tested_at on device (tenant_id, listing, coalesce(last_full_test_at, status_at), serial)
    include (id, access_rights_tag_id, product)
    where listing = 'EmergencyLights'`)
  await run(`create index device_by_gas_due on device (tenant_id, listing, gas_due_at, serial)
    include (id, access_rights_tag_id, product, gas_state, monitoring)
    where listing = 'Boilers'`)
  await run(`create index device_by_last_test_at on device (tenant_id, listing, last_test_at, serial)
    include (id, access_rights_tag_id, product)
    where listing = 'EmergencyLights'`)
  await run(`create index device_by_location on device (tenant_id, listing, location_folded, serial)
    include (id, access_rights_tag_id, product, location)
    where listing in ('Boilers', 'ThirdParty', 'HomeHubs', 'VStats')`)
  await run(`create index device_by_location_details on device (tenant_id, listing, location_details_folded, serial)
    include (id, access_rights_tag_id, product, location_details)
    where listing in ('Boilers', 'ThirdParty', 'HomeHubs', 'VStats')`)
  await run(`create index device_by_monitoring on device (tenant_id, listing, coalesce(monitoring, 'Unknown'), serial)
    include (id, access_rights_tag_id, product, monitoring)
    where listing = 'Boilers'`)
  await run(`create index device_by_name on device (tenant_id, listing, name_folded, serial)
    include (id, access_rights_tag_id, product, name)`)
  await run(`create index device_by_postcode on device (tenant_id, listing, postcode_folded, serial)
    include (id, access_rights_tag_id, product, postcode)`)
  await run(`create index device_by_product on device (tenant_id, listing, product, serial)
    include (id, access_rights_tag_id)`)
  await run(`create index device_by_property_reference on device (tenant_id, listing, property_reference_folded, serial)
    include (id, access_rights_tag_id, product, property_reference)
    where listing in ('Boilers', 'ThirdParty', 'HomeHubs', 'VStats')`)
  await run(`create index device_by_room on device (tenant_id, listing, room_folded, serial)
    include (id, access_rights_tag_id, product, room)
    where listing in ('EmergencyLights', 'Boilers', 'NetworkingDevices', 'ThirdParty')`)
  await run(`create index device_by_serial_with_names on device (tenant_id, listing, serial_folded, serial)
    include (id, access_rights_tag_id, product, name_folded, building_name_folded)`)
  await run(`create index device_by_status_at on device (tenant_id, listing, status_at, serial)
    include (id, access_rights_tag_id, product)`)
  await run(`create index device_by_status_reason on device (tenant_id, listing, status_reason_folded, serial)
    include (id, access_rights_tag_id, product, status_reason)`)
  await run(`create index device_by_tested_or_installed on device (tenant_id, listing, coalesce(last_test_at, status_at), serial)
    include (id, access_rights_tag_id, product, status, severity, last_test_at, status_at)
    where listing = 'EmergencyLights'`)
  await run(`create index device_by_water_due on device (tenant_id, listing, water_due_at, serial)
    include (id, access_rights_tag_id, product, water_state, monitoring)
    where listing = 'Boilers'`)
  // What the dashboard counts, also for people who see only some patches.
  await run('create index device_counts on device (tenant_id, product, status, monitoring, access_rights_tag_id)')
  await run(`create index device_gas_pressing on device (tenant_id, listing, gas_due_at, serial)
    include (id, access_rights_tag_id, product, status, severity, status_at, monitoring, gas_state)
    where gas_state in ('Due', 'Overdue', 'NeverChecked', 'Failed')`)
  await run(`create index device_in_building on device (tenant_id, building_id, severity desc)
    include (product, access_rights_tag_id, status, connection_status)
    where building_id is not null`)
  await run(`create index device_kinds_in_home on device (tenant_id, property_id, severity desc, status_at, id)
    include (status, product, access_rights_tag_id)
    where property_id is not null`)
  await run(`create index device_listing on device (tenant_id, listing, severity desc, serial)
    include (id, access_rights_tag_id, product, status, serial_folded, name_folded, connection_status, building_name_folded,
      floor_name_folded, floor_number, room_folded, address_folded, postcode_folded, property_reference_folded,
      location_folded, location_details_folded, monitoring, fault_code_folded, last_test_at, status_at, in_wholesale, latitude,
      longitude)`)
  await run(`create index device_map on device (tenant_id, latitude, longitude)
    include (id, product, access_rights_tag_id, building_id, floor_id, severity, connection_status, name_folded)
    where latitude is not null and longitude is not null`)
  await run('create index device_parent on device (tenant_id, parent_id)')
  // All devices of a tenant are looked at for a text: in an index that holds nothing else.
  await run(`create index device_search on device (tenant_id)
    include (search, search_address, product, access_rights_tag_id, id)`)
  await run(`create index device_water_pressing on device (tenant_id, listing, water_due_at, serial)
    include (id, access_rights_tag_id, product, status, severity, status_at, monitoring, water_state)
    where water_state in ('Due', 'Overdue', 'NeverChecked', 'Failed')`)

  // A device is addressed by its own id: this says to which tenant it belongs, who speaks for it, and with which key.
  await sharedTable(
    db,
    'device_route',
    `device_id uuid not null,
      tenant_id text not null,
      parent_id uuid,
      key_hash bytea,
      reporting_interval integer not null default 900,
      key_made_at timestamptz,
      key_revoked_at timestamptz,
      uninstalled_at timestamptz,
      primary key (device_id)`,
    'select, insert, update, delete',
  )
  await run('alter table device_route add foreign key (tenant_id) references tenant (id)')
  await run('create index device_route_parent on device_route (parent_id)')

  // Hot and narrow: written with nearly every message, so it has no index but its key and room for updates in place.
  await tenantTable(db, {
    name: 'device_link',
    columns: `device_id uuid not null,
      heard_at timestamptz,
      connected boolean not null default false,
      drops timestamptz[] not null default '{}',
      connected_at timestamptz,
      primary key (tenant_id, device_id)`,
    with: 'fillfactor=60',
  })

  await tenantTable(db, {
    name: 'device_tag',
    columns: `device_id uuid not null,
      tag_id uuid not null,
      primary key (tenant_id, device_id, tag_id)`,
    foreignKeys: [
      'foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade',
      'foreign key (tenant_id, tag_id) references tag (tenant_id, id) on delete cascade',
    ],
  })
  await run('create index device_tag_tag on device_tag (tenant_id, tag_id, device_id)')

  await tenantTable(db, {
    name: 'device_note',
    columns: `id uuid not null,
      device_id uuid not null,
      at timestamptz not null,
      note text not null,
      person_id uuid,
      person_name text not null,
      primary key (tenant_id, id)`,
    foreignKeys: ['foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade'],
    grants: 'select, insert, delete',
  })
  await run('create index device_note_device on device_note (tenant_id, device_id, at desc)')

  // What devices said besides readings, as it came, for some days: readings are put together from where they are stored, so
  // that nothing is written twice where most is written. The key is the only index: old ones are found device by device.
  await tenantTable(db, {
    name: 'device_message',
    columns: `device_id uuid not null,
      at timestamptz not null,
      id uuid not null,
      channel text not null,
      -- Its beginning, where it is too long to be kept whole.
      payload text not null,
      bytes integer not null,
      -- Of a state: what the fields were that it changed.
      was jsonb,
      primary key (tenant_id, device_id, at, id)`,
    hot: true,
    grants: 'select, insert, delete',
  })

  await tenantTable(db, {
    name: 'bad_message',
    columns: `id uuid not null default gen_random_uuid(),
      device_id uuid not null,
      at timestamptz not null default now(),
      channel text not null,
      reason text not null,
      detail text not null,
      payload text not null,
      primary key (tenant_id, id)`,
    foreignKeys: ['foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade'],
    grants: 'select, insert, delete',
  })
  await run('create index bad_message_device on bad_message (tenant_id, device_id, at desc)')

  // How many messages of a device were not taken, told on its page; and events and audit entries that grow old.
  await tenantTable(db, {
    name: 'refused_message',
    columns: `device_id uuid not null,
      reason text not null,
      count bigint not null,
      first_at timestamptz not null,
      last_at timestamptz not null,
      field text,
      primary key (tenant_id, device_id, reason)`,
    foreignKeys: ['foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade'],
  })

  await tenantTable(db, {
    name: 'event',
    columns: `id uuid not null,
      device_id uuid not null,
      start_at timestamptz not null,
      end_at timestamptz,
      severity text not null,
      category text not null,
      description text not null,
      primary key (tenant_id, id)`,
    foreignKeys: ['foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade'],
  })
  await run('create index event_device on event (tenant_id, device_id, start_at desc)')
  await run('create index event_start on event (tenant_id, start_at)')

  // Statuses that people or nobody gave a reason for, and the kind of condition that each becomes. */
  // const carriedOver = {
  // Allocated: 'allocated',
  // AwaitingRecycling: 'awaitingRecycling',
  // DISPOSED: 'disposed',
  // DisabledNonPayment: 'disabledNonPayment',
  // DisabledOther: 'disabledOther',
  // Factory: 'inFactory',
  // FailedDevice: 'deviceBroken',
  // FailedEquipment: 'equipmentBroken',
  // Inventory: 'inStock',
  // PreventativeMaintenance: 'maintenance',
  // REMOVED: 'removed',
  // RepairedDevice: 'deviceRepaired',
  // RepairedEquipment: 'equipmentRepaired',
  // Unknown: 'unaccounted',
  // }
  // const outOfService = [
  // 'Allocated',
  // 'AwaitingRecycling',
  // 'DISPOSED',
  // 'Factory',
  // 'Inventory',
  // 'REMOVED',
  // 'Unknown',
  // ] as const
  // const pairs = Object.entries(carriedOver)
  // .map(([status, kind]) => `('${status}', '${kind}')`)
  // .join(', ')
  // const stages = outOfService.map((status) => `'${status}'`).join(', ')
  // /** How long a type of test lasts, so that a longer one can speak for a shorter one. */
  // const minutes = `(values ('T0', 0), ('T5', 5), ('T60', 60), ('T180', 180))`
  // /** The statuses that conditions found by devices give, worst first, with their severity. */
  // const derived = `case
  // when bool_or(kind in ('fault', 'testFailed')) then 'FailedEquipment'
  // when bool_or(kind = 'deviceTestFailed') then 'FailedDevice'
  // when bool_or(kind = 'testDegraded') then 'PreventativeMaintenance'
  // else 'Installed' end`
  // const severityOf = `case status when 'FailedEquipment' then 5 when 'FailedDevice' then 3 else 4 end`
  // /**
  // Why a device has its status: conditions with a beginning and an end. What stands is explained as far as it can be: faults
  // by what the device reports, failures of lights by their tests since one as long has passed, lights without a test by that.
  // Whatever else had a status keeps it, as recorded before reasons were kept.
  await tenantTable(db, {
    name: 'condition',
    columns: `id uuid not null default gen_random_uuid(),
      device_id uuid not null,
      kind text not null,
      key text not null default '',
      began_at timestamptz not null,
      last_seen_at timestamptz,
      states jsonb,
      evidence jsonb not null default '{}',
      until_at timestamptz,
      ended_at timestamptz,
      ending text,
      end_evidence jsonb,
      interim_measure jsonb,
      primary key (tenant_id, id)`,
    hot: true,
    foreignKeys: ['foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade'],
  })
  await run('create index condition_device on condition (tenant_id, device_id, began_at desc)')
  await run('create unique index condition_open on condition (tenant_id, device_id, kind, key) where ended_at is null')
  await run(`create index condition_open_by_kind on condition (tenant_id, kind, key)
    include (device_id)
    where ended_at is null`)
  await run(`create index condition_set_until on condition (tenant_id, until_at)
    where ended_at is null and until_at is not null`)

  await tenantTable(db, {
    name: 'device_spell',
    columns: `device_id uuid not null,
      kind text not null,
      key text not null,
      began_at timestamptz not null,
      -- From when on it was known, which may be later: silence is known when a report is missed.
      seen_at timestamptz not null,
      ended_at timestamptz,
      primary key (tenant_id, device_id, kind, key, seen_at)`,
    hot: true,
  })
  await run('create index device_spell_ended on device_spell (tenant_id, ended_at) where ended_at is not null')
  await run(`create unique index device_spell_open on device_spell (tenant_id, device_id, kind, key)
    where ended_at is null`)
  await run(`create index device_spell_tag on device_spell (tenant_id, key, device_id) where kind = 'TAG'`)

  // How likely damp and mould are in the room of each sensor of air, as it was reckoned last, with what the next hour is added to; and
  // of each home the worst of its rooms. Every tenant is assessed at the next run.
  await tenantTable(db, {
    name: 'damp_room',
    columns: `device_id uuid not null,
      level text not null,
      reason text not null,
      -- Since when it is at this level.
      since timestamptz not null,
      -- Since when somebody is to be told of it; it ends when the room is known to have dried.
      pressing_since timestamptz,
      cold text,
      cold_reason text,
      mean_temperature real,
      mean_humidity real,
      humid_days smallint not null,
      mould_index real not null,
      -- Of how many hours of the week the weather is assumed: none, some or all.
      assumed text not null,
      -- The hours of the last week, and how far mould had come at their end.
      hours bytea not null,
      mould double precision not null,
      dry integer not null,
      -- Up to which hour it is assessed, and when it was last reckoned from all its hours, late ones among them.
      until timestamptz not null,
      reckoned_at timestamptz not null,
      primary key (tenant_id, device_id)`,
    with: 'fillfactor=45',
    foreignKeys: ['foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade'],
  })
  await run('create index damp_room_reckoned on damp_room (tenant_id, reckoned_at)')

  // A service that was bought for so many homes; each is given to one or to none yet.
  await tenantTable(db, {
    name: 'licence',
    columns: `id uuid not null,
      type text not null,
      property_id uuid,
      start_on date not null,
      period_months integer not null,
      renewed_on date,
      check (period_months > 0),
      primary key (tenant_id, id)`,
    foreignKeys: ['foreign key (tenant_id, property_id) references property (tenant_id, id)'],
  })
  await run('create index licence_property on licence (tenant_id, property_id)')

  // What was bought for single devices, for months from a day; the managed service is bought for homes.
  await tenantTable(db, {
    name: 'device_licence',
    columns: `id uuid not null,
      device_id uuid not null,
      type text not null,
      start_on date not null,
      period_months integer not null,
      renewed_on date,
      check (period_months > 0),
      primary key (tenant_id, id)`,
    foreignKeys: ['foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade'],
  })
  await run('create index device_licence_device on device_licence (tenant_id, device_id)')

  await tenantTable(db, {
    name: 'tag_set',
    columns: `id uuid not null,
      tag_id uuid not null,
      product text not null,
      access_rights_tag_id uuid,
      unique nulls not distinct (tenant_id, id, tag_id, product, access_rights_tag_id)`,
  })
  await run('create index tag_set_tag on tag_set (tenant_id, tag_id) include (id, product, access_rights_tag_id)')

  // Which statuses the devices of a home have, kept as one value of the home as their tags are: which of them somebody sees depends on
  // product and access rights tag. The job that keeps statuses of homes writes it for all. Whoever has 0207 as it was at first lacks what
  // it makes of that by now; everybody else has it.
  await tenantTable(db, {
    name: 'status_set',
    columns: `id uuid not null,
      place integer not null,
      product text not null,
      access_rights_tag_id uuid,
      status text not null,
      severity smallint not null,
      primary key (tenant_id, id, place)`,
  })

  await tenantTable(db, {
    name: 'void_effect',
    columns: `device_id uuid not null,
      effect text not null,
      -- The home for which it was asked.
      property_id uuid not null,
      -- Whether void mode holds the value, or has given it back.
      is_held boolean not null,
      -- The heating maximum before, in °C.
      former double precision,
      -- The last command by which it was asked; null where nothing could be asked.
      command_id uuid,
      asked_at timestamptz not null,
      primary key (tenant_id, device_id, effect)`,
    foreignKeys: [
      'foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade',
      'foreign key (tenant_id, property_id) references property (tenant_id, id) on delete cascade',
    ],
  })
  await run('create index void_effect_home on void_effect (tenant_id, property_id)')

  await tenantTable(db, {
    name: 'void_firing',
    columns: `device_id uuid not null,
      -- The day of it in the tenant's zone: a boiler is fired once on it, whatever the clocks do.
      monday date not null,
      property_id uuid not null,
      due_at timestamptz not null,
      -- due, asked, or missed because the server was not there.
      state text not null default 'due',
      command_id uuid,
      primary key (tenant_id, device_id, monday)`,
    foreignKeys: [
      'foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade',
      'foreign key (tenant_id, property_id) references property (tenant_id, id) on delete cascade',
    ],
  })
  await run(`create index void_firing_due on void_firing (tenant_id, due_at) where state = 'due'`)
  await run('create index void_firing_home on void_firing (tenant_id, property_id, due_at desc)')
  await run(`create unique index void_firing_planned on void_firing (tenant_id, property_id) where state = 'due'`)
}
