import { stateDocumentation } from '@caretaker/rules/messages/state-documentation.ts'
import { metrics } from '@caretaker/rules/telemetry/metrics.ts'
import { mostReadings } from '@caretaker/rules/telemetry/readings.ts'
import type { WebhookEvent } from '@caretaker/rules/webhooks/webhooks.ts'
import { eventTexts, trialEvent, webhookEvents } from '@caretaker/rules/webhooks/webhooks.ts'
import { ChangeEvent, streamChanges } from './changes.ts'
import type { Json } from './json-schemas.ts'
import { components, json, reachable } from './json-schemas.ts'
import { CommandMessage, Event, Reply, State, Test } from './mqtt/payloads.ts'
import { topic } from './mqtt/topics.ts'
import type { Channel } from './mqtt/topics.ts'
import { sampleOf } from './sample.ts'
import { webhookMessage } from './webhooks.ts'

/** Facts about the installation that the document contains. */
export interface MessagingInstallation {
  version: string
  /** The address that users open, without a trailing slash. */
  origin: string
  /** The address for devices: `mqtts://host:port`. */
  mqttUrl: string
}

const at = 1_770_000_000_000
const id = '5f2b2c1e-6f5c-4f0e-9a53-0c7d6f3c1b11'

/** Examples of the payloads by channel. The server accepts each of them as a whole. */
export const deviceExamples: Readonly<Record<Channel, readonly unknown[]>> = {
  telemetry: [
    { ts: at, values: { temperature: 20.5, humidity: 48 } },
    [
      { ts: at - 60_000, values: { batteryVoltage: 3.61 } },
      { ts: at, values: { batteryVoltage: 3.6 } },
    ],
  ],
  state: [
    { firmware: '1.4', networkJoined: true },
    { mains: true, mainsSince: at, batteryFull: false },
    { relays: { 1: true, 2: false } },
    { faultCode: 'None', fault: null },
  ],
  events: [{ eventId: id, start: at, severity: 'High', category: 'Boiler', description: 'No ignition' }],
  tests: [
    { eventId: id, testType: 'T0', start: at, componentStates: {}, series: [] },
    {
      ...{ eventId: id, testType: 'T0', start: at, result: 'Passed', componentStates: { Battery: 'Ok', Lamp: 'Ok' } },
      series: [{ seconds: 0, batteryVoltage: 3.6, lampPower: 3 }],
    },
  ],
  replies: [
    { commandId: id, status: 'confirmed' },
    { commandId: id, status: 'failed', message: 'The lamp is inhibited.' },
  ],
  commands: [{ commandId: id, name: 'runTest', args: { testType: 'T0' }, expiresAt: at + 900_000 }],
}

const summaries: Readonly<Record<Channel, string>> = {
  telemetry: `Measurements of one instant, or up to ${mostReadings} of them.`,
  state: 'Reported state. Each field replaces the stored value of that field.',
  events: 'An event, or the end of an event that was reported before.',
  tests: 'The start or the end of a test of an emergency light.',
  replies: 'The result of a command.',
  commands: 'A command for the device. It is repeated until the device replies or it expires.',
}

const channels = Object.keys(summaries) as Channel[]
const title = (name: string) => name[0]!.toUpperCase() + name.slice(1)
const messageName = (event: WebhookEvent) =>
  title(event).replaceAll(/\.(\w)/g, (_, letter: string) => letter.toUpperCase())
const ref = (...path: string[]) => ({ $ref: `#/${path.map((part) => part.replaceAll('/', '~1')).join('/')}` })

/**
 * The device link, the stream of changes and the webhooks as an AsyncAPI 3 document, from the server's point of view.
 */
export function asyncapi({ version, origin, mqttUrl }: MessagingInstallation): Json {
  const [web, mqtt] = [new URL(origin), new URL(mqttUrl)]
  const schemas = components()
  const messages = { ...deviceMessages(), ...streamMessages(schemas), ...webhookMessages(schemas) }
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Caretaker messages',
      version,
      description:
        'Messages of devices over MQTT, the stream of changes (server-sent events), and webhooks. The calls of the API are in /api/openapi.json.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      deviceLink: {
        ...{ host: mqtt.host, protocol: mqtt.protocol.slice(0, -1), protocolVersion: '5.0' },
        description: 'MQTT 3.1.1 or 5. The user name is the id of the device, the password its key.',
        security: [ref('components', 'securitySchemes', 'deviceKey')],
      },
      portal: {
        ...{ host: web.host, protocol: web.protocol.slice(0, -1) },
        description: 'The portal.',
        security: [ref('components', 'securitySchemes', 'bearer')],
      },
    },
    channels: {
      ...Object.fromEntries(channels.map((channel) => [channel, deviceChannel(channel)])),
      changes: {
        address: streamChanges.path,
        title: 'Stream of changes',
        servers: [ref('servers', 'portal')],
        parameters: { tenant: { description: 'The id of the client.' } },
        messages: { Changes: ref('components', 'messages', 'Changes') },
      },
      webhooks: {
        // The client sets the address when it adds an endpoint.
        address: null,
        title: 'Webhooks',
        messages: Object.fromEntries(
          events.map((event) => [messageName(event), ref('components', 'messages', messageName(event))]),
        ),
      },
    },
    operations: operations(),
    components: {
      messages,
      schemas: reachable(schemas, messages),
      securitySchemes: {
        deviceKey: { type: 'userPassword', description: 'The id of the device and its key.' },
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key or an access token.' },
      },
    },
  }
}

const events: readonly WebhookEvent[] = [...webhookEvents, trialEvent]

function deviceChannel(channel: Channel): Json {
  return {
    address: topic('{deviceId}', channel),
    title: title(channel),
    servers: [ref('servers', 'deviceLink')],
    parameters: {
      deviceId: { description: 'The id of the device: its own, or that of a device connected through it.' },
    },
    messages: { [title(channel)]: ref('components', 'messages', title(channel)) },
  }
}

function operations(): Json {
  const ofDevices = channels.map((channel) => {
    const action = channel === 'commands' ? 'send' : 'receive'
    const operation = {
      ...{ action, channel: ref('channels', channel), summary: summaries[channel] },
      messages: [ref('channels', channel, 'messages', title(channel))],
      bindings: { mqtt: { qos: 1, retain: false, bindingVersion: '0.2.0' } },
    }
    return [`${action}${title(channel)}`, operation]
  })
  return {
    ...(Object.fromEntries(ofDevices) as Json),
    sendChanges: {
      ...{ action: 'send', channel: ref('channels', 'changes'), summary: streamChanges.summary },
      messages: [ref('channels', 'changes', 'messages', 'Changes')],
      bindings: { http: { method: 'GET', bindingVersion: '0.3.0' } },
    },
    sendWebhooks: {
      ...{ action: 'send', channel: ref('channels', 'webhooks') },
      summary: 'Events for the endpoints that subscribe to them, signed, and retried for three days.',
      messages: events.map((event) => ref('channels', 'webhooks', 'messages', messageName(event))),
      bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
    },
  }
}

const payloads: Readonly<Record<Exclude<Channel, 'telemetry' | 'state'>, unknown>> = {
  ...{ events: Event, tests: Test, replies: Reply, commands: CommandMessage },
}

function deviceMessages(): Json {
  const payloadOf = (channel: Channel) =>
    channel === 'telemetry' ? telemetry() : channel === 'state' ? state() : json(payloads[channel], 'input')
  return Object.fromEntries(
    channels.map((channel) => [
      title(channel),
      {
        ...{ name: title(channel), title: title(channel), summary: summaries[channel] },
        payload: payloadOf(channel),
        examples: deviceExamples[channel].map((payload) => ({ payload })),
      },
    ]),
  )
}

function telemetry(): Json {
  const values = Object.entries(metrics).map(([name, { label, unit, min, max }]) => {
    return [name, { type: 'number', minimum: min, maximum: max, description: unit ? `${label}, in ${unit}` : label }]
  })
  const reading = {
    type: 'object',
    properties: {
      ts: { type: 'integer', description: 'Milliseconds since 1970; the time of receipt by default.' },
      values: {
        type: 'object',
        properties: Object.fromEntries(values) as Json,
        additionalProperties: { type: 'number' },
      },
    },
    required: ['values'],
  }
  return { anyOf: [reading, { type: 'array', items: reading, maxItems: mostReadings }] }
}

/** The JSON type of each documented type that corresponds to exactly one. */
const stateTypes: Readonly<Record<string, string>> = {
  ...{ boolean: 'boolean', text: 'string', '°C': 'number', 'ms since 1970': 'integer' },
}

function state(): Json {
  const fields = Object.entries(stateDocumentation).map(([name, { of, type, meaning, effect }]) => {
    const known = stateTypes[type]
    const description = `${title(meaning)} (${of}). Effect: ${effect}.${known ? '' : ` Type: ${type}.`}`
    return [name, { ...(known && { type: known }), description }]
  })
  return { ...json(State, 'input'), properties: Object.fromEntries(fields) as Json }
}

function streamMessages(schemas: Json): Json {
  const payload = json(ChangeEvent, 'output')
  const summary =
    'Changes, limited to what the caller may see. The id of the event is a position from which the stream can continue.'
  const contentType = 'text/event-stream'
  const examples = [{ payload: sampleOf(payload, schemas) }]
  return { Changes: { name: 'Changes', title: 'Changes', summary, contentType, payload, examples } }
}

const signed = {
  type: 'object',
  properties: {
    'webhook-id': { type: 'string', description: 'The same for every attempt to send the message.' },
    'webhook-timestamp': { type: 'string', description: 'The time of this attempt, in seconds since 1970.' },
    'webhook-signature': {
      type: 'string',
      description: '`v1,` followed by the HMAC-SHA256 of `id.timestamp.body` in Base64.',
    },
  },
  required: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
}

function webhookMessages(schemas: Json): Json {
  return Object.fromEntries(
    events.map((event) => {
      const payload = json(webhookMessage(event), 'output')
      const summary = event === trialEvent ? 'A test message that a user sent.' : `${eventTexts[event]}.`
      const examples = [{ payload: sampleOf(payload, schemas, { tenant: 'northgate' }) }]
      return [messageName(event), { name: event, title: event, summary, headers: signed, payload, examples }]
    }),
  )
}
