import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/**
 * When a rule last told of a place is asked of alerts alone that are to be told: one that waits for its delay, of which there
 * may be thousands a second, is not written into that index.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(
    db,
    'alert_told_in_place',
    'on alert (tenant_id, definition_id, place, tell_at desc) where tell_at is not null',
  )
  await sql`drop index concurrently if exists alert_place`.execute(db)
}
