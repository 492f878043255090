import type { Kysely } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** Lights of one standard luminaire among very many are found by all that it says of them at once. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(
    db,
    'equipment_by_luminaire',
    `on emergency_equipment (tenant_id, name, lamp_type, inverter_type, battery_type, battery_voltage, battery_capacity)
     include (device_id)`,
  )
}
