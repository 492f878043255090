import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** How a boiler stands with its records depends on what its remote control watches: that stands in the index by which it is filtered. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const type of ['gas', 'water']) {
    await concurrentIndex(
      db,
      `device_by_${type}_due`,
      `on device (tenant_id, listing, ${type}_due_at, serial) include (id, access_rights_tag_id, product, ${type}_state, monitoring)
       where listing in ('Boilers')`,
    )
    await sql.raw(`drop index concurrently if exists device_by_${type}_due_at`).execute(db)
  }
}
