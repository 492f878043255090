import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/** Reports and their schedules, and imports of files. */
export async function createReports(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)

  await tenantTable(db, {
    name: 'report_schedule',
    columns: `id uuid not null,
      membership_id uuid not null,
      report_type text not null,
      tag_ids uuid[] not null,
      format text not null,
      day smallint not null,
      hour smallint not null,
      next_at timestamptz not null,
      last_at timestamptz,
      created_at timestamptz not null,
      recipient_ids uuid[] not null default '{}',
      primary key (tenant_id, id)`,
    foreignKeys: ['foreign key (tenant_id, membership_id) references membership (tenant_id, id) on delete cascade'],
  })
  await run('create index report_schedule_next on report_schedule (tenant_id, next_at)')

  await tenantTable(db, {
    name: 'report_run',
    columns: `id uuid not null,
      membership_id uuid not null,
      report_type text not null,
      -- The first day of the month; null where the report is of none.
      month date,
      tag_ids uuid[] not null,
      format text not null,
      state text not null,
      -- Until then somebody is at work on it.
      claimed_until timestamptz,
      attempts integer not null default 0,
      rows_written integer not null default 0,
      fault text,
      file_id uuid,
      file_name text,
      -- What of the person decided what stands in the file: whoever may see less by now has it written anew.
      reader jsonb,
      size integer,
      asked_at timestamptz not null,
      finished_at timestamptz,
      schedule_id uuid,
      -- When the schedule wanted it.
      scheduled_for timestamptz,
      claimant integer,
      sheets jsonb,
      primary key (tenant_id, id)`,
    foreignKeys: [
      'foreign key (tenant_id, file_id) references file (tenant_id, id)',
      'foreign key (tenant_id, membership_id) references membership (tenant_id, id) on delete cascade',
    ],
  })
  await run('create index report_run_member on report_run (tenant_id, membership_id, asked_at desc)')
  await run('create index report_run_open on report_run (tenant_id, asked_at) where finished_at is null')

  await tenantTable(db, {
    name: 'report_month',
    columns: `month date not null,
      gathered_at timestamptz not null,
      -- Null while the month goes on: what was gathered of it is then that of somebody's last report.
      closed_at timestamptz,
      primary key (tenant_id, month)`,
  })

  await tenantTable(db, {
    name: 'report_home',
    columns: `month date not null,
      property_id uuid not null,
      reference text not null,
      address text not null,
      postcode text not null,
      epc_rating text,
      architype text,
      access_rights_tag_id uuid,
      -- Null where no device of the home tells of its warmth.
      figures jsonb,
      primary key (tenant_id, month, property_id)`,
    foreignKeys: ['foreign key (tenant_id, month) references report_month (tenant_id, month) on delete cascade'],
  })

  await tenantTable(db, {
    name: 'report_device',
    columns: `month date not null,
      device_id uuid not null,
      property_id uuid,
      building_name text,
      serial text not null,
      product text not null,
      room text,
      status text not null,
      is_connected boolean not null,
      access_rights_tag_id uuid,
      hours_not_heard real not null,
      faults_begun integer not null,
      tests_passed integer not null,
      tests_failed integer not null,
      -- Of a sensor of air.
      figures jsonb,
      primary key (tenant_id, month, device_id)`,
    foreignKeys: ['foreign key (tenant_id, month) references report_month (tenant_id, month) on delete cascade'],
  })

  await tenantTable(db, {
    name: 'data_import',
    columns: `id uuid not null,
      name text not null,
      state text not null,
      -- Goes when everything is in: it tells of homes what nobody asked to keep.
      content bytea,
      -- How the file is to be read: corrections, and what its words mean.
      wishes jsonb not null,
      -- How often that was said, so that a plan of an earlier wish is none.
      revision integer not null default 1,
      found jsonb,
      fault text,
      -- Things to make and change, and what came of them.
      total integer not null default 0,
      done integer not null default 0,
      refused integer not null default 0,
      undone integer not null default 0,
      kept integer not null default 0,
      created_at timestamptz not null,
      finished_at timestamptz,
      -- Null where an operator did it.
      person_id uuid,
      person_name text not null,
      primary key (tenant_id, id)`,
  })
  await run('create index data_import_created on data_import (tenant_id, created_at desc)')

  await tenantTable(db, {
    name: 'data_import_item',
    columns: `import_id uuid not null,
      number integer not null,
      kind text not null,
      key text not null,
      name text not null,
      sheet text not null,
      row_number integer not null,
      action text not null,
      target_id uuid,
      "values" jsonb not null,
      old_values jsonb not null,
      state text not null,
      reason text,
      besides jsonb,
      primary key (tenant_id, import_id, number)`,
    foreignKeys: ['foreign key (tenant_id, import_id) references data_import (tenant_id, id) on delete cascade'],
  })
  await run('create index data_import_item_state on data_import_item (tenant_id, import_id, state, number)')

  await tenantTable(db, {
    name: 'data_import_cell',
    columns: `import_id uuid not null,
      number integer not null,
      sheet text not null,
      row_number integer not null,
      column_letters text not null,
      header text not null,
      value text not null,
      reason text not null,
      message text not null,
      effect text not null,
      offer text,
      primary key (tenant_id, import_id, number)`,
    foreignKeys: ['foreign key (tenant_id, import_id) references data_import (tenant_id, id) on delete cascade'],
  })

  // How somebody has said that lists with these headings are read, so that the list of the next month is read so of itself.
  await tenantTable(db, {
    name: 'data_import_reading',
    columns: `headings bytea not null,
      -- What each column fills.
      columns jsonb not null,
      building_from_name boolean not null,
      -- What the words of these columns mean.
      answers jsonb not null,
      used_at timestamptz not null,
      primary key (tenant_id, headings)`,
  })
}
