import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { SettingError } from '../config.ts'
import { schemaAfter } from './product-schema.ts'

/** The migration that creates in one step what the migrations before the first release created in many. */
export const baseline = '0297-baseline'

/** The migrations that were squashed into the baseline, in order. */
export const squashed: readonly string[] = [
  '0001-first-path',
  '0002-people-and-tags',
  '0003-listings-and-actions',
  '0004-listing-indexes',
  '0005-search',
  '0006-changes',
  '0007-files',
  '0008-jobs',
  '0009-one-store-of-views',
  '0011-flags-by-developers',
  '0012-bulk-items',
  '0020-mqtt-sessions',
  '0021-conditions',
  '0022-sign-in',
  '0024-refused-messages',
  '0025-event-times',
  '0026-commands-taken-back',
  '0034-compliance',
  '0035-compliance-indexes',
  '0036-devices-of-a-home',
  '0037-emergency-equipment',
  '0039-maintenance',
  '0040-device-messages',
  '0041-light-groups',
  '0042-test-evidence',
  '0043-alerts',
  '0044-standard-luminaires',
  '0045-group-versions',
  '0046-test-indexes',
  '0047-buildings',
  '0048-building-names',
  '0057-properties',
  '0058-property-indexes',
  '0059-property-gas-check',
  '0062-device-licences',
  '0066-imports',
  '0070-void-mode',
  '0071-void-index',
  '0072-documents',
  '0083-postcodes',
  '0085-suspended-tenants',
  '0086-residents',
  '0091-reports',
  '0092-damp',
  '0093-damp-indexes',
  '0094-api-keys',
  '0095-webhooks',
  '0097-tenant-exports',
  '0098-map-indexes',
  '0099-one-index-of-buildings',
  '0102-packed-points',
  '0112-status-and-place-of-homes',
  '0113-home-listing-indexes',
  '0120-lean-alert-indexes',
  '0122-tests-planned-again',
  '0123-one-repeat-at-a-time',
  '0127-narrow-search-of-homes',
  '0133-void-homes-of-lists',
  '0136-packed-hours',
  '0140-one-firing-of-a-home',
  '0141-ranks-in-listing-of-homes',
  '0144-keys-that-administer-users',
  '0152-when-readings-were-measured',
  '0155-turns-of-gateways',
  '0156-batteries-that-do-not-fill',
  '0165-due-days-of-homes',
  '0170-import-readings',
  '0171-serials-taken-elsewhere',
  '0175-months-closed-too-early',
  '0176-attachments',
  '0177-use-of-resident-app-keys',
  '0180-process-figures',
  '0192-tests-by-reason',
  '0194-weather-of-the-month',
  '0200-claimants',
  '0201-light-operation',
  '0202-export-of-single-readings',
  '0203-what-lists-change-besides',
  '0204-serials-taken-on-machines',
  '0205-reasons-of-some-lights',
  '0206-records-by-what-is-watched',
  '0207-tags-of-homes',
  '0208-homes-by-tags',
  '0210-tests-of-some-lights',
  '0211-reasons-of-statuses',
  '0212-devices-by-reason',
  '0213-states-of-what-is-not-watched',
  '0216-between-gateways-and-lights',
  '0217-statuses-of-homes',
  '0218-homes-by-statuses',
  '0222-interim-measures',
  '0223-log-books',
  '0225-outlines-of-days',
  '0226-lean-writes-of-what-happens',
  '0227-storage-of-outlines',
  '0228-indexes-of-what-waits',
  '0229-packed-roll-ups',
  '0230-lights-by-luminaire',
  '0231-leaner-writes-of-what-happens',
  '0232-alerts-waiting-for-devices',
  '0233-tests-by-time-with-their-lights',
  '0234-device-keys',
  '0235-fields-of-rejected-messages',
  '0242-removals-of-clients',
  '0243-links-of-mails',
  '0250-decisions-about-tests',
  '0251-tests-by-decisions',
  '0252-failures-before-isolations',
  '0253-parts-of-repairs',
  '0254-photos-of-repairs',
  '0255-rough-places',
  '0258-lights-by-battery-day',
  '0260-settings-of-bulk-actions',
  '0261-inspection-sheets-as-reports',
  '0264-evidence-of-tests',
  '0285-judge-stored-tests',
  '0286-scopes-of-alerts',
  '0287-history-of-alertable-events',
  '0288-safety-of-homes',
  '0289-homes-by-safety',
  '0290-cases-of-awaabs-law',
  '0291-requests-of-repairs',
  '0292-repairs-by-request',
  '0293-last-full-tests',
  '0294-lights-by-full-test',
  '0295-start-pages',
  '0296-history-of-dangers',
  '0297-recipients-of-reports',
]

/** The last commit with the squashed migrations: its `caretaker migrate` completes an older database. */
const lastCommit = '5e6916f2'

/**
 * The names of applied migrations in this version's terms: the baseline replaces the migrations squashed into it.
 * Other names, and a database with only some of the squashed ones, stay unchanged.
 */
export function asBaseline(applied: readonly string[]): string[] {
  if (!squashed.every((name) => applied.includes(name))) return [...applied]
  return [baseline, ...applied.filter((name) => !squashed.includes(name))]
}

/** Whether only some of the squashed migrations were applied: such a database cannot be brought to the baseline. */
export function isBeforeBaseline(applied: readonly string[]): boolean {
  return asBaseline(applied).some((name) => squashed.includes(name))
}

const before = `was made before the migrations were squashed into ${baseline}, and lacks some of them: `
const migrate = 'run "npm run caretaker -- migrate"'

/** The message for an operator whose database is older than the baseline. */
export const databaseBeforeBaseline = `The database ${before}${migrate} of commit ${lastCommit} first, then this version's.`

/** The message for an operator who restores a backup from before the baseline. */
export const backupBeforeBaseline =
  `The database of this backup ${before}restore it with commit ${lastCommit} into an empty database, ${migrate} of that commit ` +
  "there, then this version's; or make a new backup from the migrated database."

/**
 * Checks that a database with the squashed migrations has everything that the baseline creates, and records the
 * baseline instead of them. Throws a SettingError that names missing tables, columns and functions.
 */
export async function recordBaseline(db: Kysely<unknown>): Promise<void> {
  const lacking = await lackingFromBaseline(db)
  if (lacking.length)
    throw new SettingError(
      `The database has all migrations up to ${baseline} and lacks items that they create: ${lacking.join(', ')}. Restore a backup.`,
    )
  // One statement, so that no reader sees a list without either.
  await sql`
    with squashed as (delete from kysely_migration where name = any(${squashed}))
    insert into kysely_migration (name, timestamp) values (${baseline}, ${new Date().toISOString()})`.execute(db)
}

/** The items that the baseline creates and the database lacks: tables, columns as `table.column`, and functions. */
async function lackingFromBaseline(db: Kysely<unknown>): Promise<string[]> {
  const { tables, functions } = schemaAfter([baseline])
  const { rows } = await sql<{ name: string }>`
    select nspname || '.' || relname || '.' || attname as name
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace join pg_attribute on attrelid = pg_class.oid
    where relkind in ('r', 'p') and nspname in ('public', 'idp') and attnum > 0 and not attisdropped
    union all
    select nspname || '.' || proname || '(' || oidvectortypes(proargtypes) || ')'
    from pg_proc join pg_namespace on pg_namespace.oid = pronamespace where nspname in ('public', 'idp')`.execute(db)
  const found = new Set(rows.map(({ name }) => name))
  const columns = [...tables].flatMap(([table, of]) => of.map((column) => `${table}.${column}`))
  return [...columns, ...functions].filter((name) => !found.has(name))
}
