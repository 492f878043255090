import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** A page of homes by the tags of their devices is read from the index of the listing alone, and those of a set are found by it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(
    db,
    'property_listed',
    `on property (tenant_id, reference_folded, id) include (access_rights_tag_id, void_flag, epc_rating, awaabs_law_status,
      awaabs_law_due_at, gas_check_due_at, damp_level, damp_rank, device_status, device_severity, tag_set, status_set,
      postcode_folded,
      address_folded) where archived_at is null`,
  )
  await sql.raw('drop index concurrently if exists property_in_listing').execute(db)
  await concurrentIndex(
    db,
    'property_by_tag_set',
    'on property (tenant_id, tag_set) include (id, access_rights_tag_id, archived_at)',
  )
  await concurrentIndex(db, 'property_by_status_set', 'on property (tenant_id, status_set)')
}
