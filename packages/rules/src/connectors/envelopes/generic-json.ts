import type { Envelope, EnvelopeResult, Refusal, SensorMessage } from '../types.ts'
import { deviceKeyOf, instantOf, isRecord, numberOf, optional, textOf, valueAt } from '../values.ts'
import { missing, wrong } from './refusals.ts'

/** The most messages in one body. */
export const mostItems = 500

/** Reads any JSON with the connection's paths. An unreadable sensor does not cause the others to be rejected. */
export function readGenericJson({ payload, paths, topic, now }: Envelope): EnvelopeResult {
  if (!paths?.deviceKey) return missing('device key', 'enter its path in the connection')
  const list = paths.items ? valueAt(payload, paths.items) : payload
  if (paths.items && !Array.isArray(list)) return wrong(paths.items, 'an array')
  const items = Array.isArray(list) ? list : [list]
  if (items.length > mostItems)
    return wrong(paths.items ?? 'message', `an array of at most ${mostItems} entries, it has ${items.length}`)
  const messages: SensorMessage[] = []
  const refusals: Refusal[] = []
  for (const item of items) {
    const result = readItem(item, payload, paths, topic, now)
    if ('refusal' in result) refusals.push(result.refusal)
    else
      for (const message of result.messages) messages.push(Array.isArray(list) ? { ...message, part: item } : message)
  }
  const [first] = refusals
  if (!first) return { messages }
  return messages.length ? { messages, refused: { count: refusals.length, first: first.text } } : { refusal: first }
}

function readItem(
  item: unknown,
  body: unknown,
  paths: NonNullable<Envelope['paths']>,
  topic: string | undefined,
  now: number,
): EnvelopeResult {
  // Many senders name the device or the time once for all entries.
  const part = (path: string | undefined) => (path ? (valueAt(item, path) ?? valueAt(body, path)) : undefined)
  const deviceKey = paths.deviceKey === '$topic' ? deviceKeyOf(topic) : deviceKeyOf(part(paths.deviceKey))
  if (!deviceKey) return missing(paths.deviceKey, 'it names the sensor')
  const object = paths.values ? valueAt(item, paths.values) : item
  if (object === undefined) return missing(paths.values ?? '', 'it has the values')
  const time = part(paths.time)
  const measuredAt = instantOf(time)
  if (time !== undefined && time !== null && measuredAt === undefined) return wrong(paths.time ?? '', 'a time')
  return {
    messages: [
      {
        kind: 'uplink',
        deviceKey,
        ...optional('name', textOf(part(paths.name))),
        ...optional('maker', textOf(part(paths.maker))),
        ...optional('model', textOf(part(paths.model))),
        receivedAt: now,
        ...optional('measuredAt', measuredAt),
        object: isRecord(object) ? object : { value: object },
        ...optional('sequence', numberOf(part(paths.sequence))),
        radio: {},
      },
    ],
  }
}
