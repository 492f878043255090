import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * When the next check of a home is due has a name of its own: devices have a `gas_due_at`, and the version before asks for
 * that in a join with their homes. By the days of checks nothing is sorted.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table property rename column gas_due_at to gas_check_due_at`.execute(db)
  await sql`drop index property_by_last_gas_safety_check_on`.execute(db)
  await sql`drop index property_by_last_chemical_test_on`.execute(db)
}
