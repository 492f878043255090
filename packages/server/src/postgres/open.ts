import type { Config } from '../config.ts'
import { SettingError } from '../config.ts'
import pg from 'pg'
import { findRunning, lockDataDir, startEmbedded } from './embedded.ts'

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
    return {
      url: embedded.url,
      own: true,
      stop: async () => {
        await embedded.stop()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}

/** For operators: the database of the running server, or the embedded one started for the length of a command. */
export async function joinDatabase(config: Config): Promise<OpenDatabase> {
  const running = config.databaseUrl ? undefined : await findRunning(config.dataDir)
  return running ? { url: running, own: false, stop: async () => {} } : openDatabase(config)
}

async function reach(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    const { message, code } = error as Error & { code?: string }
    throw new SettingError(
      `DATABASE_URL: the database cannot be reached (${message || code}). Check address, name and password.`,
    )
  } finally {
    await client.end().catch(() => {})
  }
}
