import path from 'node:path'
import pg from 'pg'
import type { Config } from '../config.ts'
import { audit, operator as person } from '../audit/audit.ts'
import type { Archive } from '../backup/archive.ts'
import { openArchive } from '../backup/archive.ts'
import { backUp } from '../backup/backup.ts'
import { BackupFault } from '../backup/fault.ts'
import type { Manifest } from '../backup/manifest.ts'
import { keysIn } from '../backup/manifest.ts'
import { moveIn } from '../backup/move.ts'
import { moveTo, planMove } from '../backup/other-database.ts'
import { restore } from '../backup/restore.ts'
import { leftOutLine, unknownIn, verify } from '../backup/verify.ts'
import { openStore } from '../files/store.ts'
import { openDatabase, reach } from '../postgres/open.ts'
import { openPool } from '../postgres/pool.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { Operator } from './operator.ts'
import { OperatorError } from './operator.ts'

const size = (bytes: number) =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
const count = (number: number, one: string) => `${number.toLocaleString('en-GB')} ${one}${number === 1 ? '' : 's'}`

/**
 * Writes a backup, checks it and reports what it contains and what it leaves out; a backup of one tenant is recorded
 * in its audit log.
 */
export async function makeBackup(
  { config, owner, db }: Operator,
  { file, tenant }: { file: string; tenant?: string },
): Promise<{ lines: string[]; missing: string[] }> {
  const { manifest, bytes } = await asOperatorError(
    backUp({ owner, files: openStore(config) }, path.resolve(file), { tenant: tenant ?? null }),
  )
  if (tenant !== undefined)
    await inTenant(db, tenant, (tx) =>
      audit(tx, { person, action: 'client exported', subject: { type: 'client', id: tenant, name: tenant } }),
    )
  return {
    lines: [
      `${file}: ${size(bytes)}, ${nameOf(manifest)} as of ${manifest.madeAt}: ${contentOf(manifest)}`,
      ...[leftOutLine(manifest.leftOut) ?? []].flat(),
    ],
    missing: manifest.files.missing,
  }
}

/** A backup that passed its checks and may be restored. */
export interface CheckedBackup {
  archive: Archive
  manifest: Manifest
}

/** Checks a backup as a restore does; returns lines with its content and what a restore would leave out. */
export async function verifyBackup(file: string): Promise<string[]> {
  const archive = await asOperatorError(openArchive(path.resolve(file)))
  try {
    const manifest = await asOperatorError(verify(archive))
    const { parts, migrations, postgres, version, files } = manifest
    const tables = new Set(parts.map(({ table }) => table)).size
    const tenants = [...new Set(parts.flatMap(({ tenant }) => tenant ?? []))].sort()
    const rowsOf = (tenant: string) => sumOfRows(parts.filter((part) => part.tenant === tenant))
    const filesOf = (tenant: string) => keysIn(archive).filter((key) => key.startsWith(`${tenant}/`)).length
    return [
      wholeLine(file, archive, manifest),
      `It was made by Caretaker ${version} on PostgreSQL ${postgres}, with the schema ${migrations.at(-1)}.`,
      `It contains ${contentOf(manifest)} in ${count(tables, 'table')}:`,
      ...tenants.map((id) => `  ${id}: ${count(rowsOf(id), 'row')}, ${count(filesOf(id), 'file')}`),
      ...(manifest.tenant === null
        ? [`  shared by all clients: ${count(sumOfRows(parts.filter((part) => part.tenant === null)), 'row')}`]
        : []),
      ...[leftOutLine([...new Set([...manifest.leftOut, ...unknownIn(manifest)])]) ?? []].flat(),
      ...(files.missing.length ? [missingLine(files.missing)] : []),
    ]
  } finally {
    archive.close()
  }
}

const wholeLine = (file: string, archive: Archive, manifest: Manifest) =>
  `${file} is complete: ${size(archive.bytes)}, ${nameOf(manifest)} as of ${manifest.madeAt}.`

export const missingLine = (missing: readonly string[]) =>
  `Missing or incomplete in the file store: ${missing.join(', ')}`

/** Checks a backup before it is restored; rejects one that is damaged or not of the requested kind. */
export async function checkBackup(
  { file, tenant, replace }: { file: string; tenant?: string; replace?: true },
  report: (line: string) => void,
): Promise<CheckedBackup> {
  const archive = await asOperatorError(openArchive(path.resolve(file)), 'Nothing was restored.')
  try {
    const manifest = await asOperatorError(verify(archive), 'Nothing was restored.')
    report(wholeLine(file, archive, manifest))
    if (tenant !== undefined && manifest.tenant !== tenant)
      throw new OperatorError(`This is a backup of ${nameOf(manifest)}, not of ${tenant} alone. Nothing was restored.`)
    if (manifest.tenant !== null && replace) throw new OperatorError('A client cannot be replaced. Omit --replace.')
    return { archive, manifest }
  } catch (error) {
    archive.close()
    throw error
  }
}

/**
 * Restores everything into an empty database, or replaces its content; creates a missing data folder. Commands do not
 * find the database of a trial.
 */
export async function restoreAll(
  config: Config,
  { archive, manifest }: CheckedBackup,
  {
    replace = false,
    isTrial = false,
    report,
  }: { replace?: boolean; isTrial?: boolean; report: (line: string) => void },
): Promise<void> {
  const { databaseUrl, dataDir } = config
  report(`Restoring into ${databaseUrl ? `the database${new URL(databaseUrl).pathname.replace('/', ' ')}` : dataDir}.`)
  const database = await openDatabase(config, { isHidden: isTrial })
  const owner = openPool(database.url, 'owner', 2)
  try {
    await asOperatorError(restore({ owner, files: openStore(config) }, archive, manifest, { replace, report }))
  } finally {
    await owner.end()
    await database.stop()
  }
}

/** Restores one tenant into an installation that may be running. */
export async function restoreTenant(
  { config, owner }: Pick<Operator, 'config' | 'owner'>,
  { archive, manifest }: CheckedBackup,
  report: (line: string) => void,
): Promise<void> {
  await asOperatorError(
    moveIn({ owner, files: openStore(config), directory: config.oidc.directory }, archive, manifest, report),
  )
}

/** Moves everything into another database, or only reports what that would do. */
export async function moveDatabase(
  { config, owner }: Pick<Operator, 'config' | 'owner'>,
  { url, dryRun }: { url: string; dryRun: boolean },
  report: (line: string) => void,
): Promise<string> {
  await reach(url, 'The other database')
  const target = openPool(url, 'owner', 2)
  try {
    if (!dryRun) {
      const manifest = await asOperatorError(moveTo(owner, target, openStore(config), report))
      return `Moved ${contentOf(manifest)}. Set DATABASE_URL to the new database and start; the old one is unchanged.`
    }
    const plan = await asOperatorError(planMove(owner, target, openStore(config)))
    const { tenants, devices, bytes, machines, obstacles } = plan
    report(
      `${count(tenants, 'client')} with ${count(devices, 'device')}, a database of ${size(bytes)}, would be moved.`,
    )
    report(`Target: ${machines.length > 1 ? `${machines.length} machines: ` : ''}${machines.join(', ')}.`)
    const leftOut = leftOutLine(plan.leftOut)
    if (leftOut) report(leftOut)
    if (obstacles.length) throw new OperatorError(obstacles.join('\n'))
    return 'The move is possible. Nothing was moved.'
  } finally {
    await target.end()
  }
}

/** The content of a backup, in words. */
export const contentOf = ({ parts, files }: Manifest) =>
  `${count(sumOfRows(parts), 'row')}, ${count(files.count, 'file')} of ${size(files.bytes)}`

const sumOfRows = (parts: Manifest['parts']) => parts.reduce((sum, part) => sum + part.rows, 0)

const nameOf = ({ tenant }: Manifest) => (tenant === null ? 'everything' : `all of ${tenant}`)

/** Turns a backup fault or a database error into a one-line operator error; `then` adds its consequence. */
async function asOperatorError<T>(work: Promise<T>, then?: string): Promise<T> {
  try {
    return await work
  } catch (error) {
    const line = error instanceof pg.DatabaseError ? `The database reported an error: ${error.message}.` : undefined
    if (!line && !(error instanceof BackupFault)) throw error
    throw new OperatorError([line ?? (error as Error).message, ...[then ?? []].flat()].join(' '))
  }
}
