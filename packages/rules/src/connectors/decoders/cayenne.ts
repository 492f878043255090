import type { Decoded } from '../types.ts'
import type { Entry } from './table.ts'
import { hex, PayloadReader, value } from './table.ts'

/** Cayenne Low Power Payload: each value has its channel, its type and its big-endian number (IPSO object id - 3200). */
const types: Readonly<Record<number, Entry>> = {
  0x00: [value('digital_in', 'u8')],
  0x01: [value('digital_out', 'u8')],
  0x02: [value('analog_in', 'i16', undefined, 100)],
  0x03: [value('analog_out', 'i16', undefined, 100)],
  0x64: [value('generic', 'u32')],
  0x65: [value('illuminance', 'u16', 'lx')],
  0x66: [value('presence', 'u8')],
  0x67: [value('temperature', 'i16', '°C', 10)],
  0x68: [value('humidity', 'u8', '%', 2)],
  0x71: [
    value('acceleration_x', 'i16', 'g', 1000),
    value('acceleration_y', 'i16', 'g', 1000),
    value('acceleration_z', 'i16', 'g', 1000),
  ],
  0x73: [value('pressure', 'u16', 'hPa', 10)],
  0x74: [value('voltage', 'u16', 'V', 100)],
  0x75: [value('current', 'u16', 'A', 1000)],
  0x76: [value('frequency', 'u32', 'Hz')],
  0x78: [value('percentage', 'u8', '%')],
  0x79: [value('altitude', 'i16', 'm')],
  0x7d: [value('concentration', 'u16', 'ppm')],
  0x80: [value('power', 'u16', 'W')],
  0x82: [value('distance', 'u32', 'm', 1000)],
  0x83: [value('energy', 'u32', 'kWh', 1000)],
  0x84: [value('direction', 'u16', '°')],
  0x85: [value('time', 'u32', 's')],
  0x86: [
    value('rotation_x', 'i16', '°/s', 100),
    value('rotation_y', 'i16', '°/s', 100),
    value('rotation_z', 'i16', '°/s', 100),
  ],
  0x88: [
    value('latitude', 'i24', '°', 10_000),
    value('longitude', 'i24', '°', 10_000),
    value('altitude', 'i24', 'm', 100),
  ],
  0x8e: [value('switch', 'u8')],
}

/** Values are named by type and channel: `temperature_3`. */
export function decodeCayenne(bytes: Uint8Array): Omit<Decoded, 'decoder'> {
  const reader = new PayloadReader(bytes, false)
  while (reader.left >= 2) {
    const start = reader.at
    const [channel, type] = [bytes[start]!, bytes[start + 1]!]
    const entry = types[type]
    if (!entry) {
      reader.stop(start, `type ${hex(type)} of channel ${channel} is not known`)
      break
    }
    reader.at += 2
    if (!reader.read(entry, start, String(channel))) break
  }
  if (reader.left) reader.stop(reader.at, 'a value without a type')
  return reader.result()
}
