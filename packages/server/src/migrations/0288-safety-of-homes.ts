import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/**
 * The state of a home's gas checks, water treatments and heating, as they follow from its records and devices; appliances that no device
 * watches; records that were withdrawn, and certificates that cover several homes. A job computes the states of all homes. No column is called like one of a
 * device: the version before joins both without naming the table.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await tenantTable(db, {
    name: 'home_appliance',
    columns: `id uuid not null,
      property_id uuid not null,
      name text not null,
      added_at timestamptz not null,
      added_by uuid,
      added_by_name text not null,
      removed_at timestamptz,
      primary key (tenant_id, id)`,
    foreignKeys: ['foreign key (tenant_id, property_id) references property (tenant_id, id) on delete cascade'],
  })
  await run('create index home_appliance_property on home_appliance (tenant_id, property_id)')
  await run(`alter table compliance_record
    alter column device_id drop not null,
    add column appliance_id uuid,
    add column withdrawn_at timestamptz,
    add column withdrawn_by uuid,
    add column withdrawn_by_name text,
    add column withdrawn_reason text,
    -- The record of another home with the same certificate, where a person said that it covers both.
    add column shared_with uuid`)
  await run(`alter table property
    add column gas_check_state text,
    add column gas_rank smallint not null default 0,
    add column gas_failed_on date,
    add column gas_last_on date,
    -- The number of the certificate of the last check; null where the date was only entered.
    add column gas_certificate text,
    add column gas_stated_at timestamptz,
    add column gas_stated_by_name text,
    add column water_check_state text,
    add column water_rank smallint not null default 0,
    add column water_failed_on date,
    add column water_last_on date,
    add column water_check_due_at timestamptz,
    -- When the state of one of its checks is another one by itself.
    add column compliance_turns_at timestamptz,
    -- What the states were computed from: a hash, by which a job finds homes whose devices or dates are others now.
    add column compliance_facts uuid,
    add column heating_state text,
    add column heating_since timestamptz,
    add column frost_since timestamptz`)
  await run('alter table device add column compliance_turns_at timestamptz')
  await run(`insert into due (work, tenant_id, due_at)
    select work, id, timestamptz 'epoch' from tenant, unnest(array['count due days', 'settle homes']) as work
    on conflict (work, tenant_id) do update set due_at = excluded.due_at`)
}
