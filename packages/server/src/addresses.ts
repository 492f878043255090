import type pg from 'pg'
import type { Config } from './config.ts'
import { withOrigin } from './config.ts'
import { addressForDevices } from './mqtt/device-keys.ts'

/** Where people and devices reach an installation. */
export interface Addresses {
  origin: string
  /** `mqtts://host:port` */
  mqtt: string
}

/** Beside the signing keys: what all processes of an installation share, and every command on its database can read. */
const name = 'addresses'

/** Stores the addresses of a process that answers calls, so that commands give out the same ones wherever they run. */
export async function storeAddresses(owner: pg.Pool, config: Config): Promise<void> {
  const addresses = { origin: config.origin, mqtt: addressForDevices(config) }
  await owner.query(
    `insert into idp.secret (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value`,
    [name, addresses],
  )
}

/** Forgets the addresses that came with a backup: they are those of another installation until this one has started. */
export async function forgetAddresses(owner: pg.Pool): Promise<void> {
  await owner.query('delete from idp.secret where name = $1', [name])
}

/** Those of the last process that answered calls; undefined where none has yet. */
export async function storedAddresses(owner: pg.Pool): Promise<Addresses | undefined> {
  const { rows } = await owner.query<{ value: Addresses }>('select value from idp.secret where name = $1', [name])
  return rows[0]?.value
}

/** The configuration of a process without `api`: unless a setting names the origin, it is that of the processes with it. */
export async function withStoredOrigin(config: Config, owner: pg.Pool): Promise<Config> {
  if (config.originGiven || config.parts.includes('api')) return config
  const stored = await storedAddresses(owner)
  return stored ? withOrigin(config, stored.origin) : config
}

const unknown =
  'The address of this installation is not known yet: links are printed without it. Set CARETAKER_ORIGIN to the address that people use, or start the server once, which stores it.'

/**
 * The configuration of a command: its own settings name the addresses, else those of the installation count, not those that a
 * server would have in this shell. Where nobody knows the origin it is empty, so that no command gives out a wrong one, and the
 * first command that reads it says so.
 */
export function withInstalledAddresses(
  config: Config,
  installed: Addresses | undefined,
  say: (line: string) => void,
): Config {
  const publicUrl = config.mqtt.publicUrl ?? (config.mqttUrl ? undefined : installed?.mqtt)
  const known = { ...config, mqtt: { ...config.mqtt, publicUrl } }
  if (config.originGiven) return known
  if (installed) return withOrigin(known, installed.origin)
  let isSaid = false
  return Object.defineProperty(known, 'origin', {
    get: () => {
      if (!isSaid) say(unknown)
      isSaid = true
      return ''
    },
  })
}
