import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** A page of homes of a level of damp or a status is read from the index of the listing alone, with the ranks that are asked for too. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(
    db,
    'property_in_listing',
    `on property (tenant_id, reference_folded, id) include (access_rights_tag_id, void_flag, epc_rating, awaabs_law_status,
      awaabs_law_due_at, gas_check_due_at, damp_level, damp_rank, device_status, device_severity, postcode_folded, address_folded)
      where archived_at is null`,
  )
  await sql.raw('drop index concurrently if exists property_listing').execute(db)
}
