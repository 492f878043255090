import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

const parts = ['address1', 'address2', 'address3', 'town', 'county']
/** The address in one line, as devices have it; `concat_ws` may not stand in a generated column. */
const address = `substr(${parts.map((part) => `case when ${part} = '' then '' else ', ' || ${part} end`).join(' || ')}, 3)`

/**
 * What is known of a home besides its place, and each step of a case under Awaab's Law as it was entered. The texts stand in
 * lower case besides, because row security lets no expression be an index's condition.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await run(`alter table property
    add column epc_rating text,
    add column last_chemical_test_on date,
    add column last_gas_safety_check_on date,
    -- The first instant of the day on which the next check is due, by the figures of the tenant.
    add column gas_due_at timestamptz,
    add column void_since timestamptz,
    add column awaabs_law_status text not null default 'None',
    add column awaabs_law_since timestamptz,
    add column awaabs_law_due_at timestamptz,
    add column architype text,
    add column orientation text,
    add column number_of_inhabitants smallint,
    add column number_of_rooms smallint,
    add column number_of_floors smallint,
    add column apartment_level smallint,
    add column archived_at timestamptz,
    -- How often it was changed, for two people who change it at once.
    add column version integer not null default 1,
    add column address text not null generated always as (${address}) stored,
    add column address_folded text not null generated always as (lower(${address})) stored,
    add column reference_folded text not null generated always as (lower(reference)) stored,
    add column postcode_folded text not null generated always as (lower(postcode)) stored`)
  // A home may have no reference; of those that have one no two have the same.
  await run('alter table property drop constraint property_tenant_id_reference_key')
  await run(`create unique index property_reference on property (tenant_id, reference) where reference <> ''`)
  await tenantTable(db, {
    name: 'awaabs_law_step',
    columns: `id uuid not null,
      property_id uuid not null,
      status text not null,
      hazard text,
      -- The day on which it was so, and the moment at which somebody said it.
      happened_on date not null,
      entered_at timestamptz not null,
      entered_by uuid,
      entered_by_name text not null,
      due_on date,
      primary key (tenant_id, id)`,
    foreignKeys: ['foreign key (tenant_id, property_id) references property (tenant_id, id) on delete cascade'],
  })
  await run('create index awaabs_law_step_property on awaabs_law_step (tenant_id, property_id, entered_at)')
}
