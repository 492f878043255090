import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * Builds an index while people read and write the table; for migrations with `transaction = false`. What an interrupted
 * build left over is not valid, and is built anew. Partitioned tables know no such build.
 * @param definition what follows `create index`, e.g. `on device (tenant_id, room) where room is not null`
 */
export async function concurrentIndex(
  db: Kysely<unknown>,
  name: string,
  definition: string,
  { unique = false } = {},
): Promise<void> {
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass(${name})`.execute(db)
  if (rows[0]?.valid) return
  // Where the database is distributed, not every piece of the table has come to have it.
  if (rows[0]) await sql.raw(`drop index concurrently if exists ${name}`).execute(db)
  await sql.raw(`create ${unique ? 'unique ' : ''}index concurrently ${name} ${definition}`).execute(db)
}
