import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/** The luminaires that a client uses often, from which the equipment of a light is filled in. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await tenantTable(db, {
    name: 'standard_luminaire',
    columns: `id uuid not null,
      name text not null,
      lamp_type text not null,
      inverter_type text not null,
      battery_type text not null,
      battery_voltage double precision not null,
      battery_capacity double precision not null,
      created_at timestamptz not null,
      primary key (tenant_id, id)`,
  })
  await sql
    .raw('create unique index standard_luminaire_name on standard_luminaire (tenant_id, lower(name))')
    .execute(db)
}
