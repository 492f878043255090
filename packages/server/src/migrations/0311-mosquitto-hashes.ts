import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * device_route.mosquitto_hash: the hash of a device key for mosquitto's password file. Keys from before have none, and it cannot be
 * derived from key_hash.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table device_route add column mosquitto_hash text').execute(db)
}
