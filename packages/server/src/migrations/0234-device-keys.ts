import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * A device key has a date, can be revoked, and a device that was uninstalled is refused until it is installed again. Devices that
 * were uninstalled before this count as uninstalled, too: their keys were left valid.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table device_route add column key_made_at timestamptz, add column key_revoked_at timestamptz,
    add column uninstalled_at timestamptz`.execute(db)
  await sql`alter table device_link add column connected_at timestamptz`.execute(db)
  const { rows } = await sql<{ id: string }>`select id from tenant order by id`.execute(db)
  for (const { id } of rows) {
    await sql.raw(`set local citus.propagate_set_commands = 'local'; set local app.tenant = '${id}'`).execute(db)
    const { rows: uninstalled } = await sql<{ id: string; at: string }>`
      select device.id, max(entry.at)::text as at from device
      join audit_entry as entry on entry.tenant_id = ${id} and entry.subject_type = 'device'
        and entry.subject_id = device.id::text and entry.action = 'device uninstalled'
      where device.tenant_id = ${id} and device.status = 'Inventory' group by device.id`.execute(db)
    await sql`
      update device_route set uninstalled_at = found.at
      from unnest(${uninstalled.map((one) => one.id)}::uuid[], ${uninstalled.map(({ at }) => at)}::timestamptz[])
        as found (id, at)
      where device_route.tenant_id = ${id} and device_route.device_id = found.id`.execute(db)
  }
}
