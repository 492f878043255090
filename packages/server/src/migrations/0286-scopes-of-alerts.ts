import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * What a rule covers besides one tag, and whether it is switched on. `tag_id` stays as earlier versions know it: the tag of a rule that
 * covers one tag and nothing else. Every device is looked at again, so that the building of each is in its history.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table alert_definition alter column tag_id drop not null`.execute(db)
  await sql`alter table alert_definition
    add column enabled boolean not null default true,
    add column scope_families text[] not null default '{}',
    add column scope_buildings uuid[] not null default '{}',
    add column scope_tags uuid[] not null default '{}'`.execute(db)
  await sql`update alert_progress set position = null where position is not null`.execute(db)
}
