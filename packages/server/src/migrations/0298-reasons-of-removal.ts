import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** Who removed a gas appliance from a home, and why. Appliances that were removed before have neither. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table home_appliance
    add column removed_by uuid,
    add column removed_by_name text,
    add column removed_reason text`.execute(db)
}
