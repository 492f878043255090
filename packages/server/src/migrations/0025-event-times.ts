import type { Kysely } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** The oldest events of a tenant are found without reading all of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(db, 'event_start', 'on event (tenant_id, start_at)')
}
