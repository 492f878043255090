import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { SettingError } from '../config.ts'
import { explained, prepareDataFolder } from './data-folder.ts'
import { checkCluster, createCluster, isMissing, removeUnfinished } from './embedded-cluster.ts'
import { placesIn, type Places } from './embedded-places.ts'
import { bundledPrograms, chooseUser, run, type Programs, type RunAs } from './embedded-program.ts'
import { explainFullDisk, firstError } from './full-disk.ts'
import { isAlive } from './processes.ts'
import { patience, readPidFile, runningServer, stopServer, urlOf, type RunningServer } from './embedded-running.ts'

export { lockDataDir } from './data-folder.ts'

export interface Embedded {
  /** The address with the database superuser's password; local connections only. */
  url: string
  /** Whether the server was still running from an earlier start whose app was killed. */
  adopted: boolean
  /** Stops the server cleanly and waits until it has ended. Does nothing if it has ended already. */
  stop(): Promise<void>
}

/** Settings of the database server, by their Postgres names. */
type Settings = Readonly<Record<string, string>>

const settings: Settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '128MB',
  max_wal_size: '2GB',
  wal_compression: 'on',
  max_connections: '60',
  jit: 'off',
  autovacuum: 'on',
  max_logical_replication_workers: '0',
  // Statements and error details contain row values; personal data must not appear in logs.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
}

const logLimit = 4 * 1024 * 1024

/**
 * Starts the bundled PostgreSQL on the data folder, or adopts one that is still running there; the first start
 * creates the database. Requires `lockDataDir`, so that only one process creates it. Throws a SettingError that explains
 * what to do if the database cannot run here. `more` adds settings, for callers that use it from several processes.
 */
export async function startEmbedded(dataDir: string, more: Settings = {}): Promise<Embedded> {
  const places = placesIn(dataDir, prepareDataFolder(dataDir))
  try {
    const running = await runningServer(places)
    const all = { ...settings, ...more }
    if (running) return embedded(places, running, { adopted: true, settings: all })
    const programs = bundledPrograms()
    const runAs = chooseUser(programs, places.folder, places.cluster)
    removeUnfinished(places)
    if (isMissing(places.cluster)) await createCluster(places, programs, runAs)
    checkCluster(places, programs)
    return embedded(places, await launch(places, { programs, runAs, settings: all }), { adopted: false, settings: all })
  } catch (error) {
    throw explained(error, dataDir)
  }
}

/** The address of the server running on this data folder; undefined if there is none. */
export async function findRunning(dataDir: string): Promise<string | undefined> {
  if (!fs.existsSync(dataDir)) return undefined
  const places = placesIn(dataDir, fs.realpathSync(dataDir))
  try {
    const running = await runningServer(places)
    return running && urlOf(places, running)
  } catch (error) {
    throw explained(error, dataDir)
  }
}

function embedded(
  places: Places,
  first: RunningServer,
  { adopted, settings }: { adopted: boolean; settings: Settings },
): Embedded {
  let server = first
  let restart: Promise<unknown> | undefined
  /** The last logged reason for a failed restart: a lasting one, such as a full disk, is logged once. */
  let lastReason: string | undefined
  boundLog(places.log)
  // The server keeps appending, so the size limit is enforced from here.
  const keepingBound = setInterval(() => boundLog(places.log), 60_000).unref()
  // A killed database is restarted at the same address, so that the product needs no restart.
  const keepingAlive = setInterval(() => {
    if (restart || isAlive(server.pid)) return
    restart = relaunch(places, server.port, settings)
      .then((again) => {
        server = again
        lastReason = undefined
      })
      .catch((error: unknown) => {
        const why =
          explainFullDisk(error, { dataDir: places.dataDir }) ??
          (error instanceof Error ? error.message : String(error))
        if (why !== lastReason) process.stderr.write(`${why}\n`)
        lastReason = why
      })
      .finally(() => {
        restart = undefined
      })
  }, 500).unref()
  const stop = async () => {
    clearInterval(keepingBound)
    clearInterval(keepingAlive)
    await restart
    await stopServer(places, server)
  }
  return { url: urlOf(places, first), adopted, stop }
}

async function relaunch(places: Places, port: number, settings: Settings): Promise<RunningServer> {
  const programs = bundledPrograms()
  const runAs = chooseUser(programs, places.folder, places.cluster)
  return launch(places, { programs, runAs, settings, port })
}

interface Launch {
  programs: Programs
  runAs: RunAs
  settings: Settings
  /** A free port by default. */
  port?: number
}

async function launch(places: Places, how: Launch): Promise<RunningServer> {
  // The process in the pid file is not our server (see runningServer), but Postgres would accept any living process.
  fs.rmSync(places.pidFile, { force: true })
  const deadline = performance.now() + patience
  for (;;) {
    boundLog(places.log)
    const attempt = await tryLaunch(places, { ...how, port: how.port ?? (await freePort()) })
    if ('pid' in attempt) return attempt
    // Another process has taken the port, or the last backends of a killed server are still running.
    const passing = /could not create any TCP|pre-existing shared memory block/.test(attempt.complaint)
    if (!passing || performance.now() > deadline) {
      throw new SettingError(
        `PostgreSQL does not start in ${places.cluster}: ${firstError(attempt.complaint)} (see ${places.log}). ` +
          'If the folder is damaged, restore a backup into a new data folder (CARETAKER_DATA)',
      )
    }
    await sleep(200)
  }
}

async function tryLaunch(
  places: Places,
  { programs, runAs, settings, port }: Required<Launch>,
): Promise<RunningServer | { complaint: string }> {
  const log = fs.openSync(places.log, 'a', 0o600)
  const before = fs.fstatSync(log).size
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = run(programs.path('postgres'), ['-D', places.cluster, '-p', String(port), ...options], runAs, log)
  fs.closeSync(log)
  await once(child, 'spawn')
  while (child.exitCode === null && child.signalCode === null) {
    const named = readPidFile(places)
    if (named?.ready && named.pid === child.pid) {
      // It may outlive this process and does not keep it alive.
      child.unref()
      return named
    }
    await sleep(10)
  }
  return { complaint: fs.readFileSync(places.log).subarray(before).toString() }
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as net.AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Renames a full log to `.1`. The server appends and continues in the new file. */
function boundLog(log: string): void {
  if ((fs.statSync(log, { throwIfNoEntry: false })?.size ?? 0) <= logLimit) return
  try {
    fs.copyFileSync(log, `${log}.1`)
  } catch {
    // Most likely a full disk: free space matters more than the old log.
  }
  fs.truncateSync(log)
}
