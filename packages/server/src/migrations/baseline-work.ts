import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { sharedTable, tenantTable } from './tenant-table.ts'

/** The feed of changes, what is due, and what processes share with each other. */
export async function createWork(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)

  // Transactions are numbered by the machine that has the table: where the database is spread it stays on the coordinator,
  // through which every transaction goes. No key to the tenant: each batch of readings writes a row.
  await tenantTable(db, {
    name: 'change',
    columns: `"position" xid8 default pg_current_xact_id() not null,
      seq bigint generated always as identity,
      subject text not null,
      ids uuid[],
      audience uuid[],
      at timestamptz not null default clock_timestamp(),
      -- No transaction before this one was still running when the row was written.
      oldest xid8 not null default pg_snapshot_xmin(pg_current_snapshot()),
      spans bigint[],
      primary key (tenant_id, "position", seq)`,
    storage: { ids: 'external' },
    local: true,
    hot: true,
    grants: 'select, insert, delete',
  })

  // Read by the worker, which serves all tenants at once.
  await sharedTable(
    db,
    'due',
    `work text not null,
      tenant_id text not null,
      due_at timestamptz not null,
      primary key (work, tenant_id)`,
    'select, insert, update, delete',
    { local: true },
  )

  // How often something was tried lately, shared by all processes: it takes the place of idp.failed_attempt, which the version
  // before still writes. When somebody lost their last client. And the sessions that are open at the identity provider, which
  // every call asks about: the application's role sees their ids and nothing else of the provider's.
  await sharedTable(
    db,
    'throttle',
    `key text not null,
      count integer not null,
      since timestamptz not null,
      primary key (key)`,
    'select, insert, update, delete',
    { local: true },
  )
  await run('create index throttle_since on throttle (since)')

  // Processes that work, by the numbers under which they claim, so that what one had claimed that died need not wait.
  await sharedTable(
    db,
    'claimant',
    `number integer not null,
      since timestamptz not null,
      primary key (number)`,
    'select',
    { local: true },
  )

  await sharedTable(
    db,
    'process_figure',
    `process uuid not null,
      name text not null,
      value double precision not null,
      told_at timestamptz not null,
      primary key (process, name)`,
    'select',
    { local: true },
  )

  // The sessions that an external broker keeps for ingest processes, by number: what the broker holds for one that was
  // killed is fetched by another. Local to the coordinator where the database is spread, as the locks are that it goes with.
  await run(`create table mqtt_session (
      number integer not null,
      primary key (number))`)
}
