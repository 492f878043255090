import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/**
 * Single sign-on of clients. The schema `idp` states which client an e-mail domain belongs to, because a sign-in begins before a
 * client is known, and at most one client can own a domain.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await tenantTable(db, {
    name: 'sso_connection',
    columns: `id uuid not null,
      name text not null,
      issuer text not null,
      client_id text not null,
      client_secret text not null,
      is_required boolean not null,
      checks_second_factor boolean not null,
      creates_members boolean not null,
      group_claim text not null,
      created_at timestamptz not null,
      created_by text not null,
      changed_at timestamptz not null,
      primary key (tenant_id, id)`,
  })
  await tenantTable(db, {
    name: 'sso_domain',
    columns: `domain text not null,
      connection_id uuid not null,
      proof text not null,
      verified_at timestamptz,
      checked_at timestamptz,
      primary key (tenant_id, domain)`,
    foreignKeys: ['foreign key (tenant_id, connection_id) references sso_connection (tenant_id, id) on delete cascade'],
  })
  // Members whom a connection has created: their role follows their groups at each sign-in.
  await tenantTable(db, {
    name: 'sso_member',
    columns: `membership_id uuid not null,
      connection_id uuid not null,
      created_at timestamptz not null,
      primary key (tenant_id, membership_id)`,
    foreignKeys: [
      'foreign key (tenant_id, membership_id) references membership (tenant_id, id) on delete cascade',
      'foreign key (tenant_id, connection_id) references sso_connection (tenant_id, id) on delete cascade',
    ],
  })

  await run(`create table idp.sso_lookup (
      domain text not null,
      tenant_id text not null,
      connection_id uuid not null,
      is_required boolean not null,
      primary key (domain))`)
  await run('create index sso_lookup_tenant on idp.sso_lookup (tenant_id, connection_id)')
  await run(`create table idp.federated_identity (
      connection_id uuid not null,
      subject text not null,
      tenant_id text not null,
      account_id uuid not null references idp.account on delete cascade,
      issuer text not null,
      created_at timestamptz not null default now(),
      primary key (connection_id, subject))`)
  await run('create index federated_identity_account on idp.federated_identity (account_id)')
  await run('create index federated_identity_tenant on idp.federated_identity (tenant_id)')
  for (const table of ['sso_lookup', 'federated_identity'])
    await run(`grant select, insert, update, delete on idp.${table} to caretaker_idp`)

  // Where a browser was signed in by a client's provider, the provider can end the session.
  await run('alter table idp.browser_session add column connection_id uuid')
  await run('alter table idp.browser_session add column provider_session text')
  await run(`create index browser_session_connection on idp.browser_session (connection_id)
    where connection_id is not null`)
}
