import { Kysely, PostgresDialect } from 'kysely'
import { Migrator } from 'kysely/migration'
import type pg from 'pg'
import { SettingError } from '../config.ts'
import { migrations } from '../migrations/index.ts'
import { ensurePartitions } from './partitions.ts'
import { checkPostgresVersion } from './version.ts'

/** Brings the database to the newest schema; safe to run from several processes at once. Returns what it applied. */
export async function migrate(owner: pg.Pool): Promise<string[]> {
  await checkServer(owner)
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: keepOpen(owner) }) })
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error, results } = await migrator.migrateToLatest()
  if (error) {
    const text = error instanceof Error ? error.message : JSON.stringify(error)
    if (/permission denied|must be|only roles with/i.test(text))
      throw new SettingError(
        `The database user lacks a right that migrations need (${text}). It must own the database and may create roles.`,
      )
    throw error
  }
  await ensurePartitions(owner, new Date())
  return (results ?? []).filter((result) => result.status === 'Success').map((result) => result.migrationName)
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
