import type { Kysely } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** Lights by their last 3-hour test, or by since when they wait for the first; and devices by what is open of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(
    db,
    'device_by_full_tested_at',
    `on device (tenant_id, listing, (coalesce(last_full_test_at, status_at)), serial)
      include (id, access_rights_tag_id, product) where listing in ('EmergencyLights')`,
  )
  await concurrentIndex(
    db,
    'condition_open_by_kind',
    `on condition (tenant_id, kind, key) include (device_id) where ended_at is null`,
  )
}
