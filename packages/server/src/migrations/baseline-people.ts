import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { sharedTable, tenantTable } from './tenant-table.ts'

/** People, their memberships, keys, files and mails, and what they did. */
export async function createPeople(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)

  await sharedTable(
    db,
    'person',
    `id uuid not null,
      issuer text not null,
      subject text not null,
      email text not null,
      name text not null,
      picture_url text,
      created_at timestamptz not null default now(),
      email_verified boolean not null default false,
      removed_at timestamptz,
      unique (issuer, subject),
      primary key (id)`,
    'select, insert, update',
  )
  await run('create index person_email on person (lower(email))')

  await tenantTable(db, {
    name: 'membership',
    columns: `id uuid not null,
      person_id uuid,
      email text not null,
      name text not null,
      role text not null,
      tag_ids uuid[] not null default '{}',
      created_at timestamptz not null default now(),
      start_view_id text,
      primary key (tenant_id, id),
      unique (tenant_id, email),
      unique (tenant_id, person_id)`,
    foreignKeys: ['foreign key (person_id) references person (id)'],
  })
  await run(
    `create policy own_membership on membership for select using ((person_id = (nullif(current_setting('app.person'::text, true), ''::text))::uuid))`,
  )
  await run('create index membership_person on membership (person_id)')

  // Waits for the first sign-in with the same verified e-mail; which person is behind it is not known before.
  await sharedTable(
    db,
    'invitation',
    `tenant_id text not null,
      membership_id uuid not null,
      email text not null,
      primary key (tenant_id, membership_id)`,
    'select, insert, update, delete',
  )
  await run('alter table invitation add foreign key (tenant_id) references tenant (id)')
  await run('create index invitation_email on invitation (email)')

  // Keys by which other software calls in a client's name, each with a person of its own in whose name everything is recorded.
  await tenantTable(db, {
    name: 'api_key',
    columns: `id uuid not null,
      person_id uuid not null,
      name text not null,
      key_hash bytea not null,
      role text not null,
      tag_ids uuid[] not null,
      created_at timestamptz not null,
      created_by text not null,
      expires_at timestamptz not null,
      revoked_at timestamptz,
      last_used_at timestamptz,
      administers_users boolean not null default false,
      primary key (tenant_id, id),
      unique (tenant_id, key_hash),
      unique (tenant_id, person_id)`,
    foreignKeys: ['foreign key (person_id) references person (id)'],
  })

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
  await run(`create unique index view_definition_private_name on view_definition (tenant_id, owner_id, root, lower(label))
    where private`)
  await run(`create unique index view_definition_public_name on view_definition (tenant_id, root, lower(label))
    where (not private)`)
  await run('create index view_definition_root on view_definition (tenant_id, root)')

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
  await run(`create unique index user_document_name on user_document (tenant_id, owner_id, document_type, ((metadata ->> 'userViewType')),
  lower((metadata ->> 'userViewName')))`)
  await run('create index user_document_owner on user_document (tenant_id, owner_id, document_type)')

  await tenantTable(db, {
    name: 'file',
    columns: `id uuid not null,
      -- The table whose rows refer to it, by a foreign key: a file that none refers to any more is deleted.
      referrer text not null,
      name text not null,
      content_type text not null,
      size bigint not null,
      sha256 bytea not null,
      created_at timestamptz not null,
      created_by uuid,
      check (length(sha256) = 32),
      check (size >= 0),
      primary key (tenant_id, id)`,
    foreignKeys: ['foreign key (created_by) references person (id)'],
    grants: 'select, insert, delete',
  })
  await run('grant update (created_at) on file to caretaker_app')
  // What a referrer's tenant has is stored once. Nothing has referred to files before.
  await run('create unique index file_content on file (tenant_id, referrer, sha256)')

  // Files of the store that no row of `file` stands for: written a moment ago, given up, or deleted. Written before the
  // file is, so that nothing lies in the store that is not known of.
  await sharedTable(
    db,
    'loose_file',
    `file_id uuid not null,
      tenant_id text not null,
      due_at timestamptz not null,
      primary key (file_id)`,
    'select, insert, update, delete',
    { local: true },
  )
  await run('create index loose_file_due on loose_file (due_at)')

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
      attachment_id uuid,
      attachment_name text,
      link_account uuid,
      primary key (tenant_id, id)`,
    foreignKeys: ['foreign key (tenant_id, attachment_id) references file (tenant_id, id)'],
  })
  await run('create index mail_at on mail (tenant_id, at desc)')

  // The queue of mails still to be sent: read by the worker, which serves all tenants at once.
  await sharedTable(
    db,
    'mail_outbox',
    `mail_id uuid not null,
      tenant_id text not null,
      due_at timestamptz not null default now(),
      attempts integer not null default 0,
      claimant integer,
      primary key (mail_id)`,
    'select, insert, update, delete',
    { local: true },
  )
  await run('alter table mail_outbox add foreign key (tenant_id) references tenant (id)')
  await run('create index mail_outbox_due on mail_outbox (due_at)')

  // Files of everything that a tenant has, which the vendor's staff had written.
  await tenantTable(db, {
    name: 'tenant_export',
    columns: `id uuid not null,
      person_id uuid not null,
      person_name text not null,
      state text not null,
      -- Until then somebody is at work on it.
      claimed_until timestamptz,
      attempts integer not null default 0,
      rows_written bigint not null default 0,
      -- Which part of it is being written.
      part text,
      fault text,
      file_id uuid,
      file_name text,
      size bigint,
      asked_at timestamptz not null,
      finished_at timestamptz,
      claimant integer,
      with_readings boolean not null default false,
      primary key (tenant_id, id)`,
    foreignKeys: [
      'foreign key (person_id) references person (id)',
      'foreign key (tenant_id, file_id) references file (tenant_id, id)',
    ],
  })
}
