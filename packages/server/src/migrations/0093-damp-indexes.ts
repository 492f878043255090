import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** The listing of homes is filtered and sorted by damp and mould from indexes alone, as by everything else. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(
    db,
    'property_by_damp_rank',
    `on property (tenant_id, damp_rank, id) include (access_rights_tag_id, damp_level) where archived_at is null`,
  )
  await concurrentIndex(
    db,
    'property_listing_of_all',
    `on property (tenant_id, reference_folded, id) include (access_rights_tag_id, reference, postcode_folded,
      address_folded, void_flag, epc_rating, awaabs_law_status, awaabs_law_due_at, gas_check_due_at, damp_level)
      where archived_at is null`,
  )
  // The one before, without damp and mould.
  await sql`drop index concurrently if exists property_listing`.execute(db)
}
