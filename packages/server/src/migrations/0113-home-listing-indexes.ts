import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** What a listing of homes is read from besides 0058 and 0093: the worst first, and nothing wider than its question. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // In the order of the list: its pages, and what is searched for in any of its texts.
  await concurrentIndex(
    db,
    'property_search',
    `on property (tenant_id, reference_folded, id) include (access_rights_tag_id, reference, sought)
      where archived_at is null`,
  )
  // All homes are counted in it: so many with one tag take the least room there is.
  await concurrentIndex(
    db,
    'property_by_tag',
    `on property (tenant_id, access_rights_tag_id) where archived_at is null`,
  )
  // What falls in severity rises in its key.
  await concurrentIndex(
    db,
    'property_by_damp',
    `on property (tenant_id, damp_rank desc, id) include (access_rights_tag_id, damp_level) where archived_at is null`,
  )
  await concurrentIndex(
    db,
    'property_by_status',
    `on property (tenant_id, device_severity desc, id) include (access_rights_tag_id, device_status)
      where archived_at is null`,
  )
  await concurrentIndex(
    db,
    'property_listing',
    `on property (tenant_id, reference_folded, id) include (access_rights_tag_id, void_flag, epc_rating, awaabs_law_status,
      awaabs_law_due_at, gas_check_due_at, damp_level, device_status, postcode_folded, address_folded)
      where archived_at is null`,
  )
  // What the worst of a home is made of.
  await concurrentIndex(
    db,
    'device_in_home',
    `on device (tenant_id, property_id, severity desc, status_at, id) include (status) where property_id is not null`,
  )
  for (const former of ['property_listing_of_all', 'property_by_damp_rank', 'device_property'])
    await sql.raw(`drop index concurrently if exists ${former}`).execute(db)
}
