import type { Kysely } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

/** The pages of devices ask what else is in a home. Most devices of a tenant of lights are in none. */
export const transaction = false

export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(db, 'device_property', 'on device (tenant_id, property_id) where property_id is not null')
}
