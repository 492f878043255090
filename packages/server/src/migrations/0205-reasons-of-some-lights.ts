import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** Of which light a test is stands in the index of reasons too: those of a building are found there among those of all. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(
    db,
    'emergency_test_by_reason',
    'on emergency_test (tenant_id, result, test_type, reason, started_at desc, event_id) include (device_id)',
  )
  await sql.raw('drop index concurrently if exists emergency_test_reason').execute(db)
}
