import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** Alerts that the clock takes a step further, of which there may be thousands a second, are found by `alert_next` alone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(
    db,
    'alert_waiting_for_device',
    'on alert (tenant_id, device_id) where closed_at is null and next_at is null',
  )
  await sql`drop index concurrently if exists alert_open`.execute(db)
}
