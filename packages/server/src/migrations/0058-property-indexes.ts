import type { Kysely } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** What a listing of homes is sorted by, and what an index holds besides so that nothing else is read. */
const orders: Record<string, string> = {
  postcode_folded: 'postcode',
  address_folded: 'address',
  void_flag: '',
  epc_rating: '',
  awaabs_law_status: '',
  awaabs_law_due_at: '',
  gas_due_at: '',
  last_gas_safety_check_on: '',
  last_chemical_test_on: '',
}

/** A listing of 200,000 homes is read from indexes alone, like those of devices. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(
    db,
    'property_listing',
    `on property (tenant_id, reference_folded, id) include (access_rights_tag_id, reference, postcode_folded,
      address_folded, void_flag, epc_rating, awaabs_law_status, awaabs_law_due_at, gas_due_at, last_gas_safety_check_on,
      last_chemical_test_on) where archived_at is null`,
  )
  for (const [name, shown] of Object.entries(orders))
    await concurrentIndex(
      db,
      `property_by_${name}`,
      `on property (tenant_id, ${name}, id) include (access_rights_tag_id${shown && `, ${shown}`})
        where archived_at is null`,
    )
}
