import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** A home fires one boiler on a Monday: of several that are planned for it, all but one are taken away, and no second one comes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ id: string }>`select id from tenant order by id`.execute(db)
  for (const { id: tenant } of rows) {
    await sql.raw(`set local citus.propagate_set_commands = 'local'; set local app.tenant = '${tenant}'`).execute(db)
    await sql`
      delete from void_firing as firing using void_firing as other
      where firing.tenant_id = ${tenant} and other.tenant_id = ${tenant} and firing.state = 'due' and other.state = 'due'
        and other.property_id = firing.property_id
        and (other.due_at, other.device_id) < (firing.due_at, firing.device_id)`.execute(db)
  }
  await sql`create unique index void_firing_planned on void_firing (tenant_id, property_id) where state = 'due'`.execute(
    db,
  )
}
