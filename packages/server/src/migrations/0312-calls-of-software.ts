import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/**
 * Calls that software repeats with the same idempotency key, API keys that manage API keys and webhooks, and versions of alert rules.
 * A process of the previous version that changes a rule during a rolling upgrade does not raise its revision: that change is not
 * noticed by a page that was opened before it. A trigger would, but distributed tables cannot have one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await tenantTable(db, {
    name: 'idempotency_key',
    columns: `person_id uuid not null,
      -- SHA-256 of the key: the key itself decrypts the response.
      key_hash bytea not null,
      request_hash bytea not null,
      started_at timestamptz not null,
      -- Null while the call runs, or if it ended without a result.
      status smallint,
      -- Encrypted with the key; null if the response contains a secret or is too large.
      response bytea,
      primary key (tenant_id, person_id, key_hash)`,
  })
  await sql.raw('create index idempotency_key_started on idempotency_key (tenant_id, started_at)').execute(db)
  await sql.raw('create index webhook_message_at on webhook_message (tenant_id, at, id)').execute(db)
  await sql.raw('alter table alert_definition add column revision integer not null default 1').execute(db)
  await sql.raw('alter table api_key add column manages_integrations boolean not null default false').execute(db)
}
