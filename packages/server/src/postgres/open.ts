import type { Config } from '../config.ts'
import { SettingError } from '../config.ts'
import { existsSync } from 'node:fs'
import pg from 'pg'
import { findRunning, lockDataDir, startEmbedded } from './embedded.ts'
import { placesIn } from './embedded-places.ts'
import { runningInstallations, sayRunning } from './installations.ts'

export interface OpenDatabase {
  url: string
  /** Of this process alone, which started it: its schema is brought to the newest without being asked. */
  own: boolean
  stop(): Promise<void>
}

/** The database that the configuration names: an organisation's own, or the embedded one of the data folder. */
export async function openDatabase(config: Config): Promise<OpenDatabase> {
  if (config.databaseUrl) {
    await reach(config.databaseUrl)
    return { url: config.databaseUrl, own: false, stop: async () => {} }
  }
  const unlock = lockDataDir(config.dataDir)
  try {
    const embedded = await startEmbedded(config.dataDir)
    const sayNoMore = sayRunning(config.dataDir)
    return {
      url: embedded.url,
      own: true,
      stop: async () => {
        sayNoMore()
        await embedded.stop()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}

/**
 * For operators: the database that the settings name, or the one of the server that runs here; the embedded one of a data folder
 * is started for the length of a command. `say` is told which it is. Refuses to make a second one: what is not there yet is
 * made by the first start of the server alone.
 */
export async function joinDatabase(
  config: Config,
  say: (line: string) => void,
): Promise<OpenDatabase & { dataDir: string }> {
  if (config.databaseUrl) {
    const { host, pathname } = new URL(config.databaseUrl)
    say(`Using the database ${decodeURIComponent(pathname.slice(1)) || 'postgres'} on ${host} (DATABASE_URL).`)
    return { ...(await openDatabase(config)), dataDir: config.dataDir }
  }
  const dataDir = findInstallation(config)
  const running = await findRunning(dataDir)
  say(`Using the ${running ? 'running ' : ''}installation in ${dataDir}.`)
  const database = running
    ? { url: running, own: false, stop: async () => {} }
    : await openDatabase({ ...config, dataDir })
  return { ...database, dataDir }
}

/** The folder that CARETAKER_DATA names, or where that is not set, the one that is there or served by the one server that runs. */
function findInstallation(config: Config): string {
  const { dataDir, dataDirGiven } = config
  const running = runningInstallations()
  if (running.includes(dataDir)) return dataDir
  const choose = 'Set CARETAKER_DATA to its data folder, or DATABASE_URL to its database'
  if (!dataDirGiven && running.length === 1) return running[0]!
  if (!dataDirGiven && running.length > 1)
    throw new SettingError(`Several installations run here, in ${running.join(' and in ')}. ${choose}.`)
  if (isInstallation(dataDir)) return dataDir
  const elsewhere = running.length ? ` (running: ${running.join(', ')})` : ''
  throw new SettingError(`There is no installation in ${dataDir}${elsewhere}. ${choose}, or start the server first.`)
}

const isInstallation = (dataDir: string) => existsSync(placesIn(dataDir, dataDir).cluster)

/** Throws a SettingError when no database answers at an address; `what` names the address. */
export async function reach(url: string, what = 'DATABASE_URL'): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    const { message, code } = error as Error & { code?: string }
    throw new SettingError(
      `${what}: the database cannot be reached (${message || code}). Check address, name and password.`,
    )
  } finally {
    await client.end().catch(() => {})
  }
}
