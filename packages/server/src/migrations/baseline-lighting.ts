import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/** Emergency lights: equipment, test groups, test runs, results and repairs. */
export async function createLighting(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)

  // What hangs on an emergency light: its luminaire with its battery, and the circuit that it monitors.
  await tenantTable(db, {
    name: 'emergency_equipment',
    columns: `device_id uuid not null,
      name text,
      lamp_type text,
      inverter_type text,
      battery_type text,
      battery_voltage double precision,
      battery_capacity double precision,
      battery_installed date,
      monitored_led_circuit text,
      operating_mode text,
      key_switch text,
      primary key (tenant_id, device_id)`,
    foreignKeys: ['foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade'],
  })
  await run(`create index equipment_by_battery_day on emergency_equipment (tenant_id, battery_installed)
    include (device_id)
    where battery_installed is not null`)
  await run(`create index equipment_by_luminaire on emergency_equipment (tenant_id, name, lamp_type, inverter_type, battery_type,
  battery_voltage, battery_capacity)
    include (device_id)`)

  // What a tenant offers in place of the list that all others have.
  await tenantTable(db, {
    name: 'equipment_list',
    columns: `list text not null,
      choices jsonb not null,
      primary key (tenant_id, list)`,
    grants: 'select',
  })

  // The luminaires that a client uses often, from which the equipment of a light is filled in.
  await tenantTable(db, {
    name: 'standard_luminaire',
    columns: `id uuid not null,
      name text not null,
      lamp_type text not null,
      inverter_type text not null,
      battery_type text not null,
      battery_voltage double precision not null,
      battery_capacity double precision not null,
      created_at timestamptz not null,
      primary key (tenant_id, id)`,
  })
  await run('create unique index standard_luminaire_name on standard_luminaire (tenant_id, lower(name))')

  await tenantTable(db, {
    name: 'light_group',
    columns: `id uuid not null,
      name text not null,
      -- The name as it is compared: no two groups of a tenant share it.
      name_key text not null,
      building_id uuid not null,
      -- By the clocks of the tenant: the yearly test begins at this time of day on each anniversary of this day.
      t180_start timestamp without time zone not null,
      -- Tests that are asked for besides T0 and T180.
      also_types text[] not null default '{}',
      created_at timestamptz not null,
      version integer not null default 1,
      planned_until timestamptz,
      primary key (tenant_id, id),
      unique (tenant_id, name_key)`,
    foreignKeys: ['foreign key (tenant_id, building_id) references building (tenant_id, id)'],
  })
  await run('create index light_group_building on light_group (tenant_id, building_id)')

  // The key lets a light be in one group at most.
  await tenantTable(db, {
    name: 'light_group_member',
    columns: `device_id uuid not null,
      group_id uuid not null,
      added_at timestamptz not null,
      primary key (tenant_id, device_id)`,
    foreignKeys: [
      'foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade',
      'foreign key (tenant_id, group_id) references light_group (tenant_id, id) on delete cascade',
    ],
  })
  await run('create index light_group_member_group on light_group_member (tenant_id, group_id)')

  await tenantTable(db, {
    name: 'test_run',
    columns: `id uuid not null,
      group_id uuid not null,
      group_name text not null,
      building_id uuid not null,
      test_type text not null,
      starts_at timestamptz not null,
      state text not null default 'planned',
      ended_at timestamptz,
      repeats uuid,
      primary key (tenant_id, id),
      unique (tenant_id, group_id, test_type, starts_at)`,
  })
  await run(`create index test_run_open on test_run (tenant_id, starts_at) where state in ('planned', 'running')`)
  await run(`create unique index test_run_repeat on test_run (tenant_id, repeats)
    where ((repeats is not null) and state in ('planned', 'running'))`)
  await run('create index test_run_start on test_run (tenant_id, starts_at)')

  await tenantTable(db, {
    name: 'test_run_light',
    columns: `run_id uuid not null,
      device_id uuid not null,
      state text not null default 'waiting',
      reason text,
      -- When its command is to go out: the lights behind one gateway take turns.
      due_at timestamptz not null,
      command_id uuid,
      -- When the light confirmed that it has begun.
      synced_at timestamptz,
      -- The test that the light told of.
      event_id uuid,
      ended_at timestamptz,
      gateway_id uuid,
      primary key (tenant_id, run_id, device_id)`,
    foreignKeys: [
      'foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade',
      'foreign key (tenant_id, run_id) references test_run (tenant_id, id) on delete cascade',
    ],
  })
  await run('create index test_run_light_device on test_run_light (tenant_id, device_id, due_at desc)')
  await run(`create index test_run_light_open on test_run_light (tenant_id, due_at)
    where state in ('waiting', 'sent', 'running')`)

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
      told_result text,
      -- {failure, emergency, durationResult}, as far as the light sent them.
      status_bits jsonb,
      -- {result, reason, componentStates} as the rule had it before the first correction.
      judged jsonb,
      corrected_at timestamptz,
      corrected_by text,
      changes jsonb,
      disputed jsonb,
      lit jsonb,
      reported_start_at timestamptz,
      primary key (tenant_id, event_id)`,
    foreignKeys: ['foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade'],
  })
  await run(`create index emergency_test_by_reason on emergency_test (tenant_id, result, test_type, reason, started_at desc, event_id)
    include (device_id)`)
  await run(`create index emergency_test_by_result on emergency_test (tenant_id, result, started_at desc, event_id)
    include (device_id, test_type)`)
  await run(`create index emergency_test_by_time on emergency_test (tenant_id, started_at desc, event_id)
    include (device_id, test_type, result)`)
  await run(`create index emergency_test_by_type on emergency_test (tenant_id, test_type, started_at desc, event_id)
    include (device_id, result)`)
  await run(`create index emergency_test_corrected on emergency_test (tenant_id, started_at desc, event_id)
    include (device_id, test_type, result)
    where corrected_at is not null`)
  await run(`create index emergency_test_disputed on emergency_test (tenant_id, started_at desc, event_id)
    include (device_id, test_type, result)
    where disputed is not null`)
  await run(`create index emergency_test_of_device_by_result on emergency_test (tenant_id, device_id, result, test_type, started_at desc,
  event_id)
    include (reason)`)
  await run(`create index emergency_test_of_device_by_time on emergency_test (tenant_id, device_id, started_at desc, event_id)
    include (test_type, result)`)

  await tenantTable(db, {
    name: 'repair_form',
    columns: `id uuid not null,
      device_id uuid not null,
      at timestamptz not null,
      part text not null,
      parts jsonb not null,
      description text not null,
      repaired_by text not null,
      -- A day as YYYY-MM-DD, in the tenant's zone.
      repaired_on text not null,
      person_id uuid,
      person_name text not null,
      replaced jsonb,
      -- A time of day as HH:MM, in the tenant's zone.
      repaired_time text,
      -- A day as YYYY-MM-DD, in the tenant's zone.
      battery_fitted_on text,
      request_id uuid,
      primary key (tenant_id, id)`,
    foreignKeys: ['foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade'],
    grants: 'select, insert, delete',
  })
  await run('create index repair_form_at on repair_form (tenant_id, at desc)')
  await run('create index repair_form_device on repair_form (tenant_id, device_id, at desc)')
  await run(`create index repair_form_of_battery on repair_form (tenant_id, repaired_on)
    include (device_id)
    where ((parts ->> 'battery') = 'true')`)
  await run(
    'create unique index repair_form_request on repair_form (tenant_id, request_id) where request_id is not null',
  )

  // Photographs of what was repaired, up to six of each repair.
  await tenantTable(db, {
    name: 'repair_photo',
    columns: `id uuid not null,
      repair_id uuid not null,
      file_id uuid not null,
      name text not null,
      added_at timestamptz not null,
      request_id uuid,
      primary key (tenant_id, id)`,
    foreignKeys: [
      'foreign key (tenant_id, file_id) references file (tenant_id, id)',
      'foreign key (tenant_id, repair_id) references repair_form (tenant_id, id) on delete cascade',
    ],
    grants: 'select, insert, delete',
  })
  await run('create index repair_photo_file on repair_photo (tenant_id, file_id)')
  await run('create index repair_photo_repair on repair_photo (tenant_id, repair_id, added_at)')
  await run(
    'create unique index repair_photo_request on repair_photo (tenant_id, request_id) where request_id is not null',
  )
}
