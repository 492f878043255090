import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** The indexes of the former list of test results, which had one for each of its orders. */
const former = [
  'emergency_test_by_reason',
  'emergency_test_by_result',
  'emergency_test_by_time',
  'emergency_test_by_type',
  'emergency_test_corrected',
  'emergency_test_disputed',
  'emergency_test_of_device_by_result',
]

/**
 * The list of all test results is read by date, and sorted otherwise only while few tests match. The version before runs without the
 * former indexes too, with slower pages of that list until it is replaced.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(
    db,
    'emergency_test_by_date',
    'on emergency_test (tenant_id, started_at, event_id) include (device_id, test_type, result)',
  )
  await concurrentIndex(
    db,
    'emergency_test_by_kind',
    'on emergency_test (tenant_id, test_type, result, started_at) include (event_id, device_id)',
  )
  await concurrentIndex(
    db,
    'emergency_test_decided',
    `on emergency_test (tenant_id, started_at, event_id) include (device_id, test_type, disputed)
      where corrected_at is not null or disputed is not null`,
  )
  for (const index of former) await sql.raw(`drop index concurrently if exists ${index}`).execute(db)
}
