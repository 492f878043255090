import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { onTestFinished, test } from 'vitest'
import { setTimeout as sleep } from 'node:timers/promises'
import { topic } from '@caretaker/contract/mqtt/topics.ts'
import { readConfig } from './config.ts'
import { queueFlickTest, testLink } from './testing/device-link.ts'

/** The modules that can open a connection out of the process, and why each does not while outbound is off. */
const outgoing: Record<string, string> = {
  'cli/backup-folder.ts': 'does not run CARETAKER_BACKUP_AFTER',
  'cli/mosquitto.ts': 'runs the command that its caller gave',
  'connectors/brokers.ts': 'server.ts does not start it',
  'documentation/begin.ts': 'an example in the documentation',
  'features/single-sign-on/records.ts': 'routes.ts refuses the call, check-domains.ts checks nothing',
  'files/virus-scan.ts': 'the virus scanner of the installation itself',
  'files/store.ts': 'the object store of the installation itself',
  'idp/start.ts': 'the identity provider: sign-ins need it',
  'mail/deliver.ts': 'marks e-mails as not sent',
  'mqtt/broker-session.ts': 'readConfig refuses MQTT_URL',
  'postcodes/service.ts': 'readConfig removes the service',
  'postgres/bulletin.ts': 'the database',
  'postgres/embedded-program.ts': 'the database',
  'postgres/open.ts': 'the database',
  'postgres/pool.ts': 'the database',
  'tracing/export.ts': 'readConfig removes the collector',
  'webhooks/fetch.ts':
    'idp/sso-provider.ts and single-sign-on/routes.ts refuse before they use it; connectors/brokers.ts is not started',
  'webhooks/post.ts': 'webhooks/deliver.ts marks messages as not sent',
  'webhooks/reach.ts': 'looks up names of hosts; post.ts and brokers.ts use it',
}
/** Calls and packages that open connections, or run other programs. */
const opens =
  /(?<![\w.'`$\\{])fetch\((?!atOnce)|\b(?:net|tls)\.connect\(|\bhttps?\.(?:request|get)\(|from 'node:(?:https|dns\/promises|dgram)'|import\('nodemailer'\)|from 'mqtt'|new pg\.(?:Pool|Client)\(|flydrive\/drivers\/s3|exporter-\w+-otlp|\b(?:spawn|execFile)\(/

const root = import.meta.dirname
function sources(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name)
    if (entry.isDirectory()) return ['testing', 'migrations'].includes(entry.name) ? [] : sources(file)
    return file.endsWith('.ts') && !file.endsWith('.test.ts') ? [file] : []
  })
}

test('every module that opens connections is known, with what it does while CARETAKER_OUTBOUND is off', () => {
  const found = sources('').filter((file) => opens.test(readFileSync(path.join(root, file), 'utf8')))
  assert.deepEqual(found.sort(), Object.keys(outgoing).sort())
})

test('with CARETAKER_OUTBOUND=off no setting leads to another host, except those that an installation cannot work without', () => {
  const given = {
    CARETAKER_OUTBOUND: 'off',
    CARETAKER_RESET_URL: 'https://reset.test/',
    MAP_STYLE_URL: 'https://style.test/style',
    MAP_ROADMAP_TILES: 'https://road.test/{z}/{x}/{y}.png',
    MAP_SATELLITE_TILES: 'https://satellite.test/{z}/{x}/{y}.png',
    MAP_HOSTS: 'https://glyphs.test',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.test',
    POSTCODE_SERVICE: 'os-places',
    POSTCODE_SERVICE_KEY: 'key',
    POSTCODE_SERVICE_URL: 'https://postcodes.test',
  }
  const hosts = (env: Record<string, string>) => JSON.stringify(readConfig(env)).match(/\w+\.test/g) ?? []
  assert.deepEqual(hosts(given), [])
  const on = new Set(hosts({ ...given, CARETAKER_OUTBOUND: 'on' }))
  assert.deepEqual(on.size, 7)
  assert.throws(() => readConfig({ CARETAKER_OUTBOUND: 'off', MQTT_URL: 'mqtt://broker.test' }), /Unset MQTT_URL/)
})

test('with CARETAKER_OUTBOUND=off a device that connects gets no commands: they stay pending', async () => {
  const world = await testLink({ CARETAKER_OUTBOUND: 'off', CARETAKER_DEMO: 'off' })
  onTestFinished(() => world.close())
  await world.addTenant('north')
  const device = await world.addDevice('north', { product: 'EM' })
  const client = await world.connect(device)
  const received: string[] = []
  client.on('message', (name) => received.push(name))
  await client.subscribeAsync(topic(device.id, 'commands'), { qos: 1 })
  await queueFlickTest(world.database, device)
  await sleep(500)
  assert.deepEqual(received, [])
  assert.equal((await world.rows('select from command_outbox where device_id = $1', [device.id])).length, 1)
})
