import { setTimeout as sleep } from 'node:timers/promises'
import type { KyselyPlugin, RootOperationNode } from 'kysely'
import { Kysely, PostgresDialect, RawNode, sql } from 'kysely'
import type pg from 'pg'
import { SettingError } from '../config.ts'
import type { Migration } from '../migrations/index.ts'
import { migrations as landed } from '../migrations/index.ts'
import { isSpread } from './machines.ts'
import { ensurePartitions } from './partitions.ts'
import { asBaseline, baseline, databaseBeforeBaseline, isBeforeBaseline, recordBaseline, squashed } from './squashed.ts'
import { refuseUnfinishedRestore } from './unfinished-restore.ts'
import { checkPostgresVersion } from './version.ts'

export interface MigrateOptions {
  migrations?: Record<string, Migration>
  /** How long calls may queue behind a migration that waits for a lock, in ms. */
  lockTimeout?: number
  /** How often a migration is attempted while others hold its locks. */
  attempts?: number
  /** Receives one line at a time about steps that take longer than usual. */
  report?: (line: string) => void
  /** Whether the caller is restoring a backup; otherwise a database under restore is rejected. */
  restoring?: boolean
}

/**
 * Ensures that one process migrates at a time. The number is that of Kysely's migrator, so that older versions are
 * excluded too.
 */
const lock = '3853314791062309107'
/** How long calls may queue behind a migration, in ms. */
const lockWait = 5000
/** Temporary failures: lock timeout and deadlock. */
const passing = ['55P03', '40P01']

/**
 * Migrates the database to the newest schema, each migration in a transaction of its own; safe to run from several
 * processes at once. Returns the names of the applied migrations. Throws a SettingError if the database cannot be
 * migrated.
 */
export async function migrate(owner: pg.Pool, options: MigrateOptions = {}): Promise<string[]> {
  const { migrations = landed, restoring = false } = options
  await checkServer(owner)
  if (!restoring) await refuseUnfinishedRestore(owner)
  const spread = await isSpread(owner)
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: keepOpen(owner) }) })
  const applied = await db.connection().execute(async (connection) => {
    await takeTurn(connection)
    try {
      // The table as created by Kysely's migrator in the first versions.
      await sql`create table if not exists kysely_migration (
        name varchar(255) primary key, timestamp varchar(255) not null)`.execute(connection)
      const recorded = await namesIn(connection)
      const missing = missingFrom(recorded, Object.keys(migrations))
      const isSquashed = recorded.includes(squashed[0]!)
      if (isSquashed) await recordBaseline(connection)
      const hands = spread ? connection.withPlugin(spreadTables) : connection
      for (const name of missing) await apply(hands, name, migrations[name]!, options)
      return isSquashed ? [baseline, ...missing] : missing
    } catch (error) {
      throw explained(error)
    } finally {
      await sql`select pg_advisory_unlock(${sql.lit(lock)}::bigint)`.execute(connection).catch(() => {})
    }
  })
  await ensurePartitions(owner, new Date())
  return applied
}

/**
 * Applies the first migration to an empty database and rolls it back. Throws a SettingError if the user lacks a
 * privilege.
 */
export async function tryMigrations(owner: pg.Pool): Promise<void> {
  const spread = await isSpread(owner)
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: keepOpen(owner) }) })
  const undone = new Error('taken back')
  await db.connection().execute(async (connection) => {
    const hands = spread ? connection.withPlugin(spreadTables) : connection
    await inTransaction(hands, lockWait, async () => {
      await Object.values(landed)[0]!.up(hands)
      throw undone
    }).catch((error: unknown) => {
      if (error !== undone) throw explained(error)
    })
  })
}

/** Throws a SettingError with instructions if the schema does not match this version. */
export async function checkSchema(owner: pg.Pool): Promise<void> {
  await checkServer(owner)
  await refuseUnfinishedRestore(owner)
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: keepOpen(owner) }) })
  const missing = missingFrom(await namesIn(db), Object.keys(landed))
  if (missing.length === Object.keys(landed).length)
    throw new SettingError('The database is empty: run "npm run caretaker -- migrate", then start again.')
  if (missing.length)
    throw new SettingError(
      `The database's schema is too old for this version (${missing.join(', ')} missing): ` +
        'run "npm run caretaker -- migrate", then start again.',
    )
}

/**
 * Prepares the schema before use: the embedded database is migrated; an organisation's own database is only checked,
 * because `caretaker migrate` decides when it changes.
 */
export async function prepareSchema(owner: pg.Pool, own: boolean): Promise<void> {
  if (own) await migrate(owner)
  else {
    await checkSchema(owner)
    // After a downtime of weeks, devices may report before the worker has created partitions.
    await ensurePartitions(owner, new Date())
  }
}

/** Rejects servers that are too old or leak data past row-level security. */
export async function checkServer(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ version: string }>(`select current_setting('server_version_num') as version`)
  checkPostgresVersion(Number(rows[0]!.version))
}

/** Kysely would end the pool; this one is shared. */
function keepOpen(pool: pg.Pool): pg.Pool {
  return Object.assign(Object.create(pool) as pg.Pool, { end: async () => {} })
}

/**
 * Polls for the lock: a session that waits inside the database holds a snapshot, and a concurrent index build waits
 * for all snapshots.
 */
async function takeTurn(db: Kysely<unknown>): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ taken: boolean }>`
      select pg_try_advisory_lock(${sql.lit(lock)}::bigint) as taken`.execute(db)
    if (rows[0]!.taken) return
    await sleep(250)
  }
}

/** The names of the applied migrations in order; none in an empty database. */
async function namesIn(db: Kysely<unknown>): Promise<string[]> {
  const { rows: found } = await sql`select where to_regclass('kysely_migration') is not null`.execute(db)
  if (!found.length) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return rows.map(({ name }) => name).sort()
}

/** The known migrations that are not applied yet. The applied ones must be the first of the known ones. */
export function missingFrom(recorded: readonly string[], known: readonly string[]): string[] {
  if (isBeforeBaseline(recorded)) throw new SettingError(databaseBeforeBaseline)
  const applied = asBaseline(recorded)
  const unknown = applied.filter((name) => !known.includes(name))
  if (unknown.length)
    throw new SettingError(
      `The database's schema is too new for this version (${unknown.join(', ')} unknown to it): ` +
        'start the version that created it, or a newer one.',
    )
  const skipped = applied.find((name, at) => name !== known[at])
  if (skipped)
    throw new SettingError(
      `The database has ${skipped} without ${known[applied.indexOf(skipped)]} before it: ` +
        'it was created by an unfinished version. Use another database, or restore a backup.',
    )
  return known.slice(applied.length)
}

async function apply(
  db: Kysely<unknown>,
  name: string,
  migration: Migration,
  { lockTimeout = lockWait, attempts = 10, report = () => {} }: MigrateOptions,
): Promise<void> {
  const record = () =>
    sql`insert into kysely_migration (name, timestamp) values (${name}, ${new Date().toISOString()})`.execute(db)
  for (let attempt = 1; ; attempt++)
    try {
      if (migration.transaction === false) {
        await migration.up(db)
        await record()
      } else await inTransaction(db, lockTimeout, () => migration.up(db).then(record))
      return
    } catch (error) {
      if (!passing.includes((error as { code?: string }).code ?? '')) throw error
      if (attempt === attempts)
        throw new SettingError(
          `${name} cannot be applied: others hold locks on its tables. Nothing was applied; ` +
            'run "npm run caretaker -- migrate" again when long transactions have ended.',
        )
      report(`${name} waits: others hold locks on its tables (attempt ${attempt} of ${attempts})`)
      // Lets the calls that queued behind it run.
      await sleep(lockTimeout)
    }
}

/**
 * In a distributed database, privileges apply to whole tables only, so column privileges become table privileges. It
 * also rejects a storage setting on a column added to a distributed table; a separate migration sets it.
 */
const spreadTables: KyselyPlugin = {
  transformQuery: ({ node }) => (RawNode.is(node) ? asSpread(node) : node),
  transformResult: async ({ result }) => result,
}

function asSpread(node: RawNode): RootOperationNode {
  const fragments = node.sqlFragments.map((text) =>
    text.replace(/^(grant \w+) \(\w+\) on/, '$1 on').replaceAll(/,\s*alter column \w+ set storage \w+/g, ''),
  )
  return RawNode.create(fragments, node.parameters)
}

async function inTransaction(db: Kysely<unknown>, lockTimeout: number, work: () => Promise<unknown>): Promise<void> {
  // A distributed database accepts further statements after a schema change only if it runs machine by machine;
  // elsewhere the setting is a harmless placeholder.
  const sequential = `set local citus.multi_shard_modify_mode = 'sequential'`
  await sql.raw(`begin; set local lock_timeout = ${lockTimeout}; ${sequential}`).execute(db)
  try {
    await work()
    await sql`commit`.execute(db)
  } catch (error) {
    await sql`rollback`.execute(db).catch(() => {})
    throw error
  }
}

function explained(error: unknown): unknown {
  const text = error instanceof Error ? error.message : JSON.stringify(error)
  return !(error instanceof SettingError) && /permission denied|must be|only roles with/i.test(text)
    ? new SettingError(
        `The database user lacks a right that migrations need (${text}). It must own the database and may create roles.`,
      )
    : error
}
