import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { sharedTable, tenantTable } from './tenant-table.ts'

/** Properties, the people who live in them, and cases of Awaab's Law. */
export async function createProperties(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)

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
      epc_rating text,
      last_chemical_test_on date,
      last_gas_safety_check_on date,
      gas_check_due_at timestamptz,
      void_since timestamptz,
      awaabs_law_status text not null default 'None',
      awaabs_law_since timestamptz,
      awaabs_law_due_at timestamptz,
      architype text,
      orientation text,
      number_of_inhabitants smallint,
      number_of_rooms smallint,
      number_of_floors smallint,
      apartment_level smallint,
      archived_at timestamptz,
      -- How often it was changed, for two people who change it at once.
      version integer not null default 1,
      address text generated always as (substr(((((
case
    when (address1 = '') then ''
    else (', ' || address1)
end ||
case
    when (address2 = '') then ''
    else (', ' || address2)
end) ||
case
    when (address3 = '') then ''
    else (', ' || address3)
end) ||
case
    when (town = '') then ''
    else (', ' || town)
end) ||
case
    when (county = '') then ''
    else (', ' || county)
end), 3)) stored not null,
      address_folded text generated always as (lower(substr(((((
case
    when (address1 = '') then ''
    else (', ' || address1)
end ||
case
    when (address2 = '') then ''
    else (', ' || address2)
end) ||
case
    when (address3 = '') then ''
    else (', ' || address3)
end) ||
case
    when (town = '') then ''
    else (', ' || town)
end) ||
case
    when (county = '') then ''
    else (', ' || county)
end), 3))) stored not null,
      reference_folded text generated always as (lower(reference)) stored not null,
      postcode_folded text generated always as (lower(postcode)) stored not null,
      damp_level text not null default 'not assessed',
      damp_rank smallint not null default 0,
      damp_since timestamptz,
      device_status text,
      device_severity smallint not null default 0,
      building_id uuid,
      floor_id uuid,
      sought text generated always as (lower((reference || '
' || postcode || '
' || substr(((((
case
    when (address1 = '') then ''
    else (', ' || address1)
end ||
case
    when (address2 = '') then ''
    else (', ' || address2)
end) ||
case
    when (address3 = '') then ''
    else (', ' || address3)
end) ||
case
    when (town = '') then ''
    else (', ' || town)
end) ||
case
    when (county = '') then ''
    else (', ' || county)
end), 3)))) stored not null,
      gas_check_after date,
      tag_set uuid,
      status_set uuid,
      gas_check_state text,
      gas_rank smallint not null default 0,
      gas_failed_on date,
      gas_last_on date,
      -- The number of the certificate of the last check; null where the date was only entered.
      gas_certificate text,
      gas_stated_at timestamptz,
      gas_stated_by_name text,
      water_check_state text,
      water_rank smallint not null default 0,
      water_failed_on date,
      water_last_on date,
      water_check_due_at timestamptz,
      -- When the state of one of its checks is another one by itself.
      compliance_turns_at timestamptz,
      -- What the states were computed from: a hash, by which a job finds homes whose devices or dates are others now.
      compliance_facts uuid,
      heating_state text,
      heating_since timestamptz,
      frost_since timestamptz,
      awaabs_law_late_at timestamptz,
      primary key (tenant_id, id)`,
    foreignKeys: [
      'foreign key (tenant_id, access_rights_tag_id) references access_rights_tag (tenant_id, id)',
      'foreign key (tenant_id, building_id) references building (tenant_id, id)',
      'foreign key (tenant_id, floor_id) references floor (tenant_id, id)',
    ],
  })
  await run(`create index property_by_address_folded on property (tenant_id, address_folded, id)
    include (access_rights_tag_id, address)
    where archived_at is null`)
  await run(`create index property_by_awaabs_law_due_at on property (tenant_id, awaabs_law_due_at, id)
    include (access_rights_tag_id)
    where archived_at is null`)
  await run(`create index property_by_awaabs_law_status on property (tenant_id, awaabs_law_status, id)
    include (access_rights_tag_id)
    where archived_at is null`)
  await run(`create index property_by_damp on property (tenant_id, damp_rank desc, id)
    include (access_rights_tag_id, damp_level)
    where archived_at is null`)
  await run(`create index property_by_epc_rating on property (tenant_id, epc_rating, id)
    include (access_rights_tag_id)
    where archived_at is null`)
  await run(`create index property_by_gas on property (tenant_id, gas_rank desc, id)
    include (access_rights_tag_id, gas_check_state)
    where archived_at is null`)
  await run(`create index property_by_gas_due_at on property (tenant_id, gas_check_due_at, id)
    include (access_rights_tag_id)
    where archived_at is null`)
  await run(`create index property_by_postcode_folded on property (tenant_id, postcode_folded, id)
    include (access_rights_tag_id, postcode)
    where archived_at is null`)
  await run(`create index property_by_reference on property (tenant_id, reference_folded, id)
    include (access_rights_tag_id, reference)
    where archived_at is null`)
  await run(`create index property_by_status on property (tenant_id, device_severity desc, id)
    include (access_rights_tag_id, device_status)
    where archived_at is null`)
  await run('create index property_by_status_set on property (tenant_id, status_set)')
  await run('create index property_by_tag on property (tenant_id, access_rights_tag_id) where archived_at is null')
  await run(`create index property_by_tag_set on property (tenant_id, tag_set)
    include (id, access_rights_tag_id, archived_at)`)
  await run(`create index property_by_void_flag on property (tenant_id, void_flag, id)
    include (access_rights_tag_id)
    where archived_at is null`)
  await run(`create index property_for_lists on property (tenant_id, reference_folded, id)
    include (access_rights_tag_id, void_flag, epc_rating, awaabs_law_status, awaabs_law_due_at, gas_check_due_at,
      gas_check_state, gas_rank, water_check_due_at, water_check_state, water_rank, heating_state, damp_level, damp_rank,
      device_status, device_severity, tag_set, status_set, postcode_folded, address_folded)
    where archived_at is null`)
  await run(`create unique index property_reference on property (tenant_id, reference) where (reference <> '')`)
  await run(`create index property_search on property (tenant_id, reference_folded, id)
    include (access_rights_tag_id, reference, sought)
    where archived_at is null`)
  await run(`create index property_texts on property (tenant_id)
    include (id, access_rights_tag_id, sought)
    where archived_at is null`)
  await run(`create index property_turning on property (tenant_id, compliance_turns_at)
    where compliance_turns_at is not null`)
  await run(`create index property_void on property (tenant_id, id) where void_flag = 'Void'`)

  // Without a foreign key: its check would wait for whoever holds the home, while the caller holds devices.
  await tenantTable(db, {
    name: 'property_retagged',
    columns: `property_id uuid not null`,
  })
  // Without a foreign key: its check would wait for whoever holds the home, while the caller holds devices.
  await run('create index property_retagged_property on property_retagged (tenant_id, property_id)')

  await tenantTable(db, {
    name: 'resident',
    columns: `id uuid not null,
      -- How the identity provider of the resident app names them.
      app_user_id text not null,
      email text not null,
      name text not null,
      created_at timestamptz not null,
      primary key (tenant_id, id),
      unique (tenant_id, app_user_id)`,
  })

  await tenantTable(db, {
    name: 'residence_access',
    columns: `resident_id uuid not null,
      property_id uuid not null,
      is_approved boolean not null default false,
      -- Since when it is approved, or waits.
      since timestamptz not null,
      primary key (tenant_id, resident_id, property_id)`,
    foreignKeys: [
      'foreign key (tenant_id, property_id) references property (tenant_id, id) on delete cascade',
      'foreign key (tenant_id, resident_id) references resident (tenant_id, id) on delete cascade',
    ],
  })
  await run('create index residence_access_property on residence_access (tenant_id, property_id)')

  await tenantTable(db, {
    name: 'resident_app_key',
    columns: `id uuid not null,
      key_hash bytea not null,
      created_at timestamptz not null,
      revoked_at timestamptz,
      last_used_at timestamptz,
      primary key (tenant_id, id)`,
  })

  // The state of a home's gas checks, water treatments and heating, as they follow from its records and devices; appliances that no device
  // watches; records that were withdrawn, and certificates that cover several homes. A job computes the states of all homes. No column is called like one of a
  // device: the version before joins both without naming the table.
  await tenantTable(db, {
    name: 'home_appliance',
    columns: `id uuid not null,
      property_id uuid not null,
      name text not null,
      added_at timestamptz not null,
      added_by uuid,
      added_by_name text not null,
      removed_at timestamptz,
      primary key (tenant_id, id)`,
    foreignKeys: ['foreign key (tenant_id, property_id) references property (tenant_id, id) on delete cascade'],
  })
  await run('create index home_appliance_property on home_appliance (tenant_id, property_id)')

  await sharedTable(
    db,
    'awaabs_law_hazard',
    `name text not null,
      covered_from date,
      source text not null,
      changed_at timestamptz not null,
      primary key (name)`,
    'select, insert, update',
  )

  await tenantTable(db, {
    name: 'awaabs_law_case',
    columns: `id uuid not null,
      property_id uuid not null,
      number integer not null,
      status text not null,
      hazard text,
      aware_on date not null,
      aware_at timestamptz,
      emergency boolean not null,
      closed_on date,
      close_reason text,
      primary key (tenant_id, id)`,
    foreignKeys: ['foreign key (tenant_id, property_id) references property (tenant_id, id) on delete cascade'],
  })
  await run('create unique index awaabs_law_case_number on awaabs_law_case (tenant_id, number)')
  await run('create index awaabs_law_case_property on awaabs_law_case (tenant_id, property_id)')

  // The address in one line, as devices have it; `concat_ws` may not stand in a generated column. */
  // const address = `substr(${parts.map((part) => `case when ${part} = '' then '' else ', ' || ${part} end`).join(' || ')}, 3)`
  // /**
  // What is known of a home besides its place, and each step of a case under Awaab's Law as it was entered. The texts stand in
  // lower case besides, because row security lets no expression be an index's condition.
  await tenantTable(db, {
    name: 'awaabs_law_step',
    columns: `id uuid not null,
      property_id uuid not null,
      status text not null,
      hazard text,
      -- The day on which it was so, and the moment at which somebody said it.
      happened_on date not null,
      entered_at timestamptz not null,
      entered_by uuid,
      entered_by_name text not null,
      due_on date,
      corrects uuid,
      emergency boolean,
      -- The time of day where it is known; emergencies count hours.
      happened_at timestamptz,
      reason text,
      -- The entry that this one takes back.
      takes_back uuid,
      primary key (tenant_id, id)`,
    foreignKeys: ['foreign key (tenant_id, property_id) references property (tenant_id, id) on delete cascade'],
  })
  await run('create index awaabs_law_step_property on awaabs_law_step (tenant_id, property_id, entered_at)')

  await tenantTable(db, {
    name: 'awaabs_law_deadline',
    columns: `case_id uuid not null,
      place smallint not null,
      property_id uuid not null,
      step text not null,
      is_emergency boolean not null,
      -- Days, and beside each the instant where it is due, or was done, at one.
      due_on date not null,
      due_at timestamptz,
      law_due_on date,
      law_due_at timestamptz,
      other_due_on date,
      other_due_at timestamptz,
      done_on date,
      done_at timestamptz,
      ended_on date,
      ended_at timestamptz,
      -- When an entry or new figures moved a deadline that had been missed, and why.
      moved_at timestamptz,
      moved_reason text,
      primary key (tenant_id, case_id, place)`,
    foreignKeys: ['foreign key (tenant_id, property_id) references property (tenant_id, id) on delete cascade'],
  })
  await run('create index awaabs_law_deadline_due on awaabs_law_deadline (tenant_id, due_on)')
  await run('create index awaabs_law_deadline_property on awaabs_law_deadline (tenant_id, property_id)')

  await tenantTable(db, {
    name: 'awaabs_law_record',
    columns: `id uuid not null,
      case_id uuid not null,
      property_id uuid not null,
      kind text not null,
      text text not null,
      file_id uuid,
      -- What sensors measured in a period, as it stood when it was added.
      readings jsonb,
      added_at timestamptz not null,
      added_by uuid not null,
      added_by_name text not null,
      primary key (tenant_id, id)`,
    foreignKeys: [
      'foreign key (tenant_id, file_id) references file (tenant_id, id)',
      'foreign key (tenant_id, property_id) references property (tenant_id, id) on delete cascade',
    ],
    grants: 'select, insert, delete',
  })
  await run('create index awaabs_law_record_case on awaabs_law_record (tenant_id, case_id, added_at)')
  await run('create index awaabs_law_record_file on awaabs_law_record (tenant_id, file_id)')
  await run('create index awaabs_law_record_property on awaabs_law_record (tenant_id, property_id)')

  await tenantTable(db, {
    name: 'savings_and_tips',
    columns: `id uuid not null,
      resident_id uuid not null,
      name text not null,
      -- Markdown.
      content text not null,
      updated_at timestamptz not null,
      primary key (tenant_id, id),
      unique (tenant_id, resident_id)`,
    foreignKeys: ['foreign key (tenant_id, resident_id) references resident (tenant_id, id) on delete cascade'],
  })

  const later = [
    'Excess cold',
    'Excess heat',
    'Falls',
    'Structural collapse',
    'Fire or explosion',
    'Electrical',
    'Hygiene or food safety',
  ]
  const phase2 = later.map(
    (name) => `('${name}', '2026-11-30', 'GOV.UK guidance on Awaab''s Law of 31 July 2026, phase 2', '2026-11-29')`,
  )
  await run(`insert into awaabs_law_hazard (name, covered_from, source, changed_at) values
    ('Damp and mould', '2025-10-27', 'SI 2025/1042, phase 1', '2026-11-29'),
    ${phase2.join(', ')},
    ('Another hazard', null, 'GOV.UK guidance on Awaab''s Law of 31 July 2026: phase 3 in 2027, no day is set', '2026-11-29')`)
}
