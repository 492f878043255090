import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import type { FileStore } from '../context.ts'
import { keyOf } from '../files/keys.ts'
import { locks, tryLock, unlock } from '../postgres/locks.ts'
import { isSpread, placements } from '../postgres/machines.ts'
import { schemaAfter } from '../postgres/product-schema.ts'
import { version } from '../version.ts'
import type { NewArchive } from './archive.ts'
import { writeArchive } from './archive.ts'
import type { Table } from './catalog.ts'
import {
  appliedTo,
  foreignIn,
  pointsSince,
  sequencesIn,
  tablesLeftBehind,
  replacedValues,
  tablesIn,
} from './catalog.ts'
import { BackupFault } from './fault.ts'
import type { Manifest, Part } from './manifest.ts'
import { fileName, manifestName, partName } from './manifest.ts'
import { verify } from './verify.ts'

export interface Installation {
  owner: pg.Pool
  files: FileStore
}

export interface MadeBackup {
  manifest: Manifest
  /** The size of the archive. */
  bytes: number
}

interface BackupOptions {
  /** Limits the backup to one tenant. */
  tenant?: string | null
  /** For a database that moves while its file store stays: the files are not copied. */
  leaveFiles?: boolean
  now?: () => Date
}

/** The text form of values must not depend on server settings, because two servers exchange them. */
export const plainText = `set local datestyle = 'ISO, YMD'; set local timezone = 'UTC'; set local intervalstyle = 'postgres';
  set local extra_float_digits = 1; set local bytea_output = 'hex'; set local statement_timeout = 0;
  set local idle_in_transaction_session_timeout = 0; set local citus.propagate_set_commands = 'local'`

/**
 * Writes everything, or all data of one tenant, into one file while the product runs: a snapshot of the database and
 * the files that its rows refer to. No files are deleted meanwhile. At the end the backup is read again and checked as
 * for a restore. Throws a BackupFault.
 */
export async function backUp(
  { owner, files }: Installation,
  file: string,
  { tenant = null, leaveFiles = false, now = () => new Date() }: BackupOptions = {},
): Promise<MadeBackup> {
  const client = await owner.connect()
  let manifest: Manifest | undefined
  try {
    // Before the snapshot: from here on, files with a row stay in the store.
    if (!(await tryLock(client, locks.files)))
      throw new BackupFault('Another backup of this installation is running, or files are being deleted. Try again.')
    const write = async (archive: NewArchive) => {
      await beginSnapshot(client, owner)
      manifest = await fill(client, leaveFiles ? null : files, archive, tenant, now())
      await client.query('commit')
      await archive.add(manifestName, [Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`)])
    }
    const bytes = await writeArchive(file, write, (archive) => verify(archive, { leaveFiles }))
    await unlock(client, locks.files)
    client.release()
    return { manifest: manifest!, bytes }
  } catch (error) {
    // Ends the transaction and the lock with the connection, whatever was being read on it.
    client.release(true)
    throw error
  }
}

/** Tables that tenants share, and that are written together with tenant rows that refer to them. */
const shared = 'public.person, public.device_route, public.connection_route, public.invitation, public.tenant'
/** Tables of queued work that exist on the coordinator only, and are written together with tenant rows. */
const queues = 'public.command_outbox, public.mail_outbox, public.due, public.loose_file'

/**
 * Starts the transaction that reads everything as one snapshot. In a distributed database each machine takes its
 * snapshot when a statement first reaches it. So all are reached at once, while writes to the shared tables and
 * queues are locked out: otherwise a tenant row could refer to a person missing from the coordinator's snapshot and
 * could not be restored, or a queued e-mail could be missing and would never be sent. A transaction keeps its locks
 * until it is committed on every machine, so that it is in the backup completely or not at all. A tenant's other rows
 * are together on one machine.
 */
async function beginSnapshot(client: pg.PoolClient, owner: pg.Pool): Promise<void> {
  const begin = `begin isolation level repeatable read read only; ${plainText}`
  if (!(await isSpread(owner))) return void (await client.query(begin))
  const guard = await owner.connect()
  try {
    await holdShared(guard)
    await client.query(begin)
    // One tenant per machine; a machine without tenants is not read.
    const { rows } = await client.query<{ id: string }>(
      `select distinct on (groupid) id from public.tenant
       join pg_dist_placement on shardid = get_shard_id_for_distribution_column('public.device', id) order by groupid`,
    )
    for (const { id } of rows) {
      await limitToTenant(client, id)
      await client.query(`select from public.device where tenant_id = ${pg.escapeLiteral(id)} limit 1`)
    }
  } finally {
    guard.release(true)
  }
}

const lockNotAvailable = '55P03'

/**
 * Locks the shared tables and queues against writes while the connection lives. It gives up quickly, because writers
 * queue behind it.
 */
async function holdShared(client: pg.PoolClient): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      return void (await client.query(
        `begin; set local lock_timeout = '500ms'; lock table ${shared} in share mode; lock table ${queues} in share mode; set local lock_timeout = 0`,
      ))
    } catch (error) {
      if ((error as { code?: string }).code !== lockNotAvailable) throw error
      if (attempt === 20)
        throw new BackupFault('A long transaction is writing people, devices or queued messages. Try again.')
      await client.query('rollback')
      await sleep(500)
    }
}

async function fill(
  client: pg.PoolClient,
  files: FileStore | null,
  archive: NewArchive,
  only: string | null,
  now: Date,
): Promise<Manifest> {
  const { rows: tenants } = await client.query<{ id: string }>(
    `select id from public.tenant where $1::text is null or id = $1 order by id`,
    [only],
  )
  if (only !== null && !tenants.length) throw new BackupFault(`There is no client ${only}.`)
  const migrations = await appliedTo(client)
  const schema = schemaAfter(migrations)
  const { rows: server } = await client.query<{ version: string }>(
    `select current_setting('server_version') as version`,
  )
  const tables = await tablesIn(client)
  if (only !== null) await limitToTenant(client, only)
  const parts: Part[] = []
  for (const table of tables)
    for (const [tenant, condition] of await sharesOf(table, tables, tenants, only)) {
      if (table.isTenants) await limitToTenant(client, tenant!)
      const part = await copyOut(client, archive, table, tenant, condition)
      if (part) parts.push(part)
    }
  return {
    ...{ format: 'caretaker-backup', formatVersion: 1, version, madeAt: now.toISOString() },
    ...{ postgres: server[0]!.version, migrations, tenant: only },
    pointsSince: (await pointsSince(client))?.toISOString() ?? null,
    // Last, so that numbers assigned meanwhile are not assigned again.
    sequences: Object.fromEntries(
      (await sequencesIn(client, schema)).flatMap(({ name, last }) => (last === null ? [] : [[name, last]])),
    ),
    parts,
    leftOut: await foreignIn(client, schema),
    // Machines belong to this installation: a tenant that moves elsewhere is assigned one there.
    placements: only === null ? await placements(client) : [],
    files: files ? await copyFiles(client, files, archive, tenants) : { count: 0, bytes: 0, missing: [] },
  }
}

/** The owner of an organisation's own database sees the rows of one tenant at a time. */
export async function limitToTenant(client: pg.ClientBase, tenant: string): Promise<void> {
  await client.query(`set local app.tenant = ${pg.escapeLiteral(tenant)}`)
}

type Share = readonly [tenant: string | null, condition: string]

/** The parts of a table, with the condition that selects their rows. */
async function sharesOf(
  table: Table,
  tables: readonly Table[],
  tenants: readonly { id: string }[],
  only: string | null,
): Promise<Share[]> {
  const of = (id: string): Share => [id, `tenant_id = ${pg.escapeLiteral(id)}`]
  if (table.isTenants) return tenants.map(({ id }) => of(id))
  if (only === null) return [[null, 'true']]
  const id = pg.escapeLiteral(only)
  // Only rows about the tenant's people: the person, and how they sign in.
  const people = tables
    .filter((one) => one.namesTenant && !tablesLeftBehind.includes(one.name))
    .flatMap((one) =>
      one.people.map((column) => `select ${pg.escapeIdentifier(column)} from ${one.quoted} where tenant_id = ${id}`),
    )
    .join(' union ')
  if (table.name === 'public.tenant') return [[only, `id = ${id}`]]
  if (table.name === 'public.person') return [[only, `id in (${people})`]]
  if (table.name === 'idp.account')
    return [
      [
        only,
        `lower(email) in (select lower(email) from public.membership where tenant_id = ${id})
          or id::text in (select subject from public.person where issuer = 'embedded' and id in (${people}))`,
      ],
    ]
  return table.namesTenant && !tablesLeftBehind.includes(table.name) ? [of(only)] : []
}

/** Adds the rows of a table; undefined if there are none. */
async function copyOut(
  client: pg.PoolClient,
  archive: NewArchive,
  table: Table,
  tenant: string | null,
  condition: string,
): Promise<Part | undefined> {
  const wanted = table.columns.map((column) => replacedValues[`${table.name}.${column}`] ?? pg.escapeIdentifier(column))
  const rows = client.query(
    copyTo(`copy (select ${wanted.join(', ')} from ${table.quoted} where ${condition}) to stdout`),
  )
  const pieces = (rows as Readable)[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const first = await pieces.next()
  if (first.done) return undefined
  const name = partName(table.name, tenant)
  await archive.add(name, beginning(first.value, pieces))
  return { name, table: table.name, columns: [...table.columns], tenant, rows: rows.rowCount }
}

async function* beginning(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield first
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}

const filesAtOnce = 500

async function copyFiles(
  client: pg.PoolClient,
  files: FileStore,
  archive: NewArchive,
  tenants: readonly { id: string }[],
): Promise<Manifest['files']> {
  const copied = { count: 0, bytes: 0, missing: [] as string[] }
  const cursor = pg.escapeIdentifier(`files ${randomUUID()}`)
  for (const { id: tenant } of tenants) {
    await limitToTenant(client, tenant)
    await client.query(
      `declare ${cursor} no scroll cursor for
        select id, size from public.file where tenant_id = ${pg.escapeLiteral(tenant)} order by id`,
    )
    for (;;) {
      const { rows } = await client.query<{ id: string; size: number }>(`fetch ${filesAtOnce} from ${cursor}`)
      for (const { id, size } of rows) {
        const key = keyOf(tenant, id)
        const content = await files.read(key).catch((error: unknown) => {
          if (isMissing(error)) return undefined
          throw new BackupFault(`The file store does not respond: ${(error as Error).message}`)
        })
        let bytes = -1
        if (content) {
          bytes = 0
          const counted = async function* () {
            for await (const piece of content as AsyncIterable<Buffer>) {
              bytes += piece.length
              yield piece
            }
          }
          await archive.add(fileName(key), counted())
          copied.count++
          copied.bytes += bytes
        }
        if (bytes !== Number(size)) copied.missing.push(key)
      }
      if (rows.length < filesAtOnce) break
    }
    await client.query(`close ${cursor}`)
  }
  return copied
}

/** Whether an error of the store (folder or bucket) means that the file does not exist. */
function isMissing(error: unknown): boolean {
  const text = (one: unknown): string =>
    one instanceof Error ? `${one.name} ${(one as NodeJS.ErrnoException).code ?? ''} ${text(one.cause)}` : ''
  return /ENOENT|NoSuchKey|NotFound/.test(text(error))
}
