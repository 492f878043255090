import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * Downlinks to sensors behind connections: how the network server of a webhook is called, and which queued commands a connection sends
 * instead of the device link. During a rolling upgrade the device link of the previous version may take one of these: nothing listens
 * on the sensor's topic, so the command expires.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await run('alter table connection add column downlink jsonb')
  await run('alter table connection add column downlink_token text')
  await run('alter table command_outbox add column is_downlink boolean not null default false')
}
