import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { SettingError } from '../config.ts'
import { readIfThere } from './data-folder.ts'
import type { Places } from './embedded-places.ts'
import { bundledPrograms } from './embedded-program.ts'
import { isAlive, programOf, startOf, workingFolderOf } from './processes.ts'

export interface RunningServer {
  pid: number
  port: number
  /** Distinguishes the process from a later one with the same id. */
  start: string | undefined
}

/** How long a server of an earlier start may take to respond, or its last processes to end, in ms. */
export const patience = 30_000

export function urlOf(places: Places, { port }: { port: number }): string {
  return `postgres://app:${fs.readFileSync(places.passwordFile, 'utf8')}@127.0.0.1:${port}/postgres`
}

/**
 * The server named in the pid file, if it is ours: its process is alive, accepts our password and works in our
 * folder. Waits while it starts up or shuts down.
 */
export async function runningServer(places: Places): Promise<RunningServer | undefined> {
  const deadline = performance.now() + patience
  for (;;) {
    const named = readPidFile(places)
    if (!named || !isAlive(named.pid) || !fs.existsSync(places.passwordFile)) return undefined
    if ((programOf(named.pid) ?? 'postgres') !== 'postgres') return undefined
    const answer = await askDataFolder(urlOf(places, named))
    if (answer.folder) return sameFolder(answer.folder, places.cluster) ? named : undefined
    const workingFolder = workingFolderOf(named.pid)
    if (workingFolder && !sameFolder(workingFolder, places.cluster)) return undefined
    if (answer.wrongPassword || performance.now() > deadline) {
      throw new SettingError(
        `The PostgreSQL left over in ${places.cluster} (process ${named.pid}) ` +
          `${answer.wrongPassword ? `rejects the password in ${places.passwordFile}` : 'does not respond'}:  ` +
          `end it with "kill -INT ${named.pid}" and start again`,
      )
    }
    await sleep(50)
  }
}

/** Line 1 is the process id, line 4 the port, line 8 the state (miscadmin.h of PostgreSQL, LOCK_FILE_LINE_…). */
export function readPidFile(places: Places): (RunningServer & { ready: boolean }) | undefined {
  const lines = readIfThere(places.pidFile)?.split('\n')
  if (!lines) return undefined
  const pid = Number(lines[0])
  return { pid, port: Number(lines[3]), start: startOf(pid), ready: lines[7]?.trim() === 'ready' }
}

/** The data folder of the server at this address, if it accepts our password. */
async function askDataFolder(url: string): Promise<{ folder?: string; wrongPassword?: boolean }> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000, query_timeout: 2000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ folder: string }>(`select current_setting('data_directory') as folder`)
    return { folder: rows[0]!.folder }
  } catch (error) {
    return { wrongPassword: (error as { code?: string }).code === '28P01' }
  } finally {
    await client.end().catch(() => {})
  }
}

function sameFolder(one: string, other: string): boolean {
  const [first, second] = [one, other].map((folder) => fs.statSync(folder, { throwIfNoEntry: false }))
  return !!first && !!second && first.ino === second.ino && first.dev === second.dev
}

export async function stopServer(places: Places, server: RunningServer): Promise<void> {
  const runs = () => isAlive(server.pid) && startOf(server.pid) === server.start
  if (!runs()) return
  if (process.platform === 'win32') {
    // Windows has no signals; pg_ctl uses its own mechanism.
    const args = ['stop', '-D', places.cluster, '-m', 'fast']
    spawnSync(bundledPrograms().path('pg_ctl'), args, { windowsHide: true })
  } else {
    process.kill(server.pid, 'SIGINT')
  }
  while (runs()) await sleep(10)
}
