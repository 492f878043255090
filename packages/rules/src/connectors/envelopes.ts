import { downlinkAddressOf } from './downlinks.ts'
import { readChirpStack } from './envelopes/chirpstack.ts'
import { readGenericJson } from './envelopes/generic-json.ts'
import { readThingsStack } from './envelopes/things-stack.ts'
import { readZigbee2Mqtt } from './envelopes/zigbee2mqtt.ts'
import type { ConnectionKind, Envelope, EnvelopeResult } from './types.ts'

const adapters: Record<ConnectionKind, (envelope: Envelope) => EnvelopeResult> = {
  chirpstack: readChirpStack,
  'the-things-stack': readThingsStack,
  zigbee2mqtt: readZigbee2Mqtt,
  'generic-json': readGenericJson,
}

/** Reads the sensor messages from a body, in the format of the given kind of connection. */
export function readEnvelope(kind: ConnectionKind, envelope: Envelope): EnvelopeResult {
  const result = adapters[kind](envelope)
  if (!('messages' in result)) return result
  const downlink = downlinkAddressOf(kind, envelope.topic, envelope.payload)
  if (!Object.keys(downlink).length) return result
  return {
    ...result,
    messages: result.messages.map((message) => (message.kind === 'uplink' ? { ...message, downlink } : message)),
  }
}
