import type { Kysely } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/** Alerts of homes are found as those of devices are. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await concurrentIndex(
    db,
    'alert_once_of_home',
    `on alert (tenant_id, property_id, definition_id, about, seen_at)
      where property_id is not null and ending is distinct from 'rule changed'`,
    { unique: true },
  )
  await concurrentIndex(
    db,
    'alert_told_of_home',
    `on alert (tenant_id, property_id, told_at desc)
      where property_id is not null and (told_at is not null or closed_at is not null)`,
  )
  await concurrentIndex(
    db,
    'alert_waiting_for_home',
    'on alert (tenant_id, property_id) where property_id is not null and closed_at is null and next_at is null',
  )
}
