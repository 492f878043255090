import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, stat, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type pg from 'pg'
import type { Manifest } from '../backup/manifest.ts'
import { storeBackupRecord } from '../backup/record.ts'
import { outboundIsOff } from '../outbound.ts'
import { openPool } from '../postgres/pool.ts'
import { checkBackup, contentOf, makeBackup, restoreAll } from './backup.ts'
import type { Operator } from './operator.ts'
import { OperatorError } from './operator.ts'

/** Names of backups in a folder: they sort by their time, in UTC. */
const named = /^caretaker-\d{4}-\d\d-\d\dT\d{6}Z\.zip$/
const nameAt = (now: Date) =>
  `caretaker-${now
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '')}.zip`

const isFolder = (place: string) =>
  stat(place).then(
    (found) => found.isDirectory(),
    () => false,
  )

async function backupsIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => named.test(name)).sort()
}

interface Options {
  /** A file, or a folder in which the backup is named after its time. */
  file: string
  tenant?: string
  /** How many backups stay in the folder. */
  keep?: number
}

interface Result {
  lines: string[]
  missing: string[]
}

/**
 * Makes a backup. A backup of everything is then recorded for /metrics and passed to CARETAKER_BACKUP_AFTER. Only if
 * that succeeds and no file is missing are older backups of the folder deleted: they may be the only ones with these
 * files.
 */
export async function makeAndKeep(
  operator: Operator,
  { file: place, tenant, keep }: Options,
  now = new Date(),
): Promise<Result> {
  const folder = (await isFolder(place)) ? place : undefined
  if (keep !== undefined && (folder === undefined || tenant !== undefined))
    throw new OperatorError('--keep needs a folder, and a backup of everything: caretaker backup /backups --keep 14')
  const file = folder === undefined ? place : path.join(folder, nameAt(now))
  const result = await makeBackup(operator, { file, ...(tenant !== undefined && { tenant }) })
  if (tenant !== undefined) return result
  const { bytes, missing } = { bytes: (await stat(file)).size, missing: result.missing.length }
  await storeBackupRecord(operator.owner, { madeAt: now.toISOString(), bytes, missing })
  const { backupAfter, outbound } = operator.config
  if (backupAfter !== undefined && outbound) await runAfter(backupAfter, path.resolve(file))
  const isCopied = backupAfter === undefined || outbound
  if (!isCopied) result.lines.push(`CARETAKER_BACKUP_AFTER was not run: ${outboundIsOff}.`)
  if (folder === undefined || keep === undefined) return result
  if (missing || !isCopied) return { ...result, lines: [...result.lines, `No older backup in ${folder} was deleted.`] }
  const old = (await backupsIn(folder)).slice(0, -keep)
  for (const name of old) await rm(path.join(folder, name))
  return { ...result, lines: [...result.lines, ...old.map((name) => `${path.join(folder, name)} was deleted`)] }
}

async function runAfter(command: string, file: string): Promise<void> {
  const child = spawn('/bin/sh', ['-c', command, 'caretaker', file], { stdio: ['ignore', 'inherit', 'inherit'] })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0)
    throw new OperatorError(
      `The backup ${file} is complete, but CARETAKER_BACKUP_AFTER ended with ${code ?? 'a signal'}. No older backup was deleted.`,
    )
}

/** The newest backup of a folder, or the file itself. */
export async function newestBackup(place: string): Promise<string> {
  if (!(await isFolder(place))) return place
  const newest = (await backupsIn(place)).at(-1)
  if (newest === undefined) throw new OperatorError(`There is no backup in ${place}.`)
  return path.join(place, newest)
}

/**
 * Restores a backup of everything, or the newest one of a folder, into a database of its own, which is deleted
 * afterwards: on the server of CARETAKER_TRIAL_DATABASE_URL or DATABASE_URL, otherwise an embedded one in a temporary
 * folder. The files are restored into that folder. The result is recorded for /metrics.
 */
export async function tryRestore(
  { config, owner }: Pick<Operator, 'config' | 'owner'>,
  place: string,
  report: (line: string) => void,
  signal = new AbortController().signal,
): Promise<string> {
  await removeOldFolders()
  const folder = await mkdtemp(path.join(tmpdir(), folderPrefix))
  const server = config.trialDatabaseUrl ?? config.databaseUrl
  const scratch = server === undefined ? undefined : scratchOn(server)
  // Dropping the database ends the restore into it.
  const stop = () => void scratch?.drop().catch(() => {})
  signal.addEventListener('abort', stop)
  try {
    const file = await newestBackup(place)
    const backup = await checkBackup({ file }, report)
    try {
      if (backup.manifest.tenant !== null)
        throw new OperatorError('Only a backup of everything can be restored on trial.')
      await expectSpace(folder, backup.manifest, server === undefined ? (await stat(file)).size : 0)
      await scratch?.create()
      const trial = { ...config, dataDir: path.join(folder, 'data'), databaseUrl: scratch?.url, filesUrl: undefined }
      if (signal.aborted) throw new OperatorError(stopped)
      await restoreAll(trial, backup, { report, isTrial: true })
    } finally {
      backup.archive.close()
    }
    await storeBackupRecord(owner, { verifiedAt: new Date().toISOString(), fault: null })
    return `${file} was restored on trial: ${contentOf(backup.manifest)}.`
  } catch (error) {
    if (signal.aborted) throw new OperatorError(stopped)
    await storeBackupRecord(owner, { fault: error instanceof Error ? error.message : String(error) })
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
    await rm(folder, { recursive: true, force: true })
    await scratch?.end()
  }
}
const stopped = 'The trial was stopped. Its database and files were deleted.'

const folderPrefix = 'caretaker-trial-'
/** If the folder of a trial is older than this, in ms, the trial was killed. */
const longestTrial = 86_400_000

async function removeOldFolders(): Promise<void> {
  for (const name of (await readdir(tmpdir())).filter((one) => one.startsWith(folderPrefix))) {
    const folder = path.join(tmpdir(), name)
    const age = await stat(folder).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    )
    // Another user's folder stays.
    if (age > longestTrial) await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}

/** Tables are compressed in a backup: a database of 420 MB shrank to 19 MB. */
const expansion = 25

/**
 * Refuses a trial for which the temporary folder has too little space. The free space of another database server is
 * unknown.
 */
async function expectSpace(folder: string, { files }: Manifest, backupBytes: number): Promise<void> {
  const needed = 2 * files.bytes + expansion * Math.max(0, backupBytes - files.bytes)
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < needed)
    throw new OperatorError(
      `The trial needs up to ${Math.ceil(needed / 1e6)} MB in ${tmpdir()}, where ${Math.floor((bavail * bsize) / 1e6)} MB are free. Set TMPDIR to another folder.`,
    )
}

/** Names of trial databases, with their time in ms. */
const databaseName = /^caretaker_trial_(\d+)_\w+$/

/** A new database on the server at an address. */
function scratchOn(server: string) {
  const name = `caretaker_trial_${Date.now()}_${randomBytes(6).toString('hex')}`
  const url = new URL(server)
  url.pathname = `/${name}`
  const pool = openPool(server, 'owner', 2)
  const drop = () => pool.query(`drop database if exists ${name} with (force)`)
  return {
    url: url.href,
    create: async () => {
      await dropOldDatabases(pool)
      await pool
        .query(`create database ${name} template template0 encoding 'UTF8'`)
        .catch((error: { code?: string }) => {
          if (error.code !== insufficientPrivilege) throw error
          throw new OperatorError(
            'The database user is not allowed to create the database of the trial. Grant the right with alter role … createdb.',
          )
        })
    },
    drop,
    end: async () => {
      try {
        await drop()
      } finally {
        await pool.end()
      }
    },
  }
}
const insufficientPrivilege = '42501'

/** Drops the databases of killed trials, except those that are in use or belong to another user. */
async function dropOldDatabases(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ datname: string }>('select datname from pg_database')
  for (const { datname } of rows) {
    const madeAt = Number(databaseName.exec(datname)?.[1] ?? Infinity)
    if (Date.now() - madeAt > longestTrial) await pool.query(`drop database if exists ${datname}`).catch(() => {})
  }
}
