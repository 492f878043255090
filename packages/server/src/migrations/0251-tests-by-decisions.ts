import type { Kysely } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** Disputed and corrected tests are a handful among millions, and each is a list of its own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const last = '(tenant_id, started_at desc, event_id) include (device_id, test_type, result)'
  await concurrentIndex(db, 'emergency_test_disputed', `on emergency_test ${last} where disputed is not null`)
  await concurrentIndex(db, 'emergency_test_corrected', `on emergency_test ${last} where corrected_at is not null`)
}
