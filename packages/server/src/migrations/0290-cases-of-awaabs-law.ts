import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { sharedTable, tenantTable } from './tenant-table.ts'

/**
 * Cases under Awaab's Law with their numbers, deadlines and records. Deadlines are derived from the steps and written with them, so
 * that lists, counts and the breach register read them by an index. From which day the law covers a hazard is a setting of the installation.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await run(`alter table awaabs_law_step
    -- The time of day where it is known; emergencies count hours.
    add column happened_at timestamptz,
    add column reason text,
    -- The entry that this one takes back.
    add column takes_back uuid`)
  // From this instant on the soonest deadline of the home is late: a day is due until its end.
  await run('alter table property add column awaabs_law_late_at timestamptz')
  await sharedTable(
    db,
    'awaabs_law_hazard',
    'name text primary key, covered_from date, source text not null, changed_at timestamptz not null',
    'select, insert, update',
  )
  await run(`insert into awaabs_law_hazard (name, covered_from, source, changed_at) values
    ('Damp and mould', '2025-10-27', 'SI 2025/1042, phase 1', '2026-11-29'),
    ${[
      'Excess cold',
      'Excess heat',
      'Falls',
      'Structural collapse',
      'Fire or explosion',
      'Electrical',
      'Hygiene or food safety',
    ]
      .map(
        (name) => `('${name}', '2026-11-30', 'GOV.UK guidance on Awaab''s Law of 31 July 2026, phase 2', '2026-11-29')`,
      )
      .join(', ')},
    ('Another hazard', null, 'GOV.UK guidance on Awaab''s Law of 31 July 2026: phase 3 in 2027, no day is set', '2026-11-29')`)
  const property = 'foreign key (tenant_id, property_id) references property (tenant_id, id) on delete cascade'
  await tenantTable(db, {
    name: 'awaabs_law_case',
    // The id is that of the entry that opened it.
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
    foreignKeys: [property],
  })
  await run('create unique index awaabs_law_case_number on awaabs_law_case (tenant_id, number)')
  await run('create index awaabs_law_case_property on awaabs_law_case (tenant_id, property_id)')
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
    foreignKeys: [property],
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
    foreignKeys: [property, 'foreign key (tenant_id, file_id) references file (tenant_id, id)'],
    grants: 'select, insert, delete',
  })
  await run('create index awaabs_law_record_case on awaabs_law_record (tenant_id, case_id, added_at)')
  await run('create index awaabs_law_record_property on awaabs_law_record (tenant_id, property_id)')
  await run('create index awaabs_law_record_file on awaabs_law_record (tenant_id, file_id)')
  // The cases that are there get their numbers and deadlines by the job.
  await sql`insert into due (work, tenant_id, due_at)
    select 'count due days', id, '1970-01-01' from tenant on conflict do nothing`.execute(db)
}
