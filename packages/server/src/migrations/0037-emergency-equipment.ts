import type { Kysely } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/** What hangs on an emergency light: its luminaire with its battery, and the circuit that it monitors. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await tenantTable(db, {
    name: 'emergency_equipment',
    columns: `device_id uuid not null,
      name text,
      lamp_type text,
      inverter_type text,
      battery_type text,
      battery_voltage double precision,
      battery_capacity double precision,
      battery_installed date,
      monitored_led_circuit text,
      primary key (tenant_id, device_id)`,
    foreignKeys: ['foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade'],
  })
}
