import type { Kysely } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** By when a boiler is due, with its state: what the listing is sorted by, and what the dashboard counts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const type of ['gas', 'water'])
    await concurrentIndex(
      db,
      `device_by_${type}_due_at`,
      `on device (tenant_id, listing, ${type}_due_at, serial) include (id, access_rights_tag_id, product, ${type}_state)
       where listing in ('Boilers')`,
    )
}
