import type { Kysely } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** No two buildings of a tenant have names that come to the same, however near to each other they are added. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(db, 'building_compared_name', 'on building (tenant_id, compared_name)', { unique: true })
}
