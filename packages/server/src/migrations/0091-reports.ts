import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/**
 * What reports of a month are made of, as it was when the month ended, so that what is moved or tagged later changes no old
 * report; reports that people asked for; and their schedules.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  const ofMonth = ['foreign key (tenant_id, month) references report_month (tenant_id, month) on delete cascade']
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
    // No foreign key to the home: what was so stays on record.
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
    foreignKeys: ofMonth,
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
    foreignKeys: ofMonth,
  })
  const ofMember = 'foreign key (tenant_id, membership_id) references membership (tenant_id, id) on delete cascade'
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
      primary key (tenant_id, id)`,
    foreignKeys: [ofMember],
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
      primary key (tenant_id, id)`,
    foreignKeys: [ofMember, 'foreign key (tenant_id, file_id) references file (tenant_id, id)'],
  })
  await run('create index report_run_member on report_run (tenant_id, membership_id, asked_at desc)')
  await run(`create index report_run_open on report_run (tenant_id, asked_at) where finished_at is null`)
}
