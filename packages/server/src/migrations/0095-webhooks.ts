import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/** Where clients want to be told of what happens, what there is to tell, and what became of telling it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await tenantTable(db, {
    name: 'webhook_endpoint',
    columns: `id uuid not null,
      url text not null,
      name text not null,
      events text[] not null,
      -- It signs, so it cannot be a hash.
      secret text not null,
      -- Signs as well until then.
      former_secret text,
      former_until timestamptz,
      created_at timestamptz not null,
      created_by text not null,
      disabled_at timestamptz,
      disabled_reason text,
      -- Since when nothing was taken there; null after a delivery.
      failing_since timestamptz,
      primary key (tenant_id, id)`,
  })
  await tenantTable(db, {
    name: 'webhook_message',
    columns: `id uuid not null,
      event text not null,
      at timestamptz not null,
      written_at timestamptz not null,
      -- As it is signed and sent, to the byte.
      body text not null,
      primary key (tenant_id, id)`,
  })
  await run('create index webhook_message_written on webhook_message (tenant_id, written_at)')
  await tenantTable(db, {
    name: 'webhook_delivery',
    columns: `endpoint_id uuid not null,
      message_id uuid not null,
      at timestamptz not null,
      state text not null default 'waiting',
      attempts integer not null default 0,
      -- When it is to be tried; while somebody tries it, when that counts as lost. Null once it is over.
      due_at timestamptz,
      tried_at timestamptz,
      status_code integer,
      fault text,
      -- The first of what was answered.
      answer text,
      duration_ms integer,
      primary key (tenant_id, endpoint_id, message_id)`,
    foreignKeys: [
      'foreign key (tenant_id, endpoint_id) references webhook_endpoint (tenant_id, id) on delete cascade',
      'foreign key (tenant_id, message_id) references webhook_message (tenant_id, id) on delete cascade',
    ],
    // Each row is written when it is made, claimed and settled.
    with: 'fillfactor = 80',
  })
  await run('create index webhook_delivery_message on webhook_delivery (tenant_id, message_id)')
  await run('create index webhook_delivery_log on webhook_delivery (tenant_id, endpoint_id, at desc, message_id)')
  await run(
    'create index webhook_delivery_due on webhook_delivery (tenant_id, endpoint_id, due_at) where due_at is not null',
  )
}
