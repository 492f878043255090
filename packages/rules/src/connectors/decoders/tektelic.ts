import type { Decoded } from '../types.ts'
import type { Entry } from './table.ts'
import { choice, flag, hex, PayloadReader, value } from './table.ts'

/** Tektelic room sensors (Comfort, Vivid, Breeze): channel, type and a big-endian number. 0xFF means true. */
const entries: Readonly<Record<number, Entry>> = {
  0x00ba: [value('battery_voltage', 'u16', 'V', 1000)],
  0x00bd: [value('battery_days_left', 'u16')],
  0x00d3: [value('battery', 'u8', '%')],
  0x00ff: [value('battery_voltage', 'i16', 'V', 100)],
  0x0100: [choice('reed_state', { 0: 'closed', 255: 'open' })],
  0x0200: [flag('light_detected')],
  0x0367: [value('ambient_temperature', 'i16', '°C', 10)],
  0x0468: [value('relative_humidity', 'u8', '%', 2)],
  0x0502: [value('impact', 'i16', 'g', 1000)],
  0x0600: [value('external_input', 'u8')],
  0x0771: [
    value('acceleration_x', 'i16', 'g', 1000),
    value('acceleration_y', 'i16', 'g', 1000),
    value('acceleration_z', 'i16', 'g', 1000),
  ],
  0x0804: [value('reed_count', 'u16')],
  0x0900: [flag('water_leak')],
  0x0a00: [flag('presence')],
  0x0b67: [value('mcu_temperature', 'i16', '°C', 10)],
  0x0c00: [flag('impact_alarm')],
  0x0d04: [value('motion_count', 'u16')],
  0x0ee4: [value('co2', 'u16', 'ppm')],
  0x0f04: [value('external_count', 'u16')],
  0x1002: [value('light_level', 'u8')],
  0x1102: [value('external_voltage', 'i16', 'V', 1000)],
}

export function decodeTektelic(bytes: Uint8Array): Omit<Decoded, 'decoder'> {
  const reader = new PayloadReader(bytes, false)
  while (reader.left) {
    const start = reader.at
    const [channel, type] = [bytes[start]!, bytes[start + 1] ?? 0]
    const entry = entries[channel * 256 + type]
    if (!entry) {
      reader.stop(start, `channel ${hex(channel)} with type ${hex(type)} is not known`)
      break
    }
    reader.at += 2
    if (!reader.read(entry, start)) break
  }
  return reader.result()
}
