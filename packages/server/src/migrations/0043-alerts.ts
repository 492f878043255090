import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/**
 * What rules are decided by, and what came of them: the history of devices as it became known, each time that a rule held for
 * a device, and who was told. An alert keeps the words of its rule, so that it outlives it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await run(`alter table alert_definition
    -- Since when it is as it is; nothing is told for a time before.
    add column changed_at timestamptz not null default 'epoch',
    add column changed_by uuid,
    -- It is new or was changed, and its devices were not looked at since.
    add column pending boolean not null default true`)
  await tenantTable(db, {
    name: 'device_spell',
    columns: `device_id uuid not null,
      kind text not null,
      key text not null,
      began_at timestamptz not null,
      -- From when on it was known, which may be later: silence is known when a report is missed.
      seen_at timestamptz not null,
      ended_at timestamptz,
      primary key (tenant_id, device_id, kind, key, seen_at)`,
    foreignKeys: ['foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade'],
  })
  await run(`create unique index device_spell_open on device_spell (tenant_id, device_id, kind, key)
    where ended_at is null`)
  await run(`create index device_spell_tag on device_spell (tenant_id, key, device_id) where kind = 'TAG'`)
  await run(`create index device_spell_ended on device_spell (tenant_id, ended_at) where ended_at is not null`)
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
    foreignKeys: ['foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade'],
  })
  // The same rule tells of the same time of a device once; one that was changed is another.
  await run(`create unique index alert_once on alert (tenant_id, definition_id, device_id, seen_at)
    where ending is distinct from 'rule changed'`)
  await run('create index alert_next on alert (tenant_id, next_at) where next_at is not null')
  await run('create index alert_open on alert (tenant_id, device_id) where closed_at is null')
  await run('create index alert_device on alert (tenant_id, device_id, told_at desc)')
  await run('create index alert_closed on alert (tenant_id, closed_at desc) where closed_at is not null')
  await run('create index alert_place on alert (tenant_id, definition_id, place, tell_at desc)')
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
    where kind <> 'again'`)
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
    name: 'alert_progress',
    columns: `-- Up to where the feed of changes was read, and until when everything that was due is done.
      position text,
      started_at timestamptz not null,
      done_until timestamptz not null,
      primary key (tenant_id)`,
  })
  await run(
    `insert into due (work, tenant_id, due_at) select 'watch alerts', id, 'epoch' from tenant on conflict do nothing`,
  )
}
