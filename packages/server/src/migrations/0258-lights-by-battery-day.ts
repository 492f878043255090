import type { Kysely } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** Lights by the day on which their battery was put in: as their equipment says, and as repairs of a battery do. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(
    db,
    'equipment_by_battery_day',
    `on emergency_equipment (tenant_id, battery_installed) include (device_id) where battery_installed is not null`,
  )
  await concurrentIndex(
    db,
    'repair_form_of_battery',
    `on repair_form (tenant_id, repaired_on) include (device_id) where parts ->> 'battery' = 'true'`,
  )
}
