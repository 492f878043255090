import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

const communal = `where listing in ('EmergencyLights', 'Boilers', 'NetworkingDevices', 'ThirdParty')`
const domestic = `where listing in ('Boilers', 'ThirdParty', 'HomeHubs', 'VStats')`

/** The texts that lists of devices go by, with the lists that know them where not all do. */
const texts: Record<string, string> = {
  name: '',
  building_name: communal,
  floor_name: communal,
  room: communal,
  address: '',
  postcode: '',
  property_reference: domestic,
  location: domestic,
  location_details: domestic,
  fault_code: `where listing = 'Boilers'`,
  status_reason: '',
}

const former = [
  ...Object.keys(texts).map((text) => `device_by_${text}`),
  ...['device_by_serial_with_names', 'device_search'],
  ...['property_by_address_folded', 'property_by_postcode_folded', 'property_by_reference', 'property_for_lists'],
  ...['property_search', 'property_texts'],
]

/** Lists are read in the order of `natural_order`, and searched in the forms of 0299 and 0300, from indexes alone as before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [text, where] of Object.entries(texts))
    await concurrentIndex(
      db,
      `device_in_order_of_${text}`,
      `on device (tenant_id, listing, ${text}_folded collate natural_order, serial)
        include (id, access_rights_tag_id, product, ${text}) ${where}`,
    )
  await concurrentIndex(
    db,
    'device_in_order_of_serial',
    `on device (tenant_id, listing, serial_folded collate natural_order, serial)
      include (id, access_rights_tag_id, product, name_folded, building_name_folded)`,
  )
  // All devices are looked at for a text, those of a list in its order, and with what else a search may be narrowed by.
  await concurrentIndex(
    db,
    'device_texts',
    `on device (tenant_id, listing, severity desc, serial) include (id, access_rights_tag_id, product, status, connection_status,
      monitoring, last_test_at, status_at, in_wholesale, search_form, search_form_address)`,
  )
  await concurrentIndex(
    db,
    'property_in_order',
    `on property (tenant_id, reference_folded collate natural_order, id) include (access_rights_tag_id, void_flag, epc_rating,
      awaabs_law_status, awaabs_law_due_at, gas_check_due_at, gas_check_state, gas_rank, water_check_due_at, water_check_state,
      water_rank, heating_state, damp_level, damp_rank, device_status, device_severity, tag_set, status_set, postcode_folded,
      address_folded) where archived_at is null`,
  )
  for (const text of ['reference', 'postcode', 'address'])
    await concurrentIndex(
      db,
      `property_in_order_of_${text}`,
      `on property (tenant_id, ${text}_folded collate natural_order, id) include (access_rights_tag_id, ${text})
        where archived_at is null`,
    )
  await concurrentIndex(
    db,
    'property_searched_in_order',
    `on property (tenant_id, reference_folded collate natural_order, id) include (access_rights_tag_id, reference, search_form)
      where archived_at is null`,
  )
  await concurrentIndex(
    db,
    'property_search_forms',
    `on property (tenant_id) include (id, access_rights_tag_id, search_form, search_form_reference)
      where archived_at is null`,
  )
  for (const index of former) await sql.raw(`drop index concurrently if exists ${index}`).execute(db)
}
