import type { Kysely } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** What a map counts is read from indexes alone: where things are, how bad they are, and what decides who may see them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(
    db,
    'device_map',
    `on device (tenant_id, latitude, longitude) include (id, product, access_rights_tag_id, building_id, floor_id,
      severity, connection_status, name_folded) where latitude is not null and longitude is not null`,
  )
  await concurrentIndex(
    db,
    'building_map',
    `on building (tenant_id, latitude, longitude) include (id, name) where latitude is not null and longitude is not null`,
  )
  // That of 0005 with the connection besides, of which a building has the worst.
  await concurrentIndex(
    db,
    'device_in_building',
    `on device (tenant_id, building_id, severity desc) include (product, access_rights_tag_id, status, connection_status)
      where building_id is not null`,
  )
}
