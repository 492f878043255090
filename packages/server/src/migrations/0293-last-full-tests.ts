import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** When the last 3-hour test of each light began that has a result. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await run('alter table device add column last_full_test_at timestamptz')
  const { rows } = await sql<{ id: string }>`select id from tenant order by id`.execute(db)
  for (const { id } of rows) {
    await run(`set local citus.propagate_set_commands = 'local'; set local app.tenant = '${id}'`)
    await sql`
      update device set last_full_test_at = newest.at
      from (
        select device_id, max(started_at) as at from emergency_test
        where tenant_id = ${id} and test_type = 'T180'
          and coalesce(disputed ->> 'result', result) in ('Passed', 'Degraded', 'Failed')
          and (result <> 'Passed' or reported_start_at is null)
        group by device_id
      ) as newest
      where device.tenant_id = ${id} and device.id = newest.device_id`.execute(db)
  }
}
