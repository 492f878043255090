import { findDecoder } from './decoders/registry.ts'
import type { NamedSensor } from './decoders/registry.ts'
import type { Decoded, DecodedSample, DecodedValue, SensorMessage } from './types.ts'
import { flatten, instantOf, isRecord } from './values.ts'

/** The return value of a codec as LoRa Alliance TS013 defines it. */
export interface CodecResult {
  data?: unknown
  warnings?: readonly string[]
  errors?: readonly string[]
}

/**
 * Decodes a message without a tenant's codec, which only the server runs: uses the object of the network server,
 * otherwise the built-in decoder of the model. If there is neither, `samples` is empty and `errors` contains the
 * reason.
 * @param server the display name of the network server
 */
export function decode(message: SensorMessage, server: string, sensor: NamedSensor = message): Decoded {
  const { object, bytes, fPort } = message
  if (object) return { decoder: server, ...fromObject(object), warnings: [], errors: [] }
  if (!bytes?.length) return { decoder: server, samples: [], warnings: [], errors: [] }
  const decoder = findDecoder({ ...sensor, deviceKey: message.deviceKey })
  if (!decoder)
    return {
      decoder: 'None',
      samples: [],
      warnings: [],
      errors: ['No decoder for this model. Choose the model, add a codec, or let the network server decode'],
    }
  // Port 0 carries LoRaWAN MAC commands.
  if (fPort === 0) return { decoder: decoder.name, samples: [], warnings: [], errors: [] }
  return { decoder: decoder.name, ...decoder.decode(bytes, { fPort }) }
}

/** Converts the result of a tenant's codec. */
export function fromCodec({ data, warnings = [], errors = [] }: CodecResult, decoder: string): Decoded {
  const { samples, ...rest }: ReturnType<typeof fromObject> = errors.length ? { samples: [] } : fromObject(data)
  return {
    decoder,
    ...{ samples, ...rest },
    warnings: [...warnings],
    errors: errors.length || samples.length ? [...errors] : ['The codec returned no data'],
  }
}

const logs = new Set(['history', 'histories', 'historical', 'datalog'])
const times = ['timestamp', 'time', 'ts', 'datetime', 'measuredAt']

/** The values of an object, and one sample for each entry of a stored log that has a time. */
function fromObject(object: unknown): Pick<Decoded, 'samples' | 'beyond'> {
  if (object === undefined || object === null) return { samples: [] }
  const now: Record<string, unknown> = {}
  const dated: DecodedSample[] = []
  const beyond: Record<string, DecodedValue> = {}
  for (const [name, part] of isRecord(object) ? Object.entries(object) : []) {
    if (!Array.isArray(part) || !logs.has(name.toLowerCase().replaceAll(/[^a-z]/g, ''))) {
      now[name] = part
      continue
    }
    for (const entry of part.filter(isRecord)) {
      const field = times.find((one) => instantOf(entry[one]) !== undefined)
      if (!field) continue
      const { [field]: time, ...rest } = entry
      const read = flatten(rest)
      Object.assign(beyond, read.beyond)
      if (Object.keys(read.values).length) dated.push({ measuredAt: instantOf(time)!, values: read.values })
    }
  }
  const { values, beyond: more } = flatten(isRecord(object) ? now : object)
  Object.assign(beyond, more)
  return {
    samples: [...(Object.keys(values).length ? [{ values }] : []), ...dated],
    ...(Object.keys(beyond).length && { beyond }),
  }
}
