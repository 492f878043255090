import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import path from 'node:path'
import type pg from 'pg'
import { startEmbedded } from '@caretaker/server/postgres/embedded.ts'
import { openTestServer } from '@caretaker/server/testing/nodes.ts'

/** Options of benchmarks that can run on your own Postgres, distributed or not. */
export const ownServer = { server: { type: 'string' }, machines: { type: 'string' } } as const

/**
 * Settings for a database larger than the demo, as in `docs/operations.md`: sized for the machine's memory, with few checkpoints.
 */
export const ofItsSize = {
  shared_buffers: `${Math.round(totalmem() / 4 / 1024 ** 2)}MB`,
  max_wal_size: '8GB',
  min_wal_size: '4GB',
  checkpoint_timeout: '15min',
}

/** The number of WAL files that a database keeps after some checkpoints. */
const filesKept = 240

/**
 * Creates the WAL files that a running database has and reuses. A new database first fills each file with zeros, and commits wait
 * for that.
 */
export async function withItsFiles(owner: pg.Pool): Promise<void> {
  for (let file = 0; file < filesKept; file++)
    await owner.query(`select pg_logical_emit_message(false, 'bench', ''), pg_switch_wal()`)
  await owner.query('checkpoint')
}

interface Choice {
  server?: string | undefined
  machines?: string | undefined
  /** The folder that keeps the embedded database for later runs. */
  kept?: string | undefined
  /** Settings of the embedded database, in addition to its own. */
  settings?: Readonly<Record<string, string>> | undefined
}

/** Runs `work` with the address of a database, embedded or an empty one on the given server, and a folder for its files. */
export async function inDatabase(
  { server: url, machines, kept, settings }: Choice,
  work: (place: { url: string; folder: string }) => Promise<void>,
): Promise<void> {
  const folder = kept ?? mkdtempSync(path.join(tmpdir(), 'caretaker-bench-'))
  mkdirSync(folder, { recursive: true })
  // The database may run as another user.
  chmodSync(folder, 0o755)
  try {
    if (!url) {
      const embedded = await startEmbedded(folder, settings)
      try {
        return await work({ url: embedded.url, folder })
      } finally {
        await embedded.stop()
      }
    }
    // The default shard count of Citus.
    const server = await openTestServer(url, { pieces: 32, ...(machines && { machines: Number(machines) }) })
    const name = `bench_${randomBytes(4).toString('hex')}`
    await server.create(name)
    const database = new URL(url)
    database.pathname = `/${name}`
    try {
      await work({ url: database.href, folder })
    } finally {
      await server.drop(name)
      await server.close()
    }
  } finally {
    if (!kept) rmSync(folder, { recursive: true, force: true })
  }
}
