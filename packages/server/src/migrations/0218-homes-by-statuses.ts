import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** A page of homes by the statuses that somebody sees is read from the index of the listing alone, and those of a set are found by it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(
    db,
    'property_in_lists',
    `on property (tenant_id, reference_folded, id) include (access_rights_tag_id, void_flag, epc_rating, awaabs_law_status,
      awaabs_law_due_at, gas_check_due_at, damp_level, damp_rank, device_status, device_severity, tag_set, status_set,
      postcode_folded, address_folded) where archived_at is null`,
  )
  await sql.raw('drop index concurrently if exists property_listed').execute(db)
  await concurrentIndex(db, 'property_by_status_set', 'on property (tenant_id, status_set)')
  // What the worst of each kind in a home is made of, read from the index alone each time that devices change.
  await concurrentIndex(
    db,
    'device_kinds_in_home',
    `on device (tenant_id, property_id, severity desc, status_at, id) include (status, product, access_rights_tag_id)
      where property_id is not null`,
  )
  await sql.raw('drop index concurrently if exists device_in_home').execute(db)
}
