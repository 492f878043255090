import type { Kysely } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** A list is filtered and sorted by the reasons of 0211 in an index of their own, as by every other text. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(
    db,
    'device_by_status_reason',
    'on device (tenant_id, listing, status_reason_folded, serial) include (id, access_rights_tag_id, product, status_reason)',
  )
}
