import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/**
 * What is looked for in lights stands in one narrow index, and whatever tests of a light are filtered and sorted by in another: of some
 * lights among 100,000 no table is read.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(
    db,
    'device_by_serial_with_names',
    `on device (tenant_id, listing, serial_folded, serial) include (id, access_rights_tag_id, product, name_folded, building_name_folded)`,
  )
  await concurrentIndex(
    db,
    'emergency_test_of_device',
    'on emergency_test (tenant_id, device_id, started_at desc, event_id) include (test_type, result, reason)',
  )
  for (const former of ['device_by_serial', 'emergency_test_device'])
    await sql.raw(`drop index concurrently if exists ${former}`).execute(db)
}
