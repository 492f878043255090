import type { Kysely } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** All tests of a tenant in the orders in which they are listed, so that a page of ten years is read from its place in an index. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const last = 'started_at desc, event_id'
  await concurrentIndex(db, 'emergency_test_started', `on emergency_test (tenant_id, ${last})`)
  await concurrentIndex(db, 'emergency_test_result', `on emergency_test (tenant_id, result, ${last})`)
  await concurrentIndex(db, 'emergency_test_type', `on emergency_test (tenant_id, test_type, ${last})`)
}
