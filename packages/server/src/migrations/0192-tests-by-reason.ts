import type { Kysely } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/**
 * All tests of a tenant by their reason: of each result and type the reasons in their order, with the newest test of each first. By
 * the reason itself, because row security lets no function of it be the condition of an index.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(
    db,
    'emergency_test_reason',
    'on emergency_test (tenant_id, result, test_type, reason, started_at desc, event_id)',
  )
}
