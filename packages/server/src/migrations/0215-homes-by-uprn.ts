import type { Kysely } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(db, 'property_uprn', 'on property (tenant_id, uprn) where uprn is not null', { unique: true })
}
