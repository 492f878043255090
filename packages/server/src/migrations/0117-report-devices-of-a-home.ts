import type { Kysely } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/**
 * A report finds the devices of each home by an index: of a month that was written down a moment ago the database does not know yet
 * how many rows it has, and would read all of them once for each home.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(
    db,
    'report_device_home',
    'on report_device (tenant_id, month, property_id) where property_id is not null',
  )
}
