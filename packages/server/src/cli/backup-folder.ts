import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { storeBackupRecord } from '../backup/record.ts'
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
  /** A file, or a folder in which the backup gets a name with its time. */
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
 * Makes a backup. One of everything is then recorded for /metrics and passed to CARETAKER_BACKUP_AFTER. Only if that
 * succeeds are older backups of the folder deleted.
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
  await storeBackupRecord(operator.owner, { madeAt: now.toISOString(), bytes: (await stat(file)).size })
  const { backupAfter } = operator.config
  if (backupAfter !== undefined) await runAfter(backupAfter, path.resolve(file))
  if (folder === undefined || keep === undefined) return result
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
 * Restores a backup of everything into a database of its own, which is deleted afterwards: on the server of DATABASE_URL,
 * otherwise an embedded one in a temporary folder. The files are restored into that folder. The result is recorded for
 * /metrics.
 */
export async function tryRestore(
  { config, owner }: Pick<Operator, 'config' | 'owner'>,
  file: string,
  report: (line: string) => void,
): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'caretaker-trial-'))
  const scratch = config.databaseUrl === undefined ? undefined : scratchOn(owner, config.databaseUrl)
  try {
    const backup = await checkBackup({ file }, report)
    try {
      if (backup.manifest.tenant !== null)
        throw new OperatorError('Only a backup of everything can be restored on trial.')
      await scratch?.create()
      const trial = { ...config, dataDir: path.join(folder, 'data'), databaseUrl: scratch?.url, filesUrl: undefined }
      await restoreAll(trial, backup, { report })
    } finally {
      backup.archive.close()
    }
    await storeBackupRecord(owner, { verifiedAt: new Date().toISOString(), fault: null })
    return `${file} was restored on trial: ${contentOf(backup.manifest)}.`
  } catch (error) {
    await storeBackupRecord(owner, { fault: error instanceof Error ? error.message : String(error) })
    throw error
  } finally {
    await scratch?.drop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** A new database next to the one of an address. */
function scratchOn(owner: Operator['owner'], databaseUrl: string) {
  const name = `caretaker_trial_${randomBytes(6).toString('hex')}`
  const url = new URL(databaseUrl)
  url.pathname = `/${name}`
  return {
    url: url.href,
    create: () =>
      owner.query(`create database ${name} template template0 encoding 'UTF8'`).catch((error: { code?: string }) => {
        if (error.code !== insufficientPrivilege) throw error
        throw new OperatorError(
          'The user of DATABASE_URL may not create a database for the trial: grant it with alter role … createdb.',
        )
      }),
    drop: () => owner.query(`drop database if exists ${name}`),
  }
}
const insufficientPrivilege = '42501'
