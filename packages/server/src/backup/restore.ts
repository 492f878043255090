import pg from 'pg'
import { forgetAddresses } from '../addresses.ts'
import type { FileStore } from '../context.ts'
import { migrations as landed } from '../migrations/index.ts'
import { migrate, tryMigrations } from '../postgres/migrate.ts'
import { dropLeftBehind, isSpread, machinesOf, placeTenant } from '../postgres/machines.ts'
import { ensurePartitions } from '../postgres/partitions.ts'
import { schemaAfter } from '../postgres/product-schema.ts'
import { isRestoring, restoreSchema } from '../postgres/unfinished-restore.ts'
import type { Archive } from './archive.ts'
import { limitToTenant, plainText } from './backup.ts'
import { appliedTo, foreignIn, quote, tablesIn } from './catalog.ts'
import { BackupFault } from './fault.ts'
import { forgetBackupRecord } from './record.ts'
import { countOn, loadPart, putFiles } from './load.ts'
import type { Manifest } from './manifest.ts'
import { keysIn } from './manifest.ts'
import { leftOutLine, migrationsOf, unknownIn } from './verify.ts'

export interface Target {
  owner: pg.Pool
  files: FileStore
}

interface Options {
  /** Whether the current content may be replaced. */
  replace?: boolean
  report?: (line: string) => void
}

/**
 * Restores a checked backup of everything into a database that no process uses. While it runs the database is marked,
 * and no part of the product starts on it. Throws a BackupFault.
 */
export async function restore(
  { owner, files }: Target,
  archive: Archive,
  manifest: Manifest,
  { replace = false, report = () => {} }: Options = {},
): Promise<void> {
  const wanted = migrationsOf(manifest)
  await expectAlone(owner)
  await expectEncoding(owner)
  if (replace) await expectReplaceable(owner)
  else await expectEmpty(owner)
  const unknown = leftOutLine(unknownIn(manifest))
  if (unknown) report(unknown)
  await mark(owner)
  await noteFiles(owner, archive)
  await clear(owner, report)
  await migrate(owner, { migrations: wanted, restoring: true, report })
  await place(owner, manifest, report)
  if (manifest.pointsSince) await ensurePartitions(owner, new Date(), new Date(manifest.pointsSince))
  await putFiles(archive, files)
  await load(owner, archive, manifest)
  await migrate(owner, { report })
  await forgetAddresses(owner)
  await forgetBackupRecord(owner)
  // A backup has no statistics; without them the first queries would be planned as if all tables were empty.
  await owner.query('analyze')
}

/**
 * Assigns tenants their former machines of a distributed database, before there are rows to move. A failure is reported
 * and does not stop the restore: an operator can assign them later.
 */
async function place(owner: pg.Pool, manifest: Manifest, report: (line: string) => void): Promise<void> {
  if (!manifest.placements.length || !(await isSpread(owner))) return
  const machines = await machinesOf(owner)
  for (const { tenant, machine } of manifest.placements) {
    const late = `caretaker tenant place --tenant ${tenant} --machine HOST:PORT moves it to one`
    if (!machines.includes(machine)) {
      report(`${tenant} was on the machine ${machine}, which does not exist here: ${late}.`)
      continue
    }
    try {
      await placeTenant(owner, tenant, machine)
      report(`${tenant} is on the machine ${machine} again.`)
    } catch (error) {
      report(`${tenant} could not be moved to the machine ${machine} again (${(error as Error).message}): ${late}.`)
    }
  }
  await dropLeftBehind(owner)
}

/** No other process of the product may be connected to the database. */
export async function expectAlone(owner: pg.Pool): Promise<void> {
  const client = await owner.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      `select distinct application_name as name from pg_stat_activity
       where datname = current_database() and application_name like 'caretaker%' and pid <> pg_backend_pid() order by 1`,
    )
    if (rows.length)
      throw new BackupFault(
        `Caretaker is running on this database (${rows.map(({ name }) => name).join(', ')}): stop it first.`,
      )
  } finally {
    client.release()
  }
}

/** Whether the product has started to create its schema in the database. */
async function isMade(owner: pg.Pool): Promise<boolean> {
  const { rowCount } = await owner.query(`select where to_regclass('public.kysely_migration') is not null`)
  return rowCount === 1
}

/** Checks that the database is empty and that the schema can be created in it. */
export async function expectEmpty(owner: pg.Pool): Promise<void> {
  if (await isRestoring(owner)) return
  const isUsed = async (table: string) => (await owner.query(`select from ${table} limit 1`)).rowCount
  if (await isMade(owner)) {
    if ((await isUsed('public.tenant')) || (await isUsed('public.person')))
      throw new BackupFault(
        'This database already contains clients. Use an empty one, or replace its content with restore --replace.',
      )
    return expectReplaceable(owner)
  }
  const foreign = await foreignIn(owner, schemaAfter([]))
  const inTheWay = foreign.filter((name) => /^(?:public|idp)\./.test(name))
  if (inTheWay.length)
    throw new BackupFault(`This database contains other tables (${inTheWay.join(', ')}). Use an empty one.`)
  await tryMigrations(owner)
}

/**
 * Checks that nothing else in a database of the product prevents a new schema: no foreign table with a name of the
 * product's, and nothing foreign in the identity provider's schema, which is dropped entirely.
 */
async function expectReplaceable(owner: pg.Pool): Promise<void> {
  // An interrupted restore may have dropped the list of migrations before the tables.
  if (await isRestoring(owner)) return
  const applied = (await isMade(owner)) ? await appliedTo(owner) : []
  // Objects of a newer version are unknown here, and are dropped.
  if (applied.some((name) => !(name in landed))) return
  const names = schemaAfter(Object.keys(landed)).tables
  const foreign = await foreignIn(owner, schemaAfter(applied))
  const inTheWay = foreign.filter((name) => names.has(name) || /^idp\.\S+$/.test(name))
  if (inTheWay.length)
    throw new BackupFault(
      `This database contains other tables with names that Caretaker needs (${inTheWay.join(', ')}). Move them to another schema first.`,
    )
}

/** The encoding must support text in every language. */
export async function expectEncoding(owner: pg.Pool): Promise<void> {
  const { rows } = await owner.query<{ encoding: string }>(`select current_setting('server_encoding') as encoding`)
  if (rows[0]!.encoding !== 'UTF8')
    throw new BackupFault(`The encoding of this database is ${rows[0]!.encoding}. Use one whose encoding is UTF8.`)
}

/**
 * From here on no process starts on this database. Files that may be in the store but in no backup are listed until
 * they can be deleted.
 */
async function mark(owner: pg.Pool): Promise<void> {
  await owner.query(`create schema if not exists ${restoreSchema}`)
  await owner.query(`create table if not exists ${restoreSchema}.left_file (tenant_id text, file_id uuid)`)
  const { rowCount } = await owner.query(`select where to_regclass('public.loose_file') is not null`)
  if (!rowCount) return
  await owner.query(`insert into ${restoreSchema}.left_file select tenant_id, file_id from public.loose_file`)
  const { rows: tenants } = await owner.query<{ id: string }>('select id from public.tenant')
  const client = await owner.connect()
  try {
    for (const { id } of tenants) {
      // Read and written separately: a distributed database with row-level security rejects both in one statement.
      await client.query(`begin; ${plainText}`)
      await limitToTenant(client, id)
      const { rows } = await client.query<{ id: string }>('select id from public.file where tenant_id = $1', [id])
      await client.query(`insert into ${restoreSchema}.left_file select $1, unnest($2::uuid[])`, [
        id,
        rows.map((file) => file.id),
      ])
      await client.query('commit')
    }
  } finally {
    client.release()
  }
}

/** Listed before they are stored, so that no unknown file is left in the store. */
async function noteFiles(owner: pg.Pool, archive: Archive): Promise<void> {
  const keys = keysIn(archive)
  for (let from = 0; from < keys.length; from += 5000)
    await owner.query(
      `insert into ${restoreSchema}.left_file
       select split_part(key, '/', 1), split_part(key, '/', 2)::uuid from unnest($1::text[]) as key`,
      [keys.slice(from, from + 5000)],
    )
}

/**
 * Drops everything that the product has created in the database. Foreign tables and functions stay, except those that
 * depend on the product's tables, which are dropped and named.
 */
async function clear(owner: pg.Pool, report: (line: string) => void): Promise<void> {
  const applied = (await isMade(owner)) ? await appliedTo(owner) : []
  const { tables, functions } = schemaAfter(Object.keys(landed))
  const dropped = [...tables.keys()].filter((name) => name.startsWith('public.'))
  // Tables of a newer version are unknown here; they belong to the same owner.
  if (applied.some((name) => !(name in landed))) dropped.push(...(await ownTables(owner)))
  const views = await viewsOf(owner, dropped)
  if (views.length) report(`Dropped because they depend on dropped tables: the views ${views.join(', ')}.`)
  await owner.query('drop schema if exists idp cascade')
  await owner.query('drop schema if exists pgboss cascade')
  for (const name of new Set(dropped)) await owner.query(`drop table if exists ${quote(name)} cascade`)
  for (const one of functions) await owner.query(`drop function if exists ${one} cascade`)
  // Last, because it marks the other tables as the product's.
  await owner.query('drop table if exists public.kysely_migration')
  const left = await foreignIn(owner, schemaAfter([]))
  if (applied.length && left.length) report(`Not part of Caretaker, left unchanged: ${left.join(', ')}.`)
}

async function ownTables(owner: pg.Pool): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(`
    select 'public.' || relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> 'kysely_migration'
      and relowner = (select oid from pg_roles where rolname = current_user)
      and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')`)
  return rows.map(({ name }) => name)
}

/** Foreign views that read these tables. */
async function viewsOf(owner: pg.Pool, tables: readonly string[]): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(
    `select distinct view.relnamespace::regnamespace || '.' || view.relname as name
     from pg_depend join pg_rewrite on pg_rewrite.oid = objid join pg_class as view on view.oid = ev_class
     join pg_class as read on read.oid = refobjid
     where classid = 'pg_rewrite'::regclass and refclassid = 'pg_class'::regclass and view.oid <> read.oid
       and view.relnamespace::regnamespace::text <> 'idp'
       and read.relnamespace::regnamespace || '.' || read.relname = any($1) order by 1`,
    [tables],
  )
  return rows.map(({ name }) => name)
}

/** Writes all rows and removes the mark, in one transaction. */
async function load(owner: pg.Pool, archive: Archive, manifest: Manifest): Promise<void> {
  const client = await owner.connect()
  try {
    await client.query(`set temp_buffers = '64MB'; begin; ${plainText}`)
    const tables = await tablesIn(client)
    // Some migrations insert rows, which are in the backup too.
    await client.query(`truncate ${tables.map(({ quoted }) => quoted).join(', ')}`)
    for (const table of tables)
      for (const part of manifest.parts.filter((one) => one.table === table.name))
        await loadPart(client, archive, table, part)
    await countOn(client, manifest.sequences)
    await forgetOthers(client)
    await client.query(`drop schema ${restoreSchema} cascade`)
    await client.query('commit')
    client.release()
  } catch (error) {
    client.release(true)
    throw error
  }
}

/**
 * Files from before or from an earlier attempt that nothing refers to are queued for deletion. A distributed database
 * cannot join local and distributed tables.
 */
async function forgetOthers(client: pg.PoolClient): Promise<void> {
  const { rows: tenants } = await client.query<{ id: string }>(
    `select distinct tenant_id as id from ${restoreSchema}.left_file`,
  )
  for (const { id } of tenants) {
    await limitToTenant(client, id)
    const { rows: left } = await client.query<{ file: string }>(
      `select distinct file_id as file from ${restoreSchema}.left_file where tenant_id = $1`,
      [id],
    )
    const { rows: kept } = await client.query<{ file: string }>(
      'select id as file from public.file where tenant_id = $1',
      [id],
    )
    const known = new Set(kept.map(({ file }) => file))
    await client.query(
      `insert into public.loose_file (file_id, tenant_id, due_at) select file, $1, $3 from unnest($2::uuid[]) as file
       on conflict do nothing`,
      [id, left.map(({ file }) => file).filter((file) => !known.has(file)), new Date()],
    )
  }
}
