import type { Decoded } from '../types.ts'
import { decodeCayenne } from './cayenne.ts'
import { decodeDragino } from './dragino.ts'
import { decodeElsys } from './elsys.ts'
import { decodeMilesight, milesightModels } from './milesight.ts'
import { decodeNetvox } from './netvox.ts'
import { decodeTektelic } from './tektelic.ts'

type Decode = (bytes: Uint8Array, uplink: { fPort?: number }) => Omit<Decoded, 'decoder'>

export const builtInMakers = ['Milesight', 'Elsys', 'Tektelic', 'Netvox', 'Dragino', 'Cayenne LPP'] as const
export type BuiltInMaker = (typeof builtInMakers)[number]

export interface BuiltInDecoder {
  maker: BuiltInMaker
  /** The model's name in the decoder; undefined if it reads only the values that all models share. */
  model?: string
  /** Such as 'Milesight, built in'. */
  name: string
  decode: Decode
}

/** The first half of a DevEUI identifies the manufacturer, as registered with the IEEE. */
const makersByPrefix: Readonly<Record<string, BuiltInMaker>> = {
  '24E124': 'Milesight',
  A81758: 'Elsys',
  '647FDA': 'Tektelic',
  '00137A': 'Netvox',
  A84041: 'Dragino',
}

/** Names of makers and their models in the maker, model and profile names of network servers. */
const names: readonly { maker: BuiltInMaker; pattern: RegExp }[] = [
  { maker: 'Cayenne LPP', pattern: /cayenne|\blpp\b/i },
  { maker: 'Milesight', pattern: /milesight|ursalink|\b(am|at|ct|em|gs|ts|uc|vs|ws|wt)-?\d{3}/i },
  {
    maker: 'Elsys',
    pattern:
      /elsys|\b(ers|ems|elt|esm)[-_ ]?\d?\b|\b(ers|ems|elt)[-_ ]?\d?[-_ ](co2|eye|voc|sound|lite|eco|desk|door|display)/i,
  },
  { maker: 'Tektelic', pattern: /tektelic/i },
  { maker: 'Netvox', pattern: /netvox|\br(311|711|712|718)\w*/i },
  { maker: 'Dragino', pattern: /\blht65n?\b/i },
]
const decoders: Record<Exclude<BuiltInMaker, 'Milesight'>, Decode> = {
  Elsys: decodeElsys,
  Tektelic: decodeTektelic,
  Netvox: decodeNetvox,
  Dragino: decodeDragino,
  'Cayenne LPP': decodeCayenne,
}

export interface NamedSensor {
  maker?: string | null
  model?: string | null
  deviceKey?: string
}

/** The maker of a sensor, according to its names or its DevEUI. */
export function makerOf({ maker, model, deviceKey }: NamedSensor): BuiltInMaker | undefined {
  const text = [maker, model].filter(Boolean).join(' ')
  return names.find(({ pattern }) => pattern.test(text))?.maker ?? makersByPrefix[deviceKey?.slice(0, 6) ?? '']
}

// The longest matching name applies: 'am319o3' before 'am319'.
const milesightNames = Object.keys(milesightModels).toSorted((a, b) => b.length - a.length)

/** The built-in decoder of a sensor; undefined if there is none. */
export function findDecoder(sensor: NamedSensor): BuiltInDecoder | undefined {
  const maker = makerOf(sensor)
  if (!maker) return undefined
  const name = maker === 'Cayenne LPP' ? maker : `${maker}, built in`
  if (maker !== 'Milesight') return { maker, name, decode: decoders[maker] }
  const text = (sensor.model ?? '').toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  const model = milesightNames.find((one) => text.includes(one))
  return { maker, ...(model && { model }), name, decode: (bytes) => decodeMilesight(bytes, model) }
}
