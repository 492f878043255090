import pino from 'pino'
import { Registry } from 'prom-client'
import { readConfig } from '../config.ts'
import { openStore } from '../files/store.ts'
import { startDeviceLink } from '../mqtt/device-link.ts'
import { startEmbedded } from '../postgres/embedded.ts'
import { migrate } from '../postgres/migrate.ts'
import { openDb, openPool } from '../postgres/pool.ts'

/**
 * Runs the device link and its database as a separate process that tests can kill: `link-server.ts FOLDER PORT
 * [MQTT_URL]`, with a database address instead of the folder if wanted.
 */
const [folder = '', port = '0', mqttUrl] = process.argv.slice(2)

export interface LinkServerReady {
  url: string
  /** The port of the embedded broker; 0 with an external one. */
  port: number
}

const url = URL.canParse(folder) ? folder : (await startEmbedded(folder)).url
const owner = openPool(url, 'owner', 3)
await migrate(owner)
const config = readConfig({ MQTT_PORT: port, CARETAKER_DATA: folder, MQTT_URL: mqttUrl })
const db = openDb(openPool(url, 'app', 8))
const link = await startDeviceLink({
  config,
  owner,
  idp: owner,
  files: openStore(config),
  db,
  anonymousDb: db,
  log: pino({ level: process.env.CARETAKER_TEST_LOG ?? 'silent' }),
  metrics: new Registry(),
})
process.send!({ url, port: link.port ?? 0 } satisfies LinkServerReady)
process.on('message', () => void link.stop().then(() => process.exit(0)))
