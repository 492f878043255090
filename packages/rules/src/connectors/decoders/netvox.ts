import type { Decoded } from '../types.ts'
import type { Entry } from './table.ts'
import { hex, flag, PayloadReader, value } from './table.ts'

/** Volts in tenths; the highest bit reports a low battery. */
const battery: Entry = [
  {
    kind: 'u8',
    bits: [
      { path: 'battery_voltage', from: 0, count: 7, divisor: 10, unit: 'V' },
      { path: 'battery_low', from: 7, count: 1 },
    ],
  },
]
const climate: Entry = [...battery, value('temperature', 'i16', '°C', 100), value('humidity', 'u16', '%', 100)]
const leak: Entry = [...battery, flag('water_leak')]

/** Netvox LoRaWAN application command: status reports (report type 1) by device type. */
const devices: Readonly<Record<number, Entry>> = {
  0x01: climate,
  0x02: [...battery, value('contact_switch', 'u8')],
  0x06: [...battery, flag('water_leak'), flag('water_leak_2')],
  0x0b: climate,
  0x12: leak,
  0x13: climate,
  0x32: leak,
}

export function decodeNetvox(bytes: Uint8Array, { fPort }: { fPort?: number }): Omit<Decoded, 'decoder'> {
  const reader = new PayloadReader(bytes, false)
  // Port 7 answers configuration commands, report type 0 is the version: neither has values.
  if (fPort === 7 || bytes[2] === 0) return reader.result()
  const entry = devices[bytes[1] ?? -1]
  if (!entry) reader.stop(0, `device type ${hex(bytes[1] ?? 0)} is not known`)
  else {
    reader.at = 3
    // Reports are padded to 11 bytes.
    reader.read(entry, 0)
  }
  return reader.result()
}
