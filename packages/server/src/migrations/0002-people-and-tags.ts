import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { sharedTable, tenantTable } from './tenant-table.ts'

/** The record of changes, alerts on tags, lists of equipment, mails, and who of the people has a verified e-mail. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)

  // An invitation belongs to whoever proves to own its e-mail, and to nobody who merely says so.
  await run('alter table person add column email_verified boolean not null default false')
  await run('create index person_email on person (lower(email))')

  // Append-only: not even the application can change or remove what it wrote.
  await tenantTable(db, {
    name: 'audit_entry',
    columns: `id uuid not null default gen_random_uuid(),
      at timestamptz not null default clock_timestamp(),
      person_id uuid,
      person_name text not null,
      action text not null,
      subject_type text not null,
      subject_id text not null,
      subject_name text not null,
      before jsonb,
      after jsonb,
      primary key (tenant_id, id)`,
    foreignKeys: ['foreign key (person_id) references person (id)'],
    grants: 'select, insert',
  })
  await run('create index audit_entry_at on audit_entry (tenant_id, at desc, id)')
  await run('create index audit_entry_subject on audit_entry (tenant_id, subject_type, subject_id, at desc)')

  await tenantTable(db, {
    name: 'alert_definition',
    columns: `id uuid not null,
      tag_id uuid not null,
      delay integer not null default 0 check (delay >= 0),
      delay_unit text not null default 'mins',
      notification_type text not null default 'NONE',
      notification_target text not null default '',
      trigger_type text not null default 'NONE',
      trigger_condition text not null default '',
      defined_by_tenant boolean not null default true,
      primary key (tenant_id, id)`,
    foreignKeys: ['foreign key (tenant_id, tag_id) references tag (tenant_id, id) on delete cascade'],
  })
  await run('create index alert_definition_tag on alert_definition (tenant_id, tag_id)')

  // What a tenant offers in place of the list that all others have.
  await tenantTable(db, {
    name: 'equipment_list',
    columns: 'list text not null, choices jsonb not null, primary key (tenant_id, list)',
    grants: 'select',
  })

  await tenantTable(db, {
    name: 'mail',
    columns: `id uuid not null,
      at timestamptz not null default now(),
      recipient text not null,
      subject text not null,
      text text,
      html text,
      sent_at timestamptz,
      failed_at timestamptz,
      error text,
      primary key (tenant_id, id)`,
  })
  await run('create index mail_at on mail (tenant_id, at desc)')
  // The queue of mails still to be sent: read by the worker, which serves all tenants at once.
  await sharedTable(
    db,
    'mail_outbox',
    `mail_id uuid primary key,
     tenant_id text not null references tenant (id),
     due_at timestamptz not null default now(),
     attempts integer not null default 0`,
    'select, insert, update, delete',
    { local: true },
  )
  await run('create index mail_outbox_due on mail_outbox (due_at)')
}
