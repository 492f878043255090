import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/**
 * Alerts, what was so with devices, and messages are written for devices whose rows the same transaction has just read, and no device
 * is ever deleted but with its client. The check of the device for each of them was a quarter to a half of what writing them took, and
 * locked its row beside whoever stores what it says. Alerts that the clock takes a step further are found by `alert_next` alone.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['alert', 'device_message', 'device_spell'])
    await sql.raw(`alter table ${table} drop constraint if exists ${table}_tenant_id_device_id_fkey`).execute(db)
  await concurrentIndex(
    db,
    'alert_waiting_for_device',
    'on alert (tenant_id, device_id) where closed_at is null and next_at is null',
  )
  await sql`drop index concurrently if exists alert_open`.execute(db)
}
