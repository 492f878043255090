import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * Where nothing measured the weather a winter's day of 5 °C was assumed all year; now it is the mean of the month. A 5 among a
 * client's own figures was the usual one, written along with those that it changed. Rooms that were reckoned by it are
 * reckoned anew.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`update tenant set settings = settings #- '{damp,outside}' where settings #> '{damp,outside}' = '5'`.execute(
    db,
  )
  const { rows } = await sql<{ id: string }>`select id from tenant order by id`.execute(db)
  for (const { id } of rows) {
    await sql.raw(`set local citus.propagate_set_commands = 'local'; set local app.tenant = '${id}'`).execute(db)
    const { numAffectedRows } = await sql`
      update damp_room set reckoned_at = 'epoch' where tenant_id = ${id} and assumed <> 'none'`.execute(db)
    if (!numAffectedRows) continue
    await sql`insert into due (work, tenant_id, due_at) values ('assess damp', ${id}, '1970-01-01')
      on conflict (work, tenant_id) do update set due_at = excluded.due_at`.execute(db)
  }
}
