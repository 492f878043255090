import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * Without statistics, the planner expects a third of all lights to match a date filter on an expression, and reads the whole table
 * where its index has a few rows. Those of a partial index are not used.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Citus refuses statistics of expressions.
  const { rows } = await sql`select from pg_extension where extname = 'citus'`.execute(db)
  if (rows.length) return
  const run = (text: string) => sql.raw(text).execute(db)
  await run('create statistics device_tested_at on (coalesce(last_test_at, status_at)) from device')
  await run('create statistics device_full_tested_at on (coalesce(last_full_test_at, status_at)) from device')
  await run('create statistics device_failed_since on (case when severity in (3, 5) then status_at end) from device')
  await run('analyze device')
}
