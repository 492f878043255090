import { connectionKinds } from '@caretaker/rules/connectors/types.ts'
import { decode, fromCodec } from '@caretaker/rules/connectors/decoding.ts'
import type { CodecResult } from '@caretaker/rules/connectors/decoding.ts'
import { mapReadings } from '@caretaker/rules/connectors/mapping.ts'
import { suggestMapping } from '@caretaker/rules/connectors/suggestions.ts'
import type { ConnectionKind, Decoded, MappedMessage, SensorMessage } from '@caretaker/rules/connectors/types.ts'
import type { KnownSensor } from './sensors.ts'
import { storable } from './storable.ts'

export interface CodecInput {
  bytes: Uint8Array
  fPort: number | undefined
  /** ms */
  recvTime: number
}

/** Runs a tenant's codec in a sandbox. Never rejects: an error of the codec is part of its result. */
export type RunCodec = (tenant: string, source: string, input: CodecInput) => Promise<CodecResult>

export const codecName = (version: number) => `Codec, version ${version}`

/**
 * Decodes an uplink: with the codec that a user activated for the model, otherwise with the values in the message or a built-in
 * decoder. Null for other messages, which contain nothing to decode.
 */
export async function decodeMessage(
  runCodec: RunCodec,
  tenant: string,
  kind: ConnectionKind,
  sensor: Pick<KnownSensor, 'maker' | 'model' | 'codec'>,
  message: SensorMessage,
): Promise<Decoded | null> {
  if (message.kind !== 'uplink') return null
  const { bytes, fPort, receivedAt } = message
  if (sensor.codec && bytes?.length && fPort !== 0)
    return storable(
      fromCodec(
        await runCodec(tenant, sensor.codec.source, { bytes, fPort, recvTime: receivedAt }),
        codecName(sensor.codec.version),
      ),
    )
  return storable(
    decode(message, connectionKinds[kind].name, {
      ...(sensor.maker && { maker: sensor.maker }),
      ...(sensor.model && { model: sensor.model }),
      deviceKey: message.deviceKey,
    }),
  )
}

export interface MappedWithPaths extends MappedMessage {
  /** The metric that each mapped path becomes. */
  paths: ReadonlyMap<string, string>
}

/** Maps a decoded message to readings, with its model's mapping or, while none is saved, with the suggestions. */
export function mapMessage(
  sensor: Pick<KnownSensor, 'mapping'>,
  message: SensorMessage,
  decoded: Decoded | null,
  now: number,
): MappedWithPaths {
  const known = decoded ?? { decoder: '', samples: [], warnings: [], errors: [] }
  const rows = sensor.mapping ?? suggestMapping(known.samples, known.units)
  const paths = new Map(
    rows.flatMap((row) =>
      row.to === 'metric' ? [[row.path, row.metric]] : row.to === 'extra' ? [[row.path, row.name]] : [],
    ),
  )
  return { ...mapReadings(known, rows, { now, message }), paths }
}
