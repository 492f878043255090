import { randomBytes } from 'node:crypto'
import { demoId } from '../chance.ts'
import { demoDevices, demoIntegrations } from '../fixtures.ts'
import type { Seeder } from '../seeding.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const [light, boiler] = [demoDevices.livelyLight, demoDevices.boilerLockout]
/** The deliveries before the webhook was disabled: how many hours ago, the device and the result. */
const deliveries = [
  { hours: 52, event: 'test.finished', device: light, data: { test: { testType: 'T0', result: 'Passed' } } },
  { hours: 51, event: 'device.connectionChanged', device: boiler, data: { from: 'NotConnected', to: 'Connected' } },
  { hours: 50.5, event: 'command.ended', device: light, data: { command: { name: 'runTest', status: 'confirmed' } } },
  { hours: 50, event: 'fault.began', device: boiler, data: { fault: { source: 'boiler', code: 'EA' } }, fails: true },
  { hours: 49.8, event: 'fault.ended', device: boiler, data: { fault: { source: 'boiler', code: 'EA' } } },
] as const

/**
 * Creates a key and a webhook for one client. The secret of the key is unknown; the webhook is disabled, so that nothing leaves the
 * machine.
 */
export const seedIntegrations: Seeder = async ({ client, write, world: { plan }, now }) => {
  if (plan.id !== demoIntegrations.tenant) return
  const id = (what: string) => demoId(`${plan.id} ${what}`)
  const ago = (ms: number) => new Date(now - ms)
  const by = 'Priya Nair'
  const { apiKey, webhook } = demoIntegrations
  await client.query(
    `insert into person (id, issuer, subject, email, name) values ($1, 'api key', $2, '', $3) on conflict do nothing`,
    [id('api key person'), id('api key'), `${apiKey} (API key)`],
  )
  await write(
    'api_key',
    [
      'id',
      'person_id',
      'name',
      'key_hash',
      'role',
      'tag_ids',
      'created_at',
      'created_by',
      'expires_at',
      'last_used_at',
    ],
    [
      [
        ...[id('api key'), id('api key person'), apiKey, `\\x${randomBytes(32).toString('hex')}`, 'Guest', '{}'],
        ...[ago(40 * day), by, ago(-140 * day), ago(25 * minute)],
      ],
    ],
  )
  await write(
    'webhook_endpoint',
    ['id', 'url', 'name', 'events', 'secret', 'created_at', 'created_by', 'disabled_at', 'disabled_reason'],
    [
      [
        ...[id('webhook'), `https://desk.${plan.id}.example/caretaker`, webhook],
        ...[
          `{${[...new Set(deliveries.map(({ event }) => event))].join()}}`,
          `whsec_${randomBytes(32).toString('base64')}`,
        ],
        ...[ago(30 * day), by, ago(2 * day), `${by} disabled it.`],
      ],
    ],
  )
  const messages = deliveries.map((one, at) => ({ ...one, id: id(`webhook message ${at}`), at: ago(one.hours * hour) }))
  await write(
    'webhook_message',
    ['id', 'event', 'at', 'written_at', 'body'],
    messages.map(({ id: messageId, event, at, device, data }) => [
      ...[messageId, event, at, at],
      JSON.stringify({
        ...{ type: event, timestamp: at.toISOString(), tenant: plan.id },
        data: { device: { id: device.deviceId, serial: device.serial }, ...data },
      }),
    ]),
  )
  await write(
    'webhook_delivery',
    [
      'endpoint_id',
      'message_id',
      'at',
      'state',
      'attempts',
      'tried_at',
      'status_code',
      'fault',
      'answer',
      'duration_ms',
    ],
    messages.map((one, n) => {
      const fails = 'fails' in one
      return [
        ...[id('webhook'), one.id, one.at, fails ? 'failed' : 'delivered', fails ? 4 : 1, one.at],
        ...[fails ? 503 : 200, fails ? 'It responded 503.' : null, fails ? 'Down for maintenance' : '', 84 + 31 * n],
      ]
    }),
  )
}
