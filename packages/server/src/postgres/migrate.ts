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
  /** Milliseconds for which calls may queue behind a migration that waits for a lock. */
  lockTimeout?: number
  /** How often a migration is tried whose locks are held by others. */
  attempts?: number
  /** Is told what takes longer than usual, a line at a time. */
  say?: (line: string) => void
  /** By whom a backup is being restored into the database, which keeps everybody else out. */
  restoring?: boolean
}

/** One process migrates at a time. The number is that of Kysely's migrator, with which older versions exclude this one. */
const lock = '3853314791062309107'
/** Milliseconds for which calls may queue behind a migration. */
const lockWait = 5000
/** What is over by itself: a lock that is not had in time, and two who wait for each other. */
const passing = ['55P03', '40P01']

/**
 * Brings the database to the newest schema, every migration in a transaction of its own; safe to run from several
 * processes at once. Returns what it applied. Throws a SettingError for a database that cannot be brought there.
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
      // The table as Kysely's migrator made it in databases of the first versions.
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

/** Applies the first migration to an empty database and takes it back. Throws a SettingError where migrations lack a right. */
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

/** Throws a SettingError that says what to do when the database's schema is not the one that this version is made for. */
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
 * The schema of a database that is about to be used: of one that belongs to this process it is brought to the newest, that
 * of an organisation's own is only checked, for there `caretaker migrate` decides when it changes.
 */
export async function prepareSchema(owner: pg.Pool, own: boolean): Promise<void> {
  if (own) await migrate(owner)
  else {
    await checkSchema(owner)
    // Of a whole installation that stood still for weeks, devices may speak before its worker has started.
    await ensurePartitions(owner, new Date())
  }
}

/** Refuses servers that are too old or leak through row security. */
export async function checkServer(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ version: string }>(`select current_setting('server_version_num') as version`)
  checkPostgresVersion(Number(rows[0]!.version))
}

/** Kysely would end the pool it is given; this one is shared. */
function keepOpen(pool: pg.Pool): pg.Pool {
  return Object.assign(Object.create(pool) as pg.Pool, { end: async () => {} })
}

/**
 * Asks again and again: a session that waits for the lock in the database would hold a snapshot, and the build of a
 * concurrent index waits for the end of every snapshot.
 */
async function takeTurn(db: Kysely<unknown>): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ taken: boolean }>`
      select pg_try_advisory_lock(${sql.lit(lock)}::bigint) as taken`.execute(db)
    if (rows[0]!.taken) return
    await sleep(250)
  }
}

/** The names of the migrations that were applied, in their order; none in an empty database. */
async function namesIn(db: Kysely<unknown>): Promise<string[]> {
  const { rows: found } = await sql`select where to_regclass('kysely_migration') is not null`.execute(db)
  if (!found.length) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return rows.map(({ name }) => name).sort()
}

/** The known migrations that were not applied yet. Those that were must be the first of the known ones. */
export function missingFrom(recorded: readonly string[], known: readonly string[]): string[] {
  if (isBeforeBaseline(recorded)) throw new SettingError(databaseBeforeBaseline)
  const applied = asBaseline(recorded)
  const unknown = applied.filter((name) => !known.includes(name))
  if (unknown.length)
    throw new SettingError(
      `The database's schema is too new for this version (${unknown.join(', ')} unknown to it): ` +
        'start the version that made it, or a newer one.',
    )
  const skipped = applied.find((name, at) => name !== known[at])
  if (skipped)
    throw new SettingError(
      `The database has ${skipped} without ${known[applied.indexOf(skipped)]} before it: ` +
        'it was made by an unfinished version. Use another database, or restore a backup.',
    )
  return known.slice(applied.length)
}

async function apply(
  db: Kysely<unknown>,
  name: string,
  migration: Migration,
  { lockTimeout = lockWait, attempts = 10, say = () => {} }: MigrateOptions,
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
          `${name} cannot be applied: others hold locks on its tables. Nothing of it was done; ` +
            'run "npm run caretaker -- migrate" again when long transactions have ended.',
        )
      say(`${name} waits: others hold locks on its tables (attempt ${attempt} of ${attempts})`)
      // Meanwhile the calls that queued behind it have their turn.
      await sleep(lockTimeout)
    }
}

/**
 * A distributed database grants whole tables only: the right to a column becomes that to its table there. Nor does it say how a
 * column is stored that is added to a table which it has spread: a migration of its own does.
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
  // A distributed database takes what follows a change of tables only when the change goes from machine to machine;
  // elsewhere that line is a harmless placeholder.
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
