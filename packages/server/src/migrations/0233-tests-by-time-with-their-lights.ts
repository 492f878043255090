import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/**
 * Of which light a test is, and its type and result, stand in the indexes that have all tests by their time: thousands that are passed
 * for those of some lights are not looked up one by one in a table that fits no memory. Each light has its tests by their result as well
 * as by their time: those that failed are asked for most, and stand among many times as many.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const last = 'started_at desc, event_id'
  const indexes = {
    by_time: `${last}) include (device_id, test_type, result)`,
    by_result: `result, ${last}) include (device_id, test_type)`,
    by_type: `test_type, ${last}) include (device_id, result)`,
    of_device_by_result: `device_id, result, test_type, ${last}) include (reason)`,
    of_device_by_time: `device_id, ${last}) include (test_type, result)`,
  }
  for (const [name, columns] of Object.entries(indexes))
    await concurrentIndex(db, `emergency_test_${name}`, `on emergency_test (tenant_id, ${columns}`)
  for (const former of ['started', 'result', 'type', 'of_device'])
    await sql.raw(`drop index concurrently if exists emergency_test_${former}`).execute(db)
}
