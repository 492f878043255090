import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type pg from 'pg'
import { SettingError } from '../config.ts'
import type { FileStore } from '../context.ts'
import { expectMachines, machinesOf } from '../postgres/machines.ts'
import { checkServer } from '../postgres/migrate.ts'
import { openArchive } from './archive.ts'
import { backUp } from './backup.ts'
import { BackupFault } from './fault.ts'
import type { Manifest } from './manifest.ts'
import { readManifest } from './manifest.ts'
import { expectAlone, expectEmpty, restore } from './restore.ts'

/** What would be moved, whereto, and what stands in the way of it. */
export interface MovePlan {
  tenants: number
  devices: number
  /** Of the database, with its indexes. */
  bytes: number
  /** Machines over which it will be spread; one where it is not. */
  machines: string[]
  obstacles: string[]
}

/** What moving everything from one database to another would do; nothing is changed. */
export async function planMove(source: pg.Pool, target: pg.Pool): Promise<MovePlan> {
  const { rows } = await source.query<{ tenants: number; bytes: number; devices: number }>(
    `select (select count(*)::int from public.tenant) as tenants, pg_database_size(current_database()) as bytes,
       (select count(*)::int from public.device_route) as devices`,
  )
  const machines = await machinesOf(target)
  const obstacles: string[] = []
  // One after the other, on one connection of each pool: who is at work there besides is looked at.
  for (const [check, database] of [
    [expectAlone, source],
    [expectAlone, target],
    [expectEmpty, target],
    [checkServer, target],
    [expectMachines, target],
  ] as const)
    await check(database).catch((error: unknown) => obstacles.push(textOf(error)))
  return { ...rows[0]!, machines, obstacles: [...new Set(obstacles)] }
}

/**
 * Writes everything that one database holds into another, plain or distributed, which has to be empty. What the first holds stays
 * as it was, and files stay in their store. Throws a BackupFault.
 */
export async function moveTo(
  source: pg.Pool,
  target: pg.Pool,
  files: FileStore,
  say: (line: string) => void,
): Promise<Manifest> {
  const { obstacles } = await planMove(source, target)
  if (obstacles.length) throw new BackupFault(obstacles.join('\n'))
  const folder = await mkdtemp(path.join(tmpdir(), 'caretaker-move-'))
  try {
    const file = path.join(folder, 'everything.zip')
    await backUp({ owner: source, files }, file, { leaveFiles: true })
    const archive = await openArchive(file)
    try {
      await archive.check()
      const manifest = await readManifest(archive)
      await restore({ owner: target, files }, archive, manifest, { say })
      return manifest
    } finally {
      archive.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function textOf(error: unknown): string {
  if (error instanceof BackupFault || error instanceof SettingError) return error.message
  throw error
}
