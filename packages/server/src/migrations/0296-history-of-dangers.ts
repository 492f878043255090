import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** The events that this version begins to record. */
const events = ['frostRisk', 'waterLeak', 'carbonMonoxide']

/** From when on these events are in the history of a tenant, and every device is looked at for them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const since = Object.fromEntries(events.map((event) => [event, new Date().toISOString()]))
  await sql`update alert_progress set known_since = known_since || ${JSON.stringify(since)}::jsonb, position = null
    where done_until > 'epoch'`.execute(db)
}
