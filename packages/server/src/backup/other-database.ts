import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { SettingError } from '../config.ts'
import type { FileStore } from '../context.ts'
import { expectMachines, machinesOf } from '../postgres/machines.ts'
import { checkServer } from '../postgres/migrate.ts'
import type { Archive } from './archive.ts'
import { openArchive } from './archive.ts'
import { backUp } from './backup.ts'
import { BackupFault } from './fault.ts'
import type { Manifest } from './manifest.ts'
import { expectAlone, expectEmpty, expectEncoding, restore } from './restore.ts'
import { leftOutLine } from './verify.ts'

/** The planned move, and the reasons that prevent it. */
export interface MovePlan {
  tenants: number
  devices: number
  /** The size of the database with its indexes. */
  bytes: number
  /** The machines over which the database will be distributed; only one if it is not distributed. */
  machines: string[]
  /** Tables and columns that are not part of the product and stay behind. */
  leftOut: string[]
  obstacles: string[]
}

/**
 * Reports what moving everything to another database would do, without changing anything. If nothing else prevents
 * it, the backup for the move is made, checked and deleted, which reveals unreadable data.
 */
export async function planMove(source: pg.Pool, target: pg.Pool, files: FileStore): Promise<MovePlan> {
  const { rows } = await source.query<{ tenants: number; bytes: number; devices: number }>(
    `select (select count(*)::int from public.tenant) as tenants, pg_database_size(current_database()) as bytes,
       (select count(*)::int from public.device_route) as devices`,
  )
  const machines = await machinesOf(target)
  const obstacles = await obstaclesTo(source, target)
  let leftOut: string[] = []
  if (!obstacles.length)
    await withBackup(source, files, async (_, manifest) => void (leftOut = manifest.leftOut)).catch((error: unknown) =>
      obstacles.push(textOf(error)),
    )
  return { ...rows[0]!, machines, leftOut, obstacles }
}

async function obstaclesTo(source: pg.Pool, target: pg.Pool): Promise<string[]> {
  const obstacles: string[] = []
  // One after the other, on one connection per pool, because further connections would be taken for running processes.
  for (const [check, database] of [
    [expectAlone, source],
    [expectAlone, target],
    [checkServer, target],
    [expectMachines, target],
    [expectEncoding, target],
    [expectEmpty, target],
  ] as const)
    await check(database).catch((error: unknown) => obstacles.push(textOf(error)))
  return [...new Set(obstacles)]
}

/**
 * Writes everything from one database into another, plain or distributed, which must be empty. The source is not
 * changed, and files stay in their store. Throws a BackupFault.
 */
export async function moveTo(
  source: pg.Pool,
  target: pg.Pool,
  files: FileStore,
  report: (line: string) => void,
): Promise<Manifest> {
  const obstacles = await obstaclesTo(source, target)
  if (obstacles.length) throw new BackupFault(obstacles.join('\n'))
  return withBackup(source, files, async (archive, manifest) => {
    const leftOut = leftOutLine(manifest.leftOut)
    if (leftOut) report(leftOut)
    await restore({ owner: target, files }, archive, manifest, { report })
    return manifest
  })
}

/** Makes a checked backup of everything except the uploaded files, for the duration of `work`. */
async function withBackup<T>(
  source: pg.Pool,
  files: FileStore,
  work: (archive: Archive, manifest: Manifest) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'caretaker-move-'))
  try {
    const file = path.join(folder, 'everything.zip')
    const { manifest } = await backUp({ owner: source, files }, file, { leaveFiles: true })
    const archive = await openArchive(file)
    try {
      return await work(archive, manifest)
    } finally {
      archive.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The text of an expected failure; programming errors are rethrown. */
function textOf(error: unknown): string {
  if (error instanceof BackupFault || error instanceof SettingError || error instanceof pg.DatabaseError)
    return error.message
  throw error
}
