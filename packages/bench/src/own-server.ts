import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import path from 'node:path'
import type pg from 'pg'
import { startEmbedded } from '@caretaker/server/postgres/embedded.ts'
import { openTestServer } from '@caretaker/server/testing/nodes.ts'

/** Options of benches that can be run on a Postgres of one's own, distributed or not. */
export const ownServer = { server: { type: 'string' }, machines: { type: 'string' } } as const

/** Of a database that holds more than the demo, as `docs/operations.md` has it: by its machine's memory, and few checkpoints. */
export const ofItsSize = {
  shared_buffers: `${Math.round(totalmem() / 4 / 1024 ** 2)}MB`,
  max_wal_size: '8GB',
  min_wal_size: '4GB',
  checkpoint_timeout: '15min',
}

/** WAL files that a database has after some checkpoints: as many as it keeps. */
const filesKept = 240

/**
 * Gives a new embedded database the WAL files of one that has been running, which writes those again that it is done with. A new one
 * fills each with zeros before it is written, and whoever commits waits for that.
 */
export async function withItsFiles(owner: pg.Pool): Promise<void> {
  for (let file = 0; file < filesKept; file++)
    await owner.query(`select pg_logical_emit_message(false, 'bench', ''), pg_switch_wal()`)
  await owner.query('checkpoint')
}

interface Choice {
  server?: string | undefined
  machines?: string | undefined
  /** The folder in which the embedded database is kept, and found again the next time. */
  kept?: string | undefined
  /** Of the embedded database, besides those that it has by itself. */
  settings?: Readonly<Record<string, string>> | undefined
}

/** Runs `work` with the address of a database, an embedded one or an empty one on the server that is named, and a folder for its files. */
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
    // As many pieces as Citus makes unless told otherwise.
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
