import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/** Alert rules, alerts, and webhooks. */
export async function createAlerts(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)

  await tenantTable(db, {
    name: 'alert_definition',
    columns: `id uuid not null,
      tag_id uuid,
      delay integer not null default 0,
      delay_unit text not null default 'mins',
      notification_type text not null default 'NONE',
      notification_target text not null default '',
      trigger_type text not null default 'NONE',
      trigger_condition text not null default '',
      defined_by_tenant boolean not null default true,
      -- Since when it is as it is; nothing is told for a time before.
      changed_at timestamptz not null default '1970-01-01 00:00:00+00',
      changed_by uuid,
      -- It is new or was changed, and its devices were not looked at since.
      pending boolean not null default true,
      enabled boolean not null default true,
      scope_families text[] not null default '{}',
      scope_buildings uuid[] not null default '{}',
      scope_tags uuid[] not null default '{}',
      check (delay >= 0),
      primary key (tenant_id, id)`,
    foreignKeys: ['foreign key (tenant_id, tag_id) references tag (tenant_id, id) on delete cascade'],
  })
  await run('create index alert_definition_tag on alert_definition (tenant_id, tag_id)')

  await tenantTable(db, {
    name: 'alert_progress',
    columns: `"position" text,
      started_at timestamptz not null,
      done_until timestamptz not null,
      known_since jsonb not null default '{}',
      primary key (tenant_id)`,
  })

  await tenantTable(db, {
    name: 'alert',
    columns: `id uuid not null,
      definition_id uuid not null,
      device_id uuid not null,
      -- The rule in its words of then.
      rule jsonb not null,
      place text not null,
      began_at timestamptz not null,
      seen_at timestamptz not null,
      due_at timestamptz,
      held text,
      unstable boolean not null default false,
      -- When it is to be told, and when it was.
      tell_at timestamptz,
      told_at timestamptz,
      -- Devices that are behind it, where it is a gateway that fell silent.
      behind integer not null default 0,
      ended_at timestamptz,
      over_at timestamptz,
      over_tell_at timestamptz,
      over_told_at timestamptz,
      ending text,
      -- When the clock alone takes it a step further; null when it waits for the device, or is closed.
      next_at timestamptz,
      closed_at timestamptz,
      primary key (tenant_id, id)`,
    hot: true,
  })
  await run('create index alert_closed on alert (tenant_id, closed_at desc) where closed_at is not null')
  await run('create index alert_next on alert (tenant_id, next_at) where next_at is not null')
  await run(`create unique index alert_once_of_device on alert (tenant_id, device_id, definition_id, seen_at)
    where (ending is distinct from 'rule changed')`)
  await run(`create index alert_told_in_place on alert (tenant_id, definition_id, place, tell_at desc)
    where tell_at is not null`)
  await run(`create index alert_told_of_device on alert (tenant_id, device_id, told_at desc)
    where told_at is not null or closed_at is not null`)
  await run(`create index alert_waiting_for_device on alert (tenant_id, device_id)
    where closed_at is null and next_at is null`)

  await tenantTable(db, {
    name: 'alert_recipient',
    columns: `definition_id uuid not null,
      -- In lower case, as addresses are compared.
      address text not null,
      token text not null,
      unsubscribed_at timestamptz,
      primary key (tenant_id, definition_id, address)`,
    foreignKeys: [
      'foreign key (tenant_id, definition_id) references alert_definition (tenant_id, id) on delete cascade',
    ],
  })
  await run('create unique index alert_recipient_token on alert_recipient (tenant_id, token)')

  await tenantTable(db, {
    name: 'alert_mail',
    columns: `alert_id uuid not null,
      mail_id uuid not null,
      -- 'told', 'over', or 'again' when a person had it sent once more.
      kind text not null,
      recipient text not null,
      at timestamptz not null,
      primary key (tenant_id, alert_id, mail_id)`,
    foreignKeys: ['foreign key (tenant_id, alert_id) references alert (tenant_id, id) on delete cascade'],
  })
  // Nobody is told the same twice, whatever becomes of the process that tells it.
  await run(`create unique index alert_mail_once on alert_mail (tenant_id, alert_id, kind, recipient)
    where (kind <> 'again')`)

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
      claimant integer,
      primary key (tenant_id, endpoint_id, message_id)`,
    with: 'fillfactor=80',
    foreignKeys: [
      'foreign key (tenant_id, endpoint_id) references webhook_endpoint (tenant_id, id) on delete cascade',
      'foreign key (tenant_id, message_id) references webhook_message (tenant_id, id) on delete cascade',
    ],
  })
  await run(`create index webhook_delivery_due on webhook_delivery (tenant_id, endpoint_id, due_at)
    where due_at is not null`)
  await run('create index webhook_delivery_log on webhook_delivery (tenant_id, endpoint_id, at desc, message_id)')
  await run('create index webhook_delivery_message on webhook_delivery (tenant_id, message_id)')
}
