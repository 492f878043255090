import type { Product } from '../devices/products.ts'

/** One kind of measurement. */
export interface Metric {
  /** Display label and unit. */
  label: string
  unit: string
  /** The range that a real device can report; readings outside it are rejected. */
  min: number
  max: number
  /** The limits of a chart axis unless readings exceed them (devices specification, section 9). */
  axis?: { min?: number; max?: number }
  /** For counters: the largest increase per hour, plus a tolerance at any time. */
  counter?: { perHour: number; slack: number }
  /** The products that measure it. */
  products: readonly Product[]
}

const modules = ['BC', 'BX'] as const
const autofills = ['AF', 'AZ'] as const
const heatPumps = ['ASHP', ...modules] as const
const heating = [...heatPumps, 'HIU'] as const
const lights = ['EM', 'EL'] as const
const gateways = ['MG', 'ZG'] as const
const rooms = ['MD', 'ED', 'TH', 'ZH'] as const
const batteryDriven = ['MD', 'ED', 'TH'] as const
const meters = ['PM'] as const
/** Third-party devices of a connection. */
const foreign = ['ADEY'] as const
const radio = ['ZR', ...autofills, ...rooms, 'PM', 'PS', ...foreign] as const

const temperature = { unit: '°C', axis: { min: 0 } } as const
/** Operating hours, also counted in whole hours. */
const operation = { unit: 'Hours', min: 0, max: 1_000_000, counter: { perHour: 1, slack: 2 } } as const
/** A burner that cycles without pause: purge, ignition and burning take half a minute. */
const starts = { unit: 'count', min: 0, max: 100_000_000, counter: { perHour: 120, slack: 10 } } as const
/** The flow of a fully open filling loop, 20 l/min. */
const water = { unit: 'l', min: 0, max: 1_000_000, counter: { perHour: 1200, slack: 50 } } as const
/** 1 while the condition is true, otherwise 0. */
const yesNo = { unit: '', min: 0, max: 1, axis: { min: 0, max: 1 }, products: foreign } as const
const particles = { unit: 'µg/m³', min: 0, max: 1000, axis: { min: 0 }, products: foreign } as const
/** The greatest flow of a DN 50 water meter, 30 m³ an hour. */
const meter = {
  unit: 'l',
  min: 0,
  max: 1_000_000_000,
  counter: { perHour: 30_000, slack: 1000 },
  products: foreign,
} as const
const circuit = { unit: 'W', min: -100_000, max: 100_000, products: meters } as const

/**
 * The catalogue of metrics: every key in the device link (devices gaps B20). Unknown keys are rejected, and a key that
 * a product measures has a card in one of its views (views.ts).
 */
export const metrics = {
  flowTemperature: { label: 'Flow temperature', ...temperature, min: -40, max: 150, products: heating },
  returnTemperature: { label: 'Return temperature', ...temperature, min: -40, max: 150, products: heating },
  dhwTemperature: { label: 'Hot water temperature', ...temperature, min: -40, max: 150, products: heatPumps },
  outsideTemperature: {
    label: 'Outside temperature',
    ...temperature,
    min: -60,
    max: 60,
    products: [...heatPumps, ...foreign],
  },
  modulation: {
    label: 'Burner modulation',
    unit: '%',
    min: 0,
    max: 100,
    axis: { min: 0, max: 100 },
    products: modules,
  },
  burnerHours: { label: 'Burner hours', ...operation, products: modules },
  pumpHours: { label: 'Pump hours', ...operation, products: heatPumps },
  burnerStarts: { label: 'Burner starts', ...starts, products: modules },
  systemPressure: { label: 'System pressure', unit: 'bar', min: -1, max: 20, products: [...heating, ...autofills] },
  waterFilled: { label: 'Water added', ...water, products: autofills },
  flowRate: { label: 'Flow rate', unit: 'l/min', min: 0, max: 1000, products: heating },
  heatOutput: { label: 'Heat output', unit: 'kW', min: 0, max: 1000, products: heating },
  electricityConsumption: { label: 'Electricity consumption', unit: 'kW', min: 0, max: 1000, products: heatPumps },
  immersionPower: { label: 'Immersion heater', unit: 'kW', min: 0, max: 100, products: heatPumps },
  compressorSpeed: { label: 'Compressor speed', unit: 'RPM', min: 0, max: 20_000, products: heatPumps },
  temperature: { label: 'Temperature', ...temperature, min: -60, max: 100, products: [...rooms, ...foreign] },
  humidity: { label: 'Humidity', unit: '%', min: 0, max: 100, products: [...rooms, ...foreign] },
  co2: { label: 'CO2', unit: 'ppm', min: 0, max: 100_000, axis: { min: 400 }, products: ['ED', ...foreign] },
  setPoint: { label: 'Set point', ...temperature, min: 0, max: 50, products: ['TH', ...foreign] },
  batteryVoltage: {
    label: 'Battery voltage',
    unit: 'V',
    min: 0,
    max: 60,
    products: [...lights, ...gateways, ...modules, ...foreign],
  },
  batteryLevel: {
    label: 'Battery',
    unit: '%',
    min: 0,
    max: 100,
    axis: { min: 0, max: 100 },
    products: [...lights, ...batteryDriven, ...foreign],
  },
  lampPower: { label: 'Lamp power', unit: 'W', min: 0, max: 500, axis: { min: 0 }, products: lights },
  chargeCurrent: { label: 'Charge current', unit: 'mA', min: -5000, max: 5000, products: lights },
  power: { label: 'Power', ...circuit, products: [...meters, ...foreign] },
  power1: { label: 'Clamp 1', ...circuit },
  power2: { label: 'Clamp 2', ...circuit },
  power3: { label: 'Clamp 3', ...circuit },
  gsmSignal: {
    label: 'Signal strength',
    unit: 'dBm',
    min: -140,
    max: 0,
    axis: { max: -50 },
    products: [...heating, ...gateways, ...foreign],
  },
  linkQuality: { label: 'Link quality', unit: '%', min: 0, max: 100, axis: { min: 0, max: 100 }, products: radio },
  connectedDevices: {
    label: 'Connected devices',
    unit: 'count',
    min: 0,
    max: 100_000,
    axis: { min: 0 },
    products: [...gateways, 'ZR', 'ZH'],
  },
  tvoc: { label: 'TVOC', unit: 'ppb', min: 0, max: 60_000, axis: { min: 0 }, products: foreign },
  pm25: { label: 'PM2.5', ...particles },
  pm10: { label: 'PM10', ...particles },
  light: { label: 'Light', unit: 'lx', min: 0, max: 200_000, axis: { min: 0 }, products: foreign },
  noise: { label: 'Noise', unit: 'dB', min: 0, max: 160, axis: { min: 0 }, products: foreign },
  airPressure: { label: 'Air pressure', unit: 'hPa', min: 300, max: 1200, products: foreign },
  presence: { label: 'Presence', ...yesNo },
  opening: { label: 'Door or window open', ...yesNo },
  leak: { label: 'Leak', ...yesNo },
  coAlarm: { label: 'CO alarm', ...yesNo },
  smokeAlarm: { label: 'Smoke alarm', ...yesNo },
  waterVolume: { label: 'Water volume', ...meter },
  current: { label: 'Current', unit: 'A', min: -10_000, max: 10_000, products: foreign },
  valvePosition: {
    label: 'Valve position',
    unit: '%',
    min: 0,
    max: 100,
    axis: { min: 0, max: 100 },
    products: foreign,
  },
} as const satisfies Record<string, Metric>

export type MetricKey = keyof typeof metrics
export const metricKeys = Object.keys(metrics) as MetricKey[]

export function isMetricKey(key: string): key is MetricKey {
  return Object.hasOwn(metrics, key)
}

export function measures(product: Product, key: MetricKey): boolean {
  return (metrics[key].products as readonly Product[]).includes(product)
}

const circuits = ['power1', 'power2', 'power3'] as const satisfies MetricKey[]

/**
 * The consumption series of a power meter: one total for models A and B, otherwise one per clamp circuit (devices
 * specification, section 9).
 */
export function powerMetrics(model: string): readonly MetricKey[] {
  return ['A', 'B'].includes(model.toUpperCase()) ? ['power'] : circuits
}

/** The axis limits of a chart of these metrics; null where the readings decide. */
export function axisOf(keys: readonly MetricKey[]): { min: number | null; max: number | null } {
  const ends = keys.map((key): NonNullable<Metric['axis']> => (metrics[key] as Metric).axis ?? {})
  const end = (side: 'min' | 'max', outermost: (...values: number[]) => number) => {
    const known = ends.flatMap((one) => one[side] ?? [])
    return known.length && known.length === ends.length ? outermost(...known) : null
  }
  return { min: end('min', Math.min), max: end('max', Math.max) }
}
