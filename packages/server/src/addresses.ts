import type pg from 'pg'
import type { Config } from './config.ts'
import { withOrigin } from './config.ts'
import { addressForDevices } from './mqtt/device-keys.ts'

/** The addresses where people and devices reach an installation. */
export interface Addresses {
  origin: string
  /** `mqtts://host:port` */
  mqtt: string
}

/**
 * Stored next to the signing keys, which all processes of an installation share and every command on its database can
 * read.
 */
const name = 'addresses'

/** Stores the addresses of a process that answers calls, so that commands use the same ones wherever they run. */
export async function storeAddresses(owner: pg.Pool, config: Config): Promise<void> {
  const addresses = { origin: config.origin, mqtt: addressForDevices(config) }
  await owner.query(
    `insert into idp.secret (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value`,
    [name, addresses],
  )
}

/** Deletes the addresses from a backup: they belong to another installation until this one has started. */
export async function forgetAddresses(owner: pg.Pool): Promise<void> {
  await owner.query('delete from idp.secret where name = $1', [name])
}

/** The addresses of the last process that answered calls; undefined if none has yet. */
export async function storedAddresses(owner: pg.Pool): Promise<Addresses | undefined> {
  const { rows } = await owner.query<{ value: Addresses }>('select value from idp.secret where name = $1', [name])
  return rows[0]?.value
}

/**
 * The configuration of a process that does not run `api`: its origin is that of the `api` processes, unless a setting
 * names one.
 */
export async function withStoredOrigin(config: Config, owner: pg.Pool): Promise<Config> {
  if (config.originGiven || config.parts.includes('api')) return config
  const stored = await storedAddresses(owner)
  return stored ? withOrigin(config, stored.origin) : config
}

const unknown =
  'The address of this installation is not known yet: links are printed without it. Set CARETAKER_ORIGIN to the address that people use, or start the server once, which stores it.'

/**
 * The configuration of a command: its own settings name the addresses, otherwise those of the installation are used,
 * never the defaults of a server in this shell. If the origin is unknown it is empty, so that no command returns a
 * wrong one, and the first command that reads it reports that.
 */
export function withInstalledAddresses(
  config: Config,
  installed: Addresses | undefined,
  report: (line: string) => void,
): Config {
  const publicUrl = config.mqtt.publicUrl ?? (config.mqttUrl ? undefined : installed?.mqtt)
  const known = { ...config, mqtt: { ...config.mqtt, publicUrl } }
  if (config.originGiven) return known
  if (installed) return withOrigin(known, installed.origin)
  let isReported = false
  return Object.defineProperty(known, 'origin', {
    get: () => {
      if (!isReported) report(unknown)
      isReported = true
      return ''
    },
  })
}
