import type { Kysely } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** The few tests whose result somebody has corrected, by their time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(
    db,
    'emergency_test_corrected',
    `on emergency_test (tenant_id, started_at desc, event_id) include (device_id, test_type, result)
     where corrected_at is not null`,
  )
}
