import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { applicationRole, identityRole, sharedTable, tenantTable } from './tenant-table.ts'

/** Tenants, people, devices, telemetry, tests, commands, and the identity provider's own schema. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)

  for (const role of [applicationRole, identityRole]) {
    await run(`do $$ begin
      if not exists (select from pg_roles where rolname = '${role}') then create role ${role} login nosuperuser nobypassrls; end if;
    end $$`)
    await run(`grant ${role} to current_user`)
  }
  await run(`revoke create on schema public from public`)
  await run(`grant usage on schema public to ${applicationRole}`)

  await sharedTable(
    db,
    'tenant',
    `id text primary key check (id ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
     display_name text not null,
     contacts text not null default '',
     time_zone text not null default 'Europe/London',
     settings jsonb not null default '{}',
     created_at timestamptz not null default now()`,
    'select, insert, update',
  )
  await sharedTable(
    db,
    'person',
    `id uuid primary key,
     issuer text not null,
     subject text not null,
     email text not null,
     name text not null,
     picture_url text,
     created_at timestamptz not null default now(),
     unique (issuer, subject)`,
    'select, insert, update',
  )
  // Waits for the first sign-in with the same verified e-mail; which person is behind it is not known before.
  await sharedTable(
    db,
    'invitation',
    `tenant_id text not null references tenant (id),
     membership_id uuid not null,
     email text not null,
     primary key (tenant_id, membership_id)`,
    'select, insert, update, delete',
  )
  await run('create index invitation_email on invitation (email)')
  await sharedTable(
    db,
    'client_error',
    `id uuid primary key default gen_random_uuid(),
     at timestamptz not null default now(),
     tenant_id text,
     person_id uuid,
     message text not null,
     stack text not null,
     component_stack text not null`,
    'insert',
    { local: true },
  )

  await tenantTable(db, {
    name: 'tenant_feature',
    columns: 'feature text not null, primary key (tenant_id, feature)',
    grants: 'select',
  })
  await tenantTable(db, {
    name: 'tenant_capability',
    columns: 'capability text not null, primary key (tenant_id, capability)',
    grants: 'select',
  })
  await tenantTable(db, {
    name: 'access_rights_tag',
    columns: `id uuid not null,
      display_name text not null,
      protected boolean not null default false,
      primary key (tenant_id, id)`,
  })
  await run('create unique index access_rights_tag_name on access_rights_tag (tenant_id, lower(display_name))')
  await tenantTable(db, {
    name: 'tag',
    columns: 'id uuid not null, name text not null, primary key (tenant_id, id)',
  })
  await run('create unique index tag_name on tag (tenant_id, lower(name))')
  await tenantTable(db, {
    name: 'membership',
    columns: `id uuid not null,
      person_id uuid,
      email text not null,
      name text not null,
      role text not null,
      tag_ids uuid[] not null default '{}',
      created_at timestamptz not null default now(),
      primary key (tenant_id, id),
      unique (tenant_id, email),
      unique (tenant_id, person_id)`,
    foreignKeys: ['foreign key (person_id) references person (id)'],
  })
  await run('create index membership_person on membership (person_id)')
  // Signing in comes before the choice of a tenant: people may read their own memberships, and nothing more.
  await run(`create policy own_membership on membership for select
    using (person_id = nullif(current_setting('app.person', true), '')::uuid)`)

  await tenantTable(db, {
    name: 'building',
    columns: `id uuid not null,
      name text not null,
      address text not null default '',
      postcode text not null default '',
      latitude double precision,
      longitude double precision,
      primary key (tenant_id, id)`,
  })
  await run('create unique index building_name on building (tenant_id, lower(name))')
  await tenantTable(db, {
    name: 'floor',
    columns: `id uuid not null,
      building_id uuid not null,
      number integer not null,
      name text not null,
      primary key (tenant_id, id),
      unique (tenant_id, building_id, number)`,
    foreignKeys: ['foreign key (tenant_id, building_id) references building (tenant_id, id) on delete cascade'],
  })
  await tenantTable(db, {
    name: 'property',
    columns: `id uuid not null,
      reference text not null,
      address1 text not null default '',
      address2 text not null default '',
      address3 text not null default '',
      town text not null default '',
      county text not null default '',
      postcode text not null default '',
      latitude double precision,
      longitude double precision,
      void_flag text not null default 'NotVoid',
      access_rights_tag_id uuid,
      primary key (tenant_id, id),
      unique (tenant_id, reference)`,
    foreignKeys: ['foreign key (tenant_id, access_rights_tag_id) references access_rights_tag (tenant_id, id)'],
  })

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
      primary key (tenant_id, id),
      unique (tenant_id, serial)`,
    foreignKeys: [
      'foreign key (tenant_id, building_id) references building (tenant_id, id)',
      'foreign key (tenant_id, floor_id) references floor (tenant_id, id)',
      'foreign key (tenant_id, property_id) references property (tenant_id, id)',
      'foreign key (tenant_id, access_rights_tag_id) references access_rights_tag (tenant_id, id)',
    ],
  })
  // A page of a listing is read from these alone; the access rights tag is in them for limited users.
  for (const [name, columns] of [
    ['device_listing', 'severity desc, serial'],
    ['device_listing_name', 'name, serial'],
    ['device_listing_connection', 'connection_status, serial'],
  ])
    await run(`create index ${name} on device (tenant_id, listing, ${columns}) include (id, access_rights_tag_id)`)
  await run('create index device_counts on device (tenant_id, product, status)')
  await run('create index device_updated on device (tenant_id, updated_at)')
  await run('create index device_parent on device (tenant_id, parent_id)')
  await run('create index device_access_rights on device (tenant_id, access_rights_tag_id)')
  await tenantTable(db, {
    name: 'device_tag',
    columns: 'device_id uuid not null, tag_id uuid not null, primary key (tenant_id, device_id, tag_id)',
    foreignKeys: [
      'foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade',
      'foreign key (tenant_id, tag_id) references tag (tenant_id, id) on delete cascade',
    ],
  })

  // A device is addressed by its own id: this says to which tenant it belongs, who speaks for it, and with which key.
  await sharedTable(
    db,
    'device_route',
    `device_id uuid primary key,
     tenant_id text not null references tenant (id),
     parent_id uuid,
     key_hash bytea,
     reporting_interval integer not null default 900`,
    'select, insert, update, delete',
  )
  await run('create index device_route_parent on device_route (parent_id)')
  // Hot and narrow: written with nearly every message, so it has no index but its key and room for updates in place.
  await tenantTable(db, {
    name: 'device_link',
    columns: `device_id uuid not null,
      heard_at timestamptz,
      connected boolean not null default false,
      drops timestamptz[] not null default '{}',
      primary key (tenant_id, device_id)`,
    with: 'fillfactor = 60',
  })

  await tenantTable(db, {
    name: 'series',
    columns: `id bigint generated by default as identity,
      device_id uuid not null,
      metric text not null,
      primary key (tenant_id, id),
      unique (tenant_id, device_id, metric)`,
    foreignKeys: ['foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade'],
  })
  // The readings of one series lie scattered in the table, as they came between all others. With the value in the index a
  // chart reads a few pages in a row instead (measured: eight times faster, at a quarter more index and no slower writes).
  await tenantTable(db, {
    name: 'point',
    hot: true,
    columns: `series_id bigint not null,
      at timestamptz not null,
      value double precision not null,
      primary key (tenant_id, series_id, at) include (value)`,
    partitionBy: 'range (at)',
    grants: 'select, insert',
  })
  // One row an hour and series; the newest row of a series also holds its latest value.
  await tenantTable(db, {
    name: 'hourly',
    hot: true,
    columns: `series_id bigint not null,
      hour timestamptz not null,
      n integer not null,
      total double precision not null,
      low double precision not null,
      high double precision not null,
      last_at timestamptz not null,
      last_value double precision not null,
      primary key (tenant_id, series_id, hour)`,
    with: 'fillfactor = 60',
    grants: 'select, insert, update, delete',
  })

  // One row a day (UTC) and series, made by a job of days for which no late reading is taken any more: a chart of years
  // reads these and the hours since.
  await tenantTable(db, {
    name: 'daily',
    hot: true,
    columns: `series_id bigint not null,
      day timestamptz not null,
      n integer not null,
      total double precision not null,
      low double precision not null,
      high double precision not null,
      primary key (tenant_id, series_id, day) include (low, high)`,
    grants: 'select, insert, delete',
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
  await tenantTable(db, {
    name: 'emergency_test',
    columns: `event_id uuid not null,
      device_id uuid not null,
      test_type text not null,
      started_at timestamptz not null,
      result text not null,
      reason text not null,
      component_states jsonb not null,
      series jsonb not null,
      primary key (tenant_id, event_id)`,
    foreignKeys: ['foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade'],
  })
  await run('create index emergency_test_device on emergency_test (tenant_id, device_id, started_at desc)')

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
      primary key (tenant_id, id)`,
    foreignKeys: [
      'foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade',
      'foreign key (created_by) references person (id)',
    ],
  })
  await run('create index command_device on command (tenant_id, device_id, created_at desc)')
  // The queue of what is still to be sent: read by the device link, which serves all tenants at once.
  await sharedTable(
    db,
    'command_outbox',
    `command_id uuid primary key,
     tenant_id text not null references tenant (id),
     device_id uuid not null,
     due_at timestamptz not null default now(),
     expires_at timestamptz not null`,
    'select, insert, update, delete',
    { local: true },
  )
  await run('create index command_outbox_device on command_outbox (device_id)')
  await run('create index command_outbox_due on command_outbox (due_at)')

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

  await run(`create schema idp`)
  await run(`grant usage on schema idp to ${identityRole}`)
  await run(`create table idp.account (
    id uuid primary key,
    email text not null unique,
    name text not null,
    picture_url text,
    password_hash text,
    email_verified boolean not null default false,
    created_at timestamptz not null default now())`)
  await run(`create table idp.payload (
    model text not null,
    id text not null,
    payload jsonb not null,
    grant_id text,
    uid text,
    user_code text,
    consumed_at timestamptz,
    expires_at timestamptz,
    primary key (model, id))`)
  await run('create index payload_grant on idp.payload (grant_id) where grant_id is not null')
  await run('create index payload_uid on idp.payload (uid) where uid is not null')
  await run('create index payload_expiry on idp.payload (expires_at)')
  await run('create table idp.secret (name text primary key, value jsonb not null)')
  // Failed sign-ins of the last minutes, by e-mail and by address: shared by all processes.
  await run('create table idp.failed_attempt (key text not null, at timestamptz not null default now())')
  await run('create index failed_attempt_key on idp.failed_attempt (key, at)')
  await run(`grant select, insert, update, delete on all tables in schema idp to ${identityRole}`)
}
