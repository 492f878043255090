import type { Config } from '../config.ts'
import { SettingError } from '../config.ts'
import { existsSync } from 'node:fs'
import pg from 'pg'
import { findRunning, lockDataDir, startEmbedded } from './embedded.ts'
import { placesIn } from './embedded-places.ts'
import { runningInstallations, registerRunning } from './installations.ts'

export interface OpenDatabase {
  url: string
  /** Whether this process started the database: its schema is then migrated without asking. */
  own: boolean
  stop(): Promise<void>
}

/**
 * Opens the configured database: an organisation's own, or the embedded one of the data folder, which commands find unless
 * it is hidden.
 */
export async function openDatabase(config: Config, { isHidden = false } = {}): Promise<OpenDatabase> {
  if (config.databaseUrl) {
    await reach(config.databaseUrl)
    return { url: config.databaseUrl, own: false, stop: async () => {} }
  }
  const unlock = lockDataDir(config.dataDir)
  try {
    const embedded = await startEmbedded(config.dataDir)
    const unregister = isHidden ? () => {} : registerRunning(config.dataDir)
    return {
      url: embedded.url,
      own: true,
      stop: async () => {
        unregister()
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
 * Opens the database for an operator's command: the configured one, the one of the server running here, or the
 * embedded one, started for the duration of the command. `report` receives a line that names it. Never creates a
 * database: only the first start of the server does.
 */
export async function joinDatabase(
  config: Config,
  report: (line: string) => void,
): Promise<OpenDatabase & { dataDir: string }> {
  if (config.databaseUrl) {
    const { host, pathname } = new URL(config.databaseUrl)
    report(`Using the database ${decodeURIComponent(pathname.slice(1)) || 'postgres'} on ${host} (DATABASE_URL).`)
    return { ...(await openDatabase(config)), dataDir: config.dataDir }
  }
  const dataDir = findInstallation(config)
  const running = await findRunning(dataDir)
  report(`Using the ${running ? 'running ' : ''}installation in ${dataDir}.`)
  const database = running
    ? { url: running, own: false, stop: async () => {} }
    : await openDatabase({ ...config, dataDir })
  return { ...database, dataDir }
}

/** The folder named by CARETAKER_DATA; if unset, the existing one or that of the only running server. */
function findInstallation(config: Config): string {
  const { dataDir, dataDirGiven } = config
  const running = runningInstallations()
  if (running.includes(dataDir)) return dataDir
  const choose = 'Set CARETAKER_DATA to its data folder, or DATABASE_URL to its database'
  if (!dataDirGiven && running.length === 1) return running[0]!
  if (!dataDirGiven && running.length > 1)
    throw new SettingError(`Several installations are running here, in ${running.join(' and in ')}. ${choose}.`)
  if (isInstallation(dataDir)) return dataDir
  const elsewhere = running.length ? ` (running: ${running.join(', ')})` : ''
  throw new SettingError(`There is no installation in ${dataDir}${elsewhere}. ${choose}, or start the server first.`)
}

const isInstallation = (dataDir: string) => existsSync(placesIn(dataDir, dataDir).cluster)

/** Throws a SettingError if no database responds at an address; `what` names the setting. */
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
