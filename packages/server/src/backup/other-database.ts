import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type pg from 'pg'
import { SettingError } from '../config.ts'
import type { FileStore } from '../context.ts'
import { applicationRole, identityRole } from '../migrations/tenant-table.ts'
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
    [expectReady, target],
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

const isDistributed = async (database: pg.Pool) =>
  Boolean((await database.query(`select from pg_extension where extname = 'citus'`)).rowCount)

async function machinesOf(database: pg.Pool): Promise<string[]> {
  if (!(await isDistributed(database))) {
    const { host, port } = database.options
    return [`${host ?? new URL(database.options.connectionString!).hostname}:${port ?? 5432}`]
  }
  const { rows } = await database.query<{ machine: string }>(
    `select nodename || ':' || nodeport as machine from pg_dist_node where isactive and shouldhaveshards order by 1`,
  )
  return rows.map(({ machine }) => machine)
}

/** Each machine of a distributed database has to answer, know the product's roles and take part in common transactions. */
async function expectReady(database: pg.Pool): Promise<void> {
  if (!(await isDistributed(database))) return
  const { rows: machines } = await database.query<{ machine: string; success: boolean; result: string }>(
    `select nodename || ':' || nodeport as machine, success, result
     from run_command_on_all_nodes($$
       select (select count(*) from pg_roles where rolname in ('${applicationRole}', '${identityRole}') and rolcanlogin)
         || ' ' || current_setting('max_prepared_transactions') $$)
     join pg_dist_node using (nodeid)`,
  )
  const { rows: workers } = await database.query('select from pg_dist_node where groupid <> 0')
  const wrong = machines.flatMap(({ machine, success, result }) => {
    if (!success) return [`${machine} does not answer: ${result}`]
    const [roles, transactions] = result.split(' ')
    return [
      ...(roles === '2' ? [] : [`${machine} lacks ${applicationRole} or ${identityRole}, or they cannot log in.`]),
      ...(transactions === '0'
        ? [`${machine} has max_prepared_transactions = 0: no transaction can span machines.`]
        : []),
    ]
  })
  if (!workers.length) wrong.push('The database has Citus and no machine but its coordinator: citus_add_node first.')
  if (wrong.length) throw new BackupFault(wrong.join('\n'))
}

function textOf(error: unknown): string {
  if (error instanceof BackupFault || error instanceof SettingError) return error.message
  throw error
}
