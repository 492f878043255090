import type { Kysely } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** The few void homes of a tenant, which are looked at by the minute. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(db, 'property_void', `on property (tenant_id, id) where void_flag = 'Void'`)
}
