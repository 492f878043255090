import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/**
 * What waits for somebody is found without reading every boiler: the few whose records are due or failed have an index each. And
 * what lists are sorted by is read from its index alone far into the list: an expression is, only where the columns that it is
 * made of stand beside it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const instead = (index: string) => sql.raw(`drop index concurrently if exists ${index}`).execute(db)
  for (const kind of ['gas', 'water'])
    await concurrentIndex(
      db,
      `device_${kind}_waits`,
      `on device (tenant_id, listing, ${kind}_due_at, serial)
       include (id, access_rights_tag_id, product, status, severity, status_at, monitoring, ${kind}_state)
       where ${kind}_state in ('Due', 'Overdue', 'Failed')`,
    )
  await concurrentIndex(
    db,
    'device_by_failed_since',
    `on device (tenant_id, listing, (case when severity in (3, 5) then status_at end), serial)
     include (id, access_rights_tag_id, product, severity, status_at)`,
  )
  await instead('device_by_failed_at')
  await concurrentIndex(
    db,
    'device_by_tested_or_installed',
    `on device (tenant_id, listing, (coalesce(last_test_at, status_at)), serial)
     include (id, access_rights_tag_id, product, status, severity, last_test_at, status_at) where listing in ('EmergencyLights')`,
  )
  await instead('device_by_tested_at')
}
