import fs from 'node:fs'
import path from 'node:path'
import { SettingError } from '../config.ts'
import { isAlive, startOf } from './processes.ts'

const reasons: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'it is on a read-only file system',
  ENOTDIR: 'part of its path is a file',
  EEXIST: 'part of its path is a file',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exhausted',
}

/** Creates the data folder if it is missing and returns its real path. */
export function prepareDataFolder(dataDir: string): string {
  try {
    makeFolder(path.resolve(dataDir))
    fs.accessSync(dataDir, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK)
    return fs.realpathSync(dataDir)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw unusable(dataDir, 'it cannot be created there')
    throw explained(error, dataDir)
  }
}

/**
 * Created level by level: `mkdir` with `recursive` retries forever where a folder cannot be created (below /proc, for
 * example).
 */
function makeFolder(folder: string): void {
  if (fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  const above = path.dirname(folder)
  if (above !== folder) makeFolder(above)
  try {
    // Passable for others, because the database server may run as another user than root, but not readable.
    fs.mkdirSync(folder, { mode: 0o711 })
  } catch (error) {
    // Another process has created it; a file in its place is an error.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !fs.statSync(folder).isDirectory()) throw error
  }
}

/**
 * Converts a system error into a SettingError that names the data folder and the cause; other errors are returned
 * unchanged.
 */
export function explained(error: unknown, dataDir: string): unknown {
  const { code = '', path: place = dataDir } = error as NodeJS.ErrnoException
  const reason = reasons[code]
  if (!reason) return error
  const where = place === dataDir ? '' : ` (${place})`
  return unusable(dataDir, `${reason}${where}`)
}

function unusable(dataDir: string, why: string): SettingError {
  return new SettingError(
    `The data folder ${dataDir} cannot be used: ${why}. Correct that, or set CARETAKER_DATA to another folder`,
  )
}

const held = new Set<string>()

/**
 * Claims the data folder for this process, before anything else is done in it. Returns the function that releases it.
 * Takes over the claim of a dead process. Throws a SettingError if a living process holds it.
 */
export function lockDataDir(dataDir: string): () => void {
  const folder = prepareDataFolder(dataDir)
  const file = path.join(folder, 'caretaker.lock')
  const claim = `${process.pid}\n${startOf(process.pid) ?? ''}\n`
  if (held.has(file)) throw inUse(dataDir, process.pid)
  try {
    while (!place(file, claim)) setAsideStale(file, dataDir)
  } catch (error) {
    throw explained(error, dataDir)
  }
  held.add(file)
  let mine = true
  return () => {
    if (!mine) return
    mine = false
    held.delete(file)
    if (readIfThere(file) === claim) fs.rmSync(file, { force: true })
  }
}

/**
 * Writes a temporary file and links it into place, so that no process reads a partial claim. Returns false if there is
 * a claim already.
 */
function place(file: string, claim: string): boolean {
  const draft = `${file}.${process.pid}`
  fs.writeFileSync(draft, claim, { mode: 0o600 })
  try {
    fs.linkSync(draft, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    fs.rmSync(draft, { force: true })
  }
}

function setAsideStale(file: string, dataDir: string): void {
  const found = readIfThere(file)
  if (found === undefined) return
  refuseLiving(found, dataDir)
  const aside = `${file}.${process.pid}.old`
  try {
    fs.renameSync(file, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  // Another process may have taken over the stale claim in the meantime; then this is its claim.
  const moved = readIfThere(aside)
  if (moved !== undefined && moved !== found) fs.linkSync(aside, file)
  fs.rmSync(aside, { force: true })
}

function refuseLiving(claim: string, dataDir: string): void {
  const [pid, start] = claim.split('\n')
  const holder = Number(pid)
  if (holder === process.pid || !isAlive(holder)) return
  if (start && startOf(holder) !== start) return
  throw inUse(dataDir, holder)
}

function inUse(dataDir: string, pid: number): SettingError {
  return new SettingError(
    `The data folder ${dataDir} is in use by process ${pid}. Stop that process, or set CARETAKER_DATA to another folder`,
  )
}

export function readIfThere(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
