import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * Alerts, what was so with devices, and messages are written for devices that have just been read, and the product deletes no device.
 * The check of the device for each of them was a quarter to a half of what writing them took, and locked its row beside whoever stores
 * what it says. Who deletes a device by hand deletes these rows, too.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['alert', 'device_message', 'device_spell'])
    await sql.raw(`alter table ${table} drop constraint if exists ${table}_tenant_id_device_id_fkey`).execute(db)
}
