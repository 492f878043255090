import type { Decoded } from '../types.ts'
import type { Entry } from './table.ts'
import { flag, hex, PayloadReader, skip, value } from './table.ts'

/** Elsys payload description: type, then a big-endian number. */
const types: Readonly<Record<number, Entry>> = {
  0x01: [value('temperature', 'i16', '°C', 10)],
  0x02: [value('humidity', 'u8', '%')],
  0x03: [
    value('acceleration_x', 'i8', 'g', 63),
    value('acceleration_y', 'i8', 'g', 63),
    value('acceleration_z', 'i8', 'g', 63),
  ],
  0x04: [value('light', 'u16', 'lx')],
  0x05: [value('motion_count', 'u8')],
  0x06: [value('co2', 'u16', 'ppm')],
  0x07: [value('vdd', 'u16', 'mV')],
  0x08: [value('analog1', 'u16', 'mV')],
  0x09: [value('latitude', 'i24', '°', 10_000), value('longitude', 'i24', '°', 10_000)],
  0x0a: [value('pulse1', 'u16')],
  0x0b: [value('pulse1_total', 'u32')],
  0x0c: [value('external_temperature', 'i16', '°C', 10)],
  0x0d: [value('external_digital', 'u8')],
  0x0e: [value('distance', 'u16', 'mm')],
  0x0f: [value('acceleration_motion', 'u8')],
  0x10: [value('ir_internal_temperature', 'i16', '°C', 10), value('ir_external_temperature', 'i16', '°C', 10)],
  0x11: [value('occupancy', 'u8', undefined, undefined, { words: { 0: 'vacant', 1: 'pending', 2: 'occupied' } })],
  0x12: [flag('water_leak')],
  0x13: skip(65),
  0x14: [value('pressure', 'i32', 'hPa', 1000)],
  0x15: [value('sound_peak', 'u8', 'dB'), value('sound_average', 'u8', 'dB')],
  0x16: [value('pulse2', 'u16')],
  0x17: [value('pulse2_total', 'u32')],
  0x18: [value('analog2', 'u16', 'mV')],
  0x19: [value('external_temperature2', 'i16', '°C', 10)],
  0x1a: [value('external_digital2', 'u8')],
  0x1b: [value('external_analog', 'i32', 'µV')],
  0x1c: [value('tvoc', 'u16', 'ppb')],
  0x3d: skip(4),
}

export function decodeElsys(bytes: Uint8Array): Omit<Decoded, 'decoder'> {
  const reader = new PayloadReader(bytes, false)
  const counts = new Map<number, number>()
  while (reader.left) {
    const start = reader.at
    const type = bytes[start]!
    const entry = types[type]
    if (!entry) {
      reader.stop(start, `type ${hex(type)} is not known`)
      break
    }
    reader.at++
    // Several probes report under one type: the second is external_temperature2_2.
    const count = (counts.get(type) ?? 0) + 1
    counts.set(type, count)
    if (!reader.read(entry, start, count > 1 ? String(count) : undefined)) break
  }
  return reader.result()
}
