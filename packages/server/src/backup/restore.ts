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
import { behindWall, plainText } from './backup.ts'
import { appliedTo, foreignIn, quote, tablesIn } from './catalog.ts'
import { BackupFault } from './fault.ts'
import { countOn, loadPart, putFiles } from './load.ts'
import type { Manifest } from './manifest.ts'
import { keysIn } from './manifest.ts'
import { leftOutLine, migrationsOf, unknownIn } from './verify.ts'

export interface Target {
  owner: pg.Pool
  files: FileStore
}

interface Options {
  /** What the database holds may go. */
  replace?: boolean
  say?: (line: string) => void
}

/**
 * Brings a verified backup of everything into a database that nobody uses. From the first change until everything is there the
 * database is marked, and no part of the product starts on it. Throws a BackupFault.
 */
export async function restore(
  { owner, files }: Target,
  archive: Archive,
  manifest: Manifest,
  { replace = false, say = () => {} }: Options = {},
): Promise<void> {
  const wanted = migrationsOf(manifest)
  await expectAlone(owner)
  await expectEncoding(owner)
  if (replace) await expectReplaceable(owner)
  else await expectEmpty(owner)
  const unknown = leftOutLine(unknownIn(manifest))
  if (unknown) say(unknown)
  await mark(owner)
  await noteFiles(owner, archive)
  await clear(owner, say)
  await migrate(owner, { migrations: wanted, restoring: true, say })
  await place(owner, manifest, say)
  if (manifest.pointsSince) await ensurePartitions(owner, new Date(), new Date(manifest.pointsSince))
  await putFiles(archive, files)
  await load(owner, archive, manifest)
  await migrate(owner, { say })
  await forgetAddresses(owner)
  // Statistics are no part of a backup; without them the first calls would be planned as if all tables were empty.
  await owner.query('analyze')
}

/**
 * Gives tenants the machines of a distributed database that they had, while there are no rows to bring there. What cannot be done
 * is said and keeps nobody from the rest: an operator can do it later.
 */
async function place(owner: pg.Pool, manifest: Manifest, say: (line: string) => void): Promise<void> {
  if (!manifest.placements.length || !(await isSpread(owner))) return
  const machines = await machinesOf(owner)
  for (const { tenant, machine } of manifest.placements) {
    const late = `caretaker tenant place --tenant ${tenant} --machine HOST:PORT gives it one`
    if (!machines.includes(machine)) {
      say(`${tenant} had the machine ${machine}, which is not here: ${late}.`)
      continue
    }
    try {
      await placeTenant(owner, tenant, machine)
      say(`${tenant} has the machine ${machine} again.`)
    } catch (error) {
      say(`${tenant} could not be given the machine ${machine} again (${(error as Error).message}): ${late}.`)
    }
  }
  await dropLeftBehind(owner)
}

/** Nobody else of the product may be at work in the database. */
export async function expectAlone(owner: pg.Pool): Promise<void> {
  const client = await owner.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      `select distinct application_name as name from pg_stat_activity
       where datname = current_database() and application_name like 'caretaker%' and pid <> pg_backend_pid() order by 1`,
    )
    if (rows.length)
      throw new BackupFault(
        `The product runs on this database (${rows.map(({ name }) => name).join(', ')}): stop it first.`,
      )
  } finally {
    client.release()
  }
}

/** Whether the product has begun to make its schema in the database. */
async function isMade(owner: pg.Pool): Promise<boolean> {
  const { rowCount } = await owner.query(`select where to_regclass('public.kysely_migration') is not null`)
  return rowCount === 1
}

/** A database in which nothing of the product, and nothing else, would be written over, and in which the schema can be made. */
export async function expectEmpty(owner: pg.Pool): Promise<void> {
  if (await isRestoring(owner)) return
  const isUsed = async (table: string) => (await owner.query(`select from ${table} limit 1`)).rowCount
  if (await isMade(owner)) {
    if ((await isUsed('public.tenant')) || (await isUsed('public.person')))
      throw new BackupFault(
        'This database holds clients already. Use an empty one, or delete what is there with restore --replace.',
      )
    return expectReplaceable(owner)
  }
  const foreign = await foreignIn(owner, schemaAfter([]))
  const inTheWay = foreign.filter((name) => /^(?:public|idp)\./.test(name))
  if (inTheWay.length)
    throw new BackupFault(`This database holds tables of something else (${inTheWay.join(', ')}). Use an empty one.`)
  await tryMigrations(owner)
}

/**
 * A database of the product in which nothing else stands in the way of a new schema: no table that bears a name of the product's, and
 * nothing in the schema of the identity provider, which is dropped as a whole.
 */
async function expectReplaceable(owner: pg.Pool): Promise<void> {
  // A restore that was broken off may have dropped the list of migrations before the tables.
  if (await isRestoring(owner)) return
  const applied = (await isMade(owner)) ? await appliedTo(owner) : []
  // What a newer version has made is not known here, and is dropped.
  if (applied.some((name) => !(name in landed))) return
  const names = schemaAfter(Object.keys(landed)).tables
  const foreign = await foreignIn(owner, schemaAfter(applied))
  const inTheWay = foreign.filter((name) => names.has(name) || /^idp\.\S+$/.test(name))
  if (inTheWay.length)
    throw new BackupFault(
      `This database holds tables of something else in places that Caretaker needs (${inTheWay.join(', ')}). Move them to another schema first.`,
    )
}

/** Text of every language is restored. */
export async function expectEncoding(owner: pg.Pool): Promise<void> {
  const { rows } = await owner.query<{ encoding: string }>(`select current_setting('server_encoding') as encoding`)
  if (rows[0]!.encoding !== 'UTF8')
    throw new BackupFault(`The encoding of this database is ${rows[0]!.encoding}. Use one whose encoding is UTF8.`)
}

/** From here on nobody starts on this database. What may be in the store and in no backup is remembered until it can be deleted. */
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
      // Read and written apart: an owner behind the walls of a distributed database is refused both in one statement.
      await client.query(`begin; ${plainText}`)
      await behindWall(client, id)
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

/** Written down before they are put into the store, so that nothing lies there that is not known of. */
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
 * Drops all that the product has made in the database. Tables and functions of others stay; what of theirs reads or refers to the
 * product's tables goes with these, and is named.
 */
async function clear(owner: pg.Pool, say: (line: string) => void): Promise<void> {
  const applied = (await isMade(owner)) ? await appliedTo(owner) : []
  const { tables, functions } = schemaAfter(Object.keys(landed))
  const dropped = [...tables.keys()].filter((name) => name.startsWith('public.'))
  // A newer version has made tables that are not known here: they are among those of the same owner.
  if (applied.some((name) => !(name in landed))) dropped.push(...(await ownTables(owner)))
  const views = await viewsOf(owner, dropped)
  if (views.length) say(`Dropped with the tables that they read: the views ${views.join(', ')}.`)
  await owner.query('drop schema if exists idp cascade')
  await owner.query('drop schema if exists pgboss cascade')
  for (const name of new Set(dropped)) await owner.query(`drop table if exists ${quote(name)} cascade`)
  for (const one of functions) await owner.query(`drop function if exists ${one} cascade`)
  // Last: it says that the others are the product's.
  await owner.query('drop table if exists public.kysely_migration')
  const left = await foreignIn(owner, schemaAfter([]))
  if (applied.length && left.length) say(`Not part of Caretaker, and left as they are: ${left.join(', ')}.`)
}

async function ownTables(owner: pg.Pool): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(`
    select 'public.' || relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> 'kysely_migration'
      and relowner = (select oid from pg_roles where rolname = current_user)
      and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')`)
  return rows.map(({ name }) => name)
}

/** Views of others that read these tables. */
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

/** Writes all rows, and takes the mark away, in one transaction. */
async function load(owner: pg.Pool, archive: Archive, manifest: Manifest): Promise<void> {
  const client = await owner.connect()
  try {
    await client.query(`set temp_buffers = '64MB'; begin; ${plainText}`)
    const tables = await tablesIn(client)
    // Some migrations bring rows of their own, which are in the backup as well.
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
 * Files that were in the store before, or came by an earlier try, and belong to nobody now are left to be deleted. What lies on one
 * machine and on several is not joined where the database is distributed.
 */
async function forgetOthers(client: pg.PoolClient): Promise<void> {
  const { rows: tenants } = await client.query<{ id: string }>(
    `select distinct tenant_id as id from ${restoreSchema}.left_file`,
  )
  for (const { id } of tenants) {
    await behindWall(client, id)
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
