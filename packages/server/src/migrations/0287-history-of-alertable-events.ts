import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** The events that this version begins to record. */
const events = [
  ...['gasCheckOverdue', 'gasCheckFailed', 'gasNeverChecked'],
  ...['waterTreatmentOverdue', 'waterTreatmentFailed', 'waterNeverTreated'],
  ...['dampWatch', 'dampSevere', 'heatingOff', 'deviceFailed'],
  ...['awaabsLawIn10', 'awaabsLawIn5', 'awaabsLawIn2', 'awaabsLawIn1', 'awaabsLawToday', 'awaabsLawMissed'],
]

/**
 * From when on an event is in the history of a tenant, where that began after the tenant was watched: a preview must not take what nobody
 * recorded for what did not happen. Every device is looked at for the new events.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table alert_progress add column known_since jsonb not null default '{}'`.execute(db)
  const since = Object.fromEntries(events.map((event) => [event, new Date().toISOString()]))
  await sql`update alert_progress set known_since = ${JSON.stringify(since)}::jsonb, position = null
    where done_until > 'epoch'`.execute(db)
}
