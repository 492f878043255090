import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/**
 * Of which light a test is, and its type and result, stand in the indexes that have all tests by their time: thousands that are passed
 * for those of some lights are not looked up one by one in a table that fits no memory. Tests of one type and result, which are asked for
 * most, stand by their light as well: so many of all lights are failed flick tests that those of some are not looked for among them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const last = 'started_at desc, event_id'
  await concurrentIndex(
    db,
    'emergency_test_by_time',
    `on emergency_test (tenant_id, ${last}) include (device_id, test_type, result)`,
  )
  await concurrentIndex(
    db,
    'emergency_test_by_result',
    `on emergency_test (tenant_id, result, ${last}) include (device_id, test_type)`,
  )
  await concurrentIndex(
    db,
    'emergency_test_by_type',
    `on emergency_test (tenant_id, test_type, ${last}) include (device_id, result)`,
  )
  await concurrentIndex(
    db,
    'emergency_test_of_kind',
    `on emergency_test (tenant_id, result, test_type, device_id, ${last})`,
  )
  for (const former of ['emergency_test_started', 'emergency_test_result', 'emergency_test_type'])
    await sql.raw(`drop index concurrently if exists ${former}`).execute(db)
}
