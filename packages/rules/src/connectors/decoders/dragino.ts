import type { Decoded } from '../types.ts'
import type { Entry } from './table.ts'
import { PayloadReader, value } from './table.ts'

/** Dragino LHT65 and LHT65N, port 2, big-endian. The two highest bits of the voltage grade the battery. */
const climate: Entry = [
  { kind: 'u16', bits: [{ path: 'BatV', from: 0, count: 14, divisor: 1000, unit: 'V' }] },
  value('TempC_SHT', 'i16', '°C', 100, { none: [32_767] }),
  value('Hum_SHT', 'u16', '%', 10, { none: [65_535] }),
]
const probe: Entry = [value('TempC_DS', 'i16', '°C', 100, { none: [32_767] })]
/** External sensor types whose value is a temperature. */
const temperatureProbes = new Set([1, 9])

export function decodeDragino(bytes: Uint8Array): Omit<Decoded, 'decoder'> {
  const reader = new PayloadReader(bytes, false)
  if (!reader.read(climate) || !reader.left) return reader.result()
  const kind = bytes[reader.at]! % 128
  reader.at++
  if (temperatureProbes.has(kind)) reader.read(probe, reader.at - 1)
  return reader.result()
}
