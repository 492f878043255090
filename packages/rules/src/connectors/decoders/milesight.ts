import type { Decoded } from '../types.ts'
import type { Entry, Field } from './table.ts'
import { choice, hex, PayloadReader, skip, value } from './table.ts'

/**
 * Milesight payload descriptions: channel, type, then little-endian numbers. One table per model, because models use
 * the same channel for different values. Keys are channel * 256 + type.
 */
export type Table = Readonly<Record<number, Entry>>

const battery = value('battery', 'u8', '%')
const temperature = value('temperature', 'i16', '°C', 10)
const humidity = value('humidity', 'u8', '%', 2)
const co2 = value('co2', 'u16', 'ppm')
const pressure = value('pressure', 'u16', 'hPa', 10)
const distance = value('distance', 'u16', 'mm')
const time: Field = { kind: 'u32', isTime: true }
const pir = choice('pir', { 0: 'idle', 1: 'trigger' })
const magnet = choice('magnet_status', { 0: 'close', 1: 'open' })
const leakage = choice('leakage_status', { 0: 'normal', 1: 'leak' })
const tamper = choice('tamper_status', { 0: 'installed', 1: 'uninstalled' })
const occupancy = choice('occupancy', { 0: 'vacant', 1: 'occupied' })
const position = choice('position', { 0: 'normal', 1: 'tilt' })
const alarm = choice('temperature_alarm', { 0: 'released', 1: 'alarm', 2: 'sudden change' })
const onOff = (path: string) => choice(path, { 0: 'off', 1: 'on' })
const change = value('temperature_change', 'i16', '°C', 10)

/** Attributes that every model reports after joining. */
const common: Table = {
  0xff01: skip(1),
  0xff03: skip(2),
  0xff08: skip(6),
  0xff09: skip(2),
  0xff0a: [{ kind: 'u16', path: 'firmware_version', isVersion: true }],
  0xff0b: skip(1),
  0xff0f: skip(1),
  0xff16: skip(8),
  0xff18: skip(2),
  0xffff: skip(2),
  0xfffe: skip(1),
  0x0175: [battery],
}
const climate: Table = { ...common, 0x0367: [temperature], 0x0468: [humidity], 0x8367: [temperature, alarm] }
/** A stored log entry with temperature and humidity, and any further fields. */
const history = (...more: Field[]): Entry => [time, temperature, humidity, ...more]

/** A rating from 0 (clean) to 5 (unhealthy), not a concentration. */
const airQuality = value('tvoc_rating', 'u16', 'IAQ', 100)
const tvocMass = value('tvoc', 'u16', 'µg/m³')
const lightLevel = value('light_level', 'u8')
const [pm25, pm10] = [value('pm2_5', 'u16', 'µg/m³'), value('pm10', 'u16', 'µg/m³')]
const hcho = value('hcho', 'u16', 'mg/m³', 100)
const o3 = value('o3', 'u16', 'ppm', 100)
const am300: Table = {
  ...climate,
  0x0500: [pir],
  0x06cb: [lightLevel],
  0x077d: [co2],
  0x087d: [airQuality],
  0x08e6: [tvocMass],
  0x0973: [pressure],
  0x0e01: [onOff('buzzer_status')],
}
/** Channels that only some models of the series measure, although all send the bytes. */
const particles: readonly [key: number, field: Field][] = [
  [0x0a7d, hcho],
  [0x0b7d, pm25],
  [0x0c7d, pm10],
  [0x0d7d, o3],
]
/** The entry of a model's stored log, which holds what the model measures. */
const am300Of = (...measured: Field[]): Table => {
  const log = (tvoc: Field): Entry => [
    ...[time, temperature, value('humidity', 'u16', '%', 2), pir, lightLevel, co2, tvoc, pressure],
    ...measured,
  ]
  return {
    ...am300,
    ...Object.fromEntries(particles.map(([key, field]) => [key, measured.includes(field) ? [field] : skip(2)])),
    0x20ce: log(airQuality),
    0x21ce: log(tvocMass),
  }
}

const am100: Table = {
  ...climate,
  0x056a: [value('activity', 'u16')],
  0x0665: [value('illumination', 'u16', 'lx'), value('infrared_and_visible', 'u16'), value('infrared', 'u16')],
  0x077d: [co2],
  0x087d: [value('tvoc', 'u16', 'ppb')],
  0x0973: [pressure],
}

const currentAlarm: Field = {
  kind: 'u8',
  bits: [
    { path: 'current_threshold_alarm', from: 0, count: 1 },
    { path: 'current_over_range_alarm', from: 2, count: 1 },
  ],
}
const amps = (path: string): Field => value(path, 'u16', 'A', 100, { none: [0xffff] })
const tenthsOfAmps = (path: string): Field => value(path, 'u16', 'A', 10, { none: [0xffff] })
const ct100: Table = {
  ...common,
  0x0397: [value('total_current', 'u32', 'Ah', 100)],
  0x0498: [amps('current')],
  0x8498: [amps('current_max'), amps('current_min'), amps('current'), currentAlarm],
  0x0967: [value('temperature', 'i16', '°C', 10, { none: [-1] })],
  0x8967: [temperature, alarm],
}
const channels: readonly [number, number, string][] = [
  [0x03, 0x04, 'chn1'],
  [0x05, 0x06, 'chn2'],
  [0x07, 0x08, 'chn3'],
]
const ct300: Table = {
  ...common,
  ...Object.fromEntries(
    channels.flatMap(([total, now, name]): [number, Entry][] => [
      [total * 256 + 0x97, [value(`current_${name}_total`, 'u32', 'Ah', 100)]],
      [now * 256 + 0x99, [tenthsOfAmps(`current_${name}`)]],
      [
        (now + 0x80) * 256 + 0x99,
        [
          ...[`current_${name}_max`, `current_${name}_min`, `current_${name}`].map(tenthsOfAmps),
          { kind: 'u8', path: `current_${name}_alarm` },
        ],
      ],
    ]),
  ),
  0x0967: [value('temperature', 'i16', '°C', 10, { none: [-1] })],
  0x8967: [temperature, alarm],
}

const levelSensor: Table = {
  ...common,
  0x0367: [temperature],
  0x0482: [distance],
  0x0500: [position],
  0x0688: [value('longitude', 'i32', '°', 1_000_000), value('latitude', 'i32', '°', 1_000_000), ...skip(1)],
  0x8367: [temperature, alarm],
  0x8482: [distance, { kind: 'u8', path: 'distance_alarm' }],
  0x9482: [distance, { kind: 'u16' }, { kind: 'u8', path: 'distance_alarm' }],
  0xb482: [distance, { kind: 'u8', path: 'distance_exception' }],
  0x20ce: [time, distance, temperature, ...skip(3)],
}

const target = value('temperature_target', 'i16', '°C', 10)
const modes = { 0: 'heat', 1: 'em heat', 2: 'cool', 3: 'auto' }
const activities = {
  ...{ 0: 'standby', 1: 'stage-1 heat', 2: 'stage-2 heat', 3: 'stage-3 heat', 4: 'stage-4 heat' },
  ...{ 5: 'em heat', 6: 'stage-1 cool', 7: 'stage-2 cool' },
}
const fans = [
  { path: 'fan_mode', from: 0, count: 2, words: { 0: 'auto', 1: 'on', 2: 'circulate', 3: 'disable' } },
  { path: 'fan_status', from: 2, count: 2, words: { 0: 'standby', 1: 'high speed', 2: 'low speed', 3: 'on' } },
]
const system = { path: 'system_status', from: 4, count: 1, words: { 0: 'off', 1: 'on' } }
/** Tenths of °C above -100 °C, in the 11 highest bits of a number. */
const celsius = (path: string) => ({ path, from: 5, count: 11, divisor: 10, offset: -100, unit: '°C' })
const wt201: Table = {
  ...common,
  0x0367: [temperature],
  0x0467: [target],
  0x05e7: [
    {
      kind: 'u8',
      bits: [
        { path: 'temperature_control_mode', from: 0, count: 4, words: modes },
        { path: 'temperature_control_status', from: 4, count: 4, words: activities },
      ],
    },
  ],
  0x06e8: [{ kind: 'u8', bits: fans }],
  0x07bc: [
    {
      kind: 'u8',
      bits: [
        {
          ...{ path: 'plan_event', from: 0, count: 4 },
          words: { 0: 'not executed', 1: 'wake', 2: 'away', 3: 'home', 4: 'sleep' },
        },
      ],
    },
  ],
  0x088e: [onOff('system_status')],
  0x0968: [humidity],
  0x0a6e: skip(1),
  // Replies to a changed set point: the requested value, which does not apply yet.
  0xffb7: [
    choice('requested_mode', modes),
    {
      kind: 'u8',
      bits: [
        { path: 'requested_temperature', from: 0, count: 7 },
        { path: 'requested_unit', from: 7, count: 1, words: { 0: '°C', 1: '°F' } },
      ],
    },
  ],
  0xfffa: [choice('requested_mode', modes), value('requested_temperature', 'i16', '°C', 10)],
  0xffc8: skip(5),
  0xffc9: skip(6),
  0xffca: skip(3),
  0xffcb: skip(3),
  0xfff6: [choice('control_permissions', { 0: 'thermostat', 1: 'remote control' })],
  0x8367: [temperature, { kind: 'u8', path: 'temperature_alarm' }],
  0xb367: [choice('temperature_exception', { 1: 'read failed', 2: 'out of range' })],
  0xb968: [choice('humidity_exception', { 1: 'read failed', 2: 'out of range' })],
  0x20ce: [
    time,
    { kind: 'u16', bits: [...fans, system, celsius('temperature')] },
    {
      kind: 'u16',
      bits: [
        { path: 'temperature_control_mode', from: 0, count: 2, words: modes },
        { path: 'temperature_control_status', from: 2, count: 3, words: activities },
        celsius('temperature_target'),
      ],
    },
  ],
}

const temperatureChange: Entry = [temperature, change, alarm]
const pulse = value('pulse', 'u32')
/** The unit of the meter is set in the sensor and is not part of the message. */
const water: Entry = [
  value('water_factor', 'u16', undefined, 10),
  value('pulse_factor', 'u16', undefined, 10),
  value('water', 'f32'),
]

/** Tables by model name, without spaces and hyphens. The longest matching name applies: 'em300th' before 'em300'. */
export const milesightModels = {
  am102: { ...am100, 0x20ce: history() },
  am103: { ...am100, 0x20ce: history(co2) },
  am104: am100,
  am107: am100,
  am304: am300Of(),
  am305: am300Of(),
  am307: am300Of(),
  am308: am300Of(pm25, pm10),
  am319: am300Of(pm25, pm10, hcho),
  am319o3: am300Of(pm25, pm10, o3),
  ct101: ct100,
  ct103: ct100,
  ct105: ct100,
  ct303: ct300,
  ct305: ct300,
  ct310: ct300,
  em300th: { ...climate, 0x20ce: history(...skip(1)) },
  em300mcs: { ...climate, 0x0600: [magnet], 0x20ce: history(magnet) },
  // Firmware reports the leak on channel 5 or 6.
  em300mld: { ...climate, 0x0500: [leakage], 0x0600: [leakage], 0x20ce: [time, ...skip(3), leakage] },
  em300sld: { ...climate, 0x0500: [leakage], 0x20ce: history(leakage) },
  em300zld: { ...climate, 0x0500: [leakage], 0x20ce: history(leakage) },
  em300cl: {
    ...common,
    0x03ed: [choice('liquid', { 0: 'uncalibrated', 1: 'full', 2: 'low', 255: 'error' })],
    0x04ee: skip(1),
    0x83ed: [choice('liquid', { 0: 'uncalibrated', 1: 'full', 2: 'low', 255: 'error' }), onOff('liquid_alarm')],
  },
  em300di: {
    ...climate,
    0x0500: [value('gpio', 'u8')],
    0x05c8: [pulse],
    0x05e1: water,
    0x8500: [value('gpio', 'u8'), { kind: 'u8', path: 'gpio_alarm' }],
    0x85e1: [...water, { kind: 'u8', path: 'water_alarm' }],
    0x20ce: history(...skip(1), value('gpio', 'u8'), pulse),
    0x21ce: history(...skip(2), value('gpio', 'u8'), ...water),
  },
  em310tilt: {
    ...common,
    0x03cf: [
      value('angle_x', 'i16', '°', 100),
      value('angle_y', 'i16', '°', 100),
      value('angle_z', 'i16', '°', 100),
      { kind: 'u8', path: 'angle_alarm' },
    ],
  },
  em310udl: { ...common, 0x0382: [distance], 0x0400: [position] },
  em320th: { ...climate, 0x20ce: history() },
  em400: levelSensor,
  em410: levelSensor,
  em500co2: {
    ...climate,
    0x057d: [co2],
    0x0673: [pressure],
    0x83d7: temperatureChange,
    0x20ce: [time, co2, pressure, temperature, humidity],
  },
  em500lgt: {
    ...common,
    0x0394: [value('illumination', 'u32', 'lx')],
    0x20ce: [time, value('illumination', 'u32', 'lx')],
  },
  em500pp: {
    ...common,
    0x037b: [value('pipe_pressure', 'u16', 'kPa')],
    0x20ce: [time, value('pipe_pressure', 'u16', 'kPa')],
  },
  em500pt100: { ...common, 0x0367: [temperature], 0x83d7: temperatureChange, 0x20ce: [time, temperature] },
  em500smtc: {
    ...common,
    0x0367: [temperature],
    0x0468: [value('moisture', 'u8', '%', 2)],
    0x04ca: [value('moisture', 'u16', '%', 100)],
    0x057f: [value('conductivity', 'u16', 'µS/cm')],
    0x83d7: temperatureChange,
    0x20ce: [time, value('conductivity', 'u16', 'µS/cm'), temperature, value('moisture', 'u16', '%', 100)],
  },
  em500swl: { ...common, 0x0377: [value('depth', 'u16', 'cm')], 0x20ce: [time, value('depth', 'u16', 'cm')] },
  em500udl: {
    ...common,
    0x0382: [distance],
    0x83e9: [distance, { kind: 'u16' }, { kind: 'u8', path: 'distance_alarm' }],
    0x20ce: [time, distance],
  },
  gs101: {
    ...common,
    0x058e: [choice('gas_status', { 0: 'normal', 1: 'alarm' })],
    0x0601: [onOff('valve_status')],
    0x0701: [onOff('relay_output_status')],
    0x0890: [value('life_remain', 'u32', 's')],
    0xff3f: [
      choice('alarm', {
        ...{ 0: 'power off', 1: 'power on', 2: 'sensor fault', 3: 'sensor fault recovered' },
        ...{ 4: 'sensor ends soon', 5: 'device has ended' },
      }),
    ],
  },
  ts101: { ...common, 0x0367: [temperature] },
  ts201: {
    ...common,
    0x0367: [temperature],
    0x8367: [temperature, alarm],
    0x9367: temperatureChange,
    0xb367: [choice('temperature_exception', { 0: 'read failed', 1: 'out of range' })],
    0xffa0: skip(9),
    0x20ce: [time, ...skip(1), temperature],
  },
  vs330: {
    ...common,
    0x0282: [distance],
    0x038e: [occupancy],
    0x048e: [choice('calibration_status', { 0: 'failed', 1: 'success' })],
  },
  vs340: { ...common, 0x0300: [occupancy] },
  vs341: { ...common, 0x0300: [occupancy] },
  ws101: { ...common, 0xff2e: [choice('press', { 1: 'short', 2: 'long', 3: 'double' })] },
  ws201: { ...common, 0x0382: [distance], 0x04d6: [value('remaining', 'u8', '%')] },
  ws202: {
    ...common,
    0x0300: [choice('pir', { 0: 'normal', 1: 'trigger' })],
    0x0400: [choice('daylight', { 0: 'dark', 1: 'light' })],
  },
  ws203: {
    ...climate,
    0x0500: [occupancy],
    0x20ce: [time, ...skip(1), occupancy, temperature, humidity],
  },
  ws301: { ...common, 0x0300: [magnet], 0x0400: [tamper] },
  ws302: {
    ...common,
    // Weighted as set in the sensor: current, equivalent and highest level since the last report.
    0x055b: [
      ...skip(1),
      value('sound_level', 'u16', 'dB', 10),
      value('sound_level_eq', 'u16', 'dB', 10),
      value('sound_level_max', 'u16', 'dB', 10),
    ],
  },
  ws303: { ...common, 0x0300: [leakage] },
  ws523: {
    ...common,
    0x0374: [value('voltage', 'u16', 'V', 10)],
    0x0480: [value('active_power', 'u32', 'W')],
    0x0581: [value('power_factor', 'u8', '%')],
    0x0683: [value('power_consumption', 'u32', 'Wh')],
    0x07c9: [value('current', 'u16', 'mA')],
    0x0870: [onOff('socket_status')],
  },
  wt101: {
    ...common,
    0x0367: [temperature],
    0x0467: [target],
    0x0592: [value('valve_opening', 'u8', '%')],
    0x0600: [tamper],
    0x0700: [choice('window_detection', { 0: 'normal', 1: 'open' })],
    0x08e5: [{ kind: 'u8', path: 'motor_calibration_result' }],
    0x0990: [value('motor_stroke', 'u16')],
    0x0a00: [choice('freeze_protection', { 0: 'normal', 1: 'triggered' })],
    0x0b90: [value('motor_position', 'u16')],
  },
  wt201,
} as const satisfies Record<string, Table>

/** Entries with the same meaning in all models, for a model without its own table. */
const unambiguous: Table = { ...common, 0x0367: [temperature], 0x0468: [humidity] }

/** @param model a key of `milesightModels`; undefined for a model without a table */
export function decodeMilesight(bytes: Uint8Array, model?: string): Omit<Decoded, 'decoder'> {
  const table: Table = (model !== undefined && (milesightModels as Record<string, Table>)[model]) || unambiguous
  const reader = new PayloadReader(bytes, true)
  while (reader.left) {
    const start = reader.at
    const [channel, type] = [bytes[start]!, bytes[start + 1] ?? 0]
    const entry = table[channel * 256 + type]
    if (!entry) {
      reader.stop(start, `channel ${hex(channel)} with type ${hex(type)} is not known`)
      break
    }
    reader.at += 2
    if (!reader.read(entry, start)) break
  }
  return reader.result()
}
