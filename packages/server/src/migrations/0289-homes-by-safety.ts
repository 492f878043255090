import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** A page of homes by the states of their checks and of their heating is read from the index of the listing alone, the worst first. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(
    db,
    'property_for_lists',
    `on property (tenant_id, reference_folded, id) include (access_rights_tag_id, void_flag, epc_rating, awaabs_law_status,
      awaabs_law_due_at, gas_check_due_at, gas_check_state, gas_rank, water_check_due_at, water_check_state, water_rank, heating_state, damp_level,
      damp_rank, device_status, device_severity, tag_set, status_set, postcode_folded, address_folded)
      where archived_at is null`,
  )
  await sql.raw('drop index concurrently if exists property_in_lists').execute(db)
  await concurrentIndex(
    db,
    'property_by_gas',
    `on property (tenant_id, gas_rank desc, id) include (access_rights_tag_id, gas_check_state) where archived_at is null`,
  )
  for (const kind of ['gas', 'water']) {
    await concurrentIndex(
      db,
      `device_${kind}_pressing`,
      `on device (tenant_id, listing, ${kind}_due_at, serial)
       include (id, access_rights_tag_id, product, status, severity, status_at, monitoring, ${kind}_state)
       where ${kind}_state in ('Due', 'Overdue', 'NeverChecked', 'Failed')`,
    )
    await sql.raw(`drop index concurrently if exists device_${kind}_waits`).execute(db)
  }
  // The same certificate is not recorded twice; one that was withdrawn may be recorded once more.
  await concurrentIndex(
    db,
    'compliance_record_counted_once',
    `on compliance_record (tenant_id, device_id, type, lower(serial_number), recorded_at)
      where not is_draft and withdrawn_at is null`,
    { unique: true },
  )
  await sql.raw('drop index concurrently if exists compliance_record_once').execute(db)
  await concurrentIndex(
    db,
    'property_turning',
    `on property (tenant_id, compliance_turns_at) where compliance_turns_at is not null`,
  )
  await concurrentIndex(
    db,
    'compliance_record_appliance',
    `on compliance_record (tenant_id, appliance_id) where appliance_id is not null`,
  )
  await concurrentIndex(
    db,
    'compliance_record_number',
    `on compliance_record (tenant_id, type, lower(serial_number)) where not is_draft`,
  )
}
