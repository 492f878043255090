import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { sharedTable, tenantTable } from './tenant-table.ts'

/** Connections to network servers and brokers of a client, the sensors behind them, and what they sent. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)

  // A webhook is addressed by the id of its connection: this states its tenant and the hash of its key.
  await sharedTable(
    db,
    'connection_route',
    `connection_id uuid not null,
      tenant_id text not null,
      key_hash bytea,
      primary key (connection_id)`,
    'select, insert, update, delete',
  )
  await run('alter table connection_route add foreign key (tenant_id) references tenant (id)')

  await tenantTable(db, {
    name: 'connection',
    columns: `id uuid not null,
      kind text not null,
      transport text not null,
      name text not null,
      key_ending text,
      key_created_at timestamptz,
      paused_at timestamptz,
      paused_reason text,
      paths jsonb,
      broker jsonb,
      broker_secrets jsonb,
      created_at timestamptz not null,
      created_by text not null,
      primary key (tenant_id, id)`,
  })

  // Written with every batch of messages, so it has no index but its key.
  await tenantTable(db, {
    name: 'connection_activity',
    columns: `connection_id uuid not null,
      last_message_at timestamptz,
      usual_interval double precision,
      invalid_key_at timestamptz,
      refused_at timestamptz,
      refused_text text,
      is_connected boolean not null default false,
      broker_error text,
      primary key (tenant_id, connection_id)`,
    foreignKeys: ['foreign key (tenant_id, connection_id) references connection (tenant_id, id) on delete cascade'],
    with: 'fillfactor=60',
  })
  await tenantTable(db, {
    name: 'connection_hour',
    columns: `connection_id uuid not null,
      hour timestamptz not null,
      error text not null,
      count integer not null,
      last_at timestamptz not null,
      detail text,
      primary key (tenant_id, connection_id, hour, error)`,
    foreignKeys: ['foreign key (tenant_id, connection_id) references connection (tenant_id, id) on delete cascade'],
    with: 'fillfactor=60',
  })

  await tenantTable(db, {
    name: 'sensor_model',
    columns: `id uuid not null,
      maker text not null,
      model text not null,
      compared_name text not null,
      active_codec integer,
      created_at timestamptz not null,
      primary key (tenant_id, id)`,
  })
  await run('create unique index sensor_model_name on sensor_model (tenant_id, compared_name)')
  await tenantTable(db, {
    name: 'sensor_mapping',
    columns: `model_id uuid not null,
      version integer not null,
      rows jsonb not null,
      saved_at timestamptz not null,
      saved_by text not null,
      primary key (tenant_id, model_id, version)`,
    foreignKeys: ['foreign key (tenant_id, model_id) references sensor_model (tenant_id, id) on delete cascade'],
  })
  await tenantTable(db, {
    name: 'sensor_codec',
    columns: `model_id uuid not null,
      version integer not null,
      source text not null,
      saved_at timestamptz not null,
      saved_by text not null,
      tried_at timestamptz,
      activated_at timestamptz,
      activated_by text,
      primary key (tenant_id, model_id, version)`,
    foreignKeys: ['foreign key (tenant_id, model_id) references sensor_model (tenant_id, id) on delete cascade'],
  })

  await tenantTable(db, {
    name: 'sensor',
    columns: `id uuid not null,
      connection_id uuid not null,
      device_key text not null,
      name text,
      maker text,
      model text,
      model_id uuid,
      -- A person chose it: what messages say of the model counts no more.
      is_model_chosen boolean not null default false,
      device_id uuid,
      added_at timestamptz,
      ignored_at timestamptz,
      first_message_at timestamptz,
      last_message_at timestamptz,
      usual_interval double precision,
      messages integer not null default 0,
      radio jsonb not null default '{}',
      last_values jsonb not null default '{}',
      primary key (tenant_id, id)`,
    foreignKeys: [
      'foreign key (tenant_id, connection_id) references connection (tenant_id, id) on delete cascade',
      'foreign key (tenant_id, model_id) references sensor_model (tenant_id, id)',
      // Without its device a sensor is a new one, with its next message.
      'foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade',
    ],
    with: 'fillfactor=80',
  })
  await run('create unique index sensor_key on sensor (tenant_id, connection_id, device_key)')
  await run('create index sensor_device on sensor (tenant_id, device_id) where device_id is not null')
  await run('create index sensor_of_model on sensor (tenant_id, model_id)')
  await run('create index sensor_new on sensor (tenant_id, last_message_at desc) where device_id is null')

  await tenantTable(db, {
    name: 'sensor_message',
    columns: `id uuid not null,
      sensor_id uuid not null,
      connection_id uuid not null,
      received_at timestamptz not null,
      kind text not null,
      result text not null,
      reason text,
      -- What makes a repeated uplink recognisable; none of a duplicate.
      once_keys text[] not null default '{}',
      message jsonb not null,
      bytes bytea,
      decoded jsonb,
      outcome jsonb not null default '{}',
      payload text not null,
      primary key (tenant_id, id)`,
    foreignKeys: [
      'foreign key (tenant_id, sensor_id) references sensor (tenant_id, id) on delete cascade',
      'foreign key (tenant_id, connection_id) references connection (tenant_id, id) on delete cascade',
    ],
  })
  await run('create index sensor_message_log on sensor_message (tenant_id, sensor_id, received_at desc, id)')
  await run('create index sensor_message_connection on sensor_message (tenant_id, connection_id, received_at desc, id)')
  await run('create index sensor_message_received on sensor_message (tenant_id, received_at)')
}
