import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { concurrentIndex } from './concurrent-index.ts'

export const transaction = false

/**
 * What is written with every message of a device. That its tenant exists follows from its device, and a check of it for every row
 * locks the one row of the tenant in each of many transactions. Alerts that wait for their delay, of which there may be thousands
 * a second, are in no index in which nobody looks for them. What is set until a day has an index without all that is not: of a
 * table of which little was known yet, it looked as good as the one by devices.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['alert', 'condition', 'device_message', 'device_spell'])
    await sql.raw(`alter table ${table} drop constraint if exists ${table}_tenant_id_fkey`).execute(db)
  const instead = (index: string) => sql.raw(`drop index concurrently if exists ${index}`).execute(db)
  // Of a device first: by it the worker finds all that its rules may have told of it.
  await concurrentIndex(
    db,
    'alert_once_of_device',
    `on alert (tenant_id, device_id, definition_id, seen_at) where ending is distinct from 'rule changed'`,
    { unique: true },
  )
  await instead('alert_once')
  await concurrentIndex(
    db,
    'alert_told_of_device',
    'on alert (tenant_id, device_id, told_at desc) where told_at is not null or closed_at is not null',
  )
  await instead('alert_device')
  await concurrentIndex(
    db,
    'condition_set_until',
    'on condition (tenant_id, until_at) where ended_at is null and until_at is not null',
  )
  await instead('condition_until')
}
