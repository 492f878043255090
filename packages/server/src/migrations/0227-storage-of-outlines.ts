import type { Kysely } from 'kysely'
import { sql } from 'kysely'

export const transaction = false

/**
 * How outlines of days are stored, where the database is spread over several machines: on those the columns were added without it.
 * It is said of the table and of each of its pieces, for a distributed database takes no such change by itself.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw<{ done: boolean }>(text).execute(db)
  const { rows: found } = await run(`select exists (select from pg_extension where extname = 'citus') as done`)
  if (!found[0]!.done) return
  const storage = 'alter column outline_gaps set storage main, alter column outline_readings set storage main'
  await run('set citus.enable_ddl_propagation to off')
  try {
    await run(`alter table packed_day ${storage}`)
  } finally {
    await run('reset citus.enable_ddl_propagation')
  }
  const { rows } = await run(
    `select bool_and(success) as done from run_command_on_shards('packed_day', 'alter table %s ${storage}')`,
  )
  if (!rows[0]!.done) throw new Error('Not all machines could be reached: migrate again.')
}
