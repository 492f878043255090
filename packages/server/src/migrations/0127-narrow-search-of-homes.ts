import type { Kysely } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/**
 * Where all homes are looked at for a text, the index of 0113 was hardly narrower than a home of which little is known: the
 * database read the table instead, and took each row apart up to its last column. Pages are still read from that one, in order.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(
    db,
    'property_by_reference',
    `on property (tenant_id, reference_folded, id) include (access_rights_tag_id, reference) where archived_at is null`,
  )
  // Of one key alone, so that its pages become full however the homes came in: those of an order are split in half.
  await concurrentIndex(
    db,
    'property_texts',
    `on property (tenant_id) include (id, access_rights_tag_id, sought) where archived_at is null`,
  )
}
