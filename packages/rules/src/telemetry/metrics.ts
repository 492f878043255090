import type { Product } from '../devices/products.ts'

/** One kind of measurement: its label and unit on screen, and the range a real device can report. */
export interface Metric {
  label: string
  unit: string
  min: number
  max: number
}

/** Every metric key the device link knows (devices gaps B20). A key outside this table is a bad message. */
export const metrics = {
  flowTemperature: { label: 'Flow temperature', unit: '°C', min: -40, max: 150 },
  returnTemperature: { label: 'Return temperature', unit: '°C', min: -40, max: 150 },
  dhwTemperature: { label: 'Hot water temperature', unit: '°C', min: -40, max: 150 },
  outsideTemperature: { label: 'Outside temperature', unit: '°C', min: -60, max: 60 },
  modulation: { label: 'Burner modulation', unit: '%', min: 0, max: 100 },
  burnerHours: { label: 'Burner hours', unit: 'Hours', min: 0, max: 1_000_000 },
  pumpHours: { label: 'Pump hours', unit: 'Hours', min: 0, max: 1_000_000 },
  burnerStarts: { label: 'Burner starts', unit: 'count', min: 0, max: 100_000_000 },
  systemPressure: { label: 'System pressure', unit: 'bar', min: -1, max: 20 },
  flowRate: { label: 'Flow rate', unit: 'l/min', min: 0, max: 1000 },
  heatOutput: { label: 'Heat output', unit: 'kW', min: 0, max: 1000 },
  electricityConsumption: { label: 'Electricity consumption', unit: 'kW', min: 0, max: 1000 },
  compressorSpeed: { label: 'Compressor speed', unit: 'RPM', min: 0, max: 20_000 },
  temperature: { label: 'Temperature', unit: '°C', min: -60, max: 100 },
  humidity: { label: 'Humidity', unit: '%', min: 0, max: 100 },
  co2: { label: 'CO2', unit: 'ppm', min: 0, max: 100_000 },
  setPoint: { label: 'Set point', unit: '°C', min: 0, max: 50 },
  batteryVoltage: { label: 'Battery voltage', unit: 'V', min: 0, max: 60 },
  batteryLevel: { label: 'Battery', unit: '%', min: 0, max: 100 },
  lampPower: { label: 'Lamp power', unit: 'W', min: 0, max: 500 },
  chargeCurrent: { label: 'Charge current', unit: 'mA', min: -5000, max: 5000 },
  power: { label: 'Power', unit: 'W', min: -100_000, max: 100_000 },
  power1: { label: 'Clamp 1', unit: 'W', min: -100_000, max: 100_000 },
  power2: { label: 'Clamp 2', unit: 'W', min: -100_000, max: 100_000 },
  power3: { label: 'Clamp 3', unit: 'W', min: -100_000, max: 100_000 },
  gsmSignal: { label: 'Signal strength', unit: 'dBm', min: -140, max: 0 },
  linkQuality: { label: 'Link quality', unit: '%', min: 0, max: 100 },
  connectedDevices: { label: 'Connected devices', unit: 'count', min: 0, max: 100_000 },
} as const satisfies Record<string, Metric>

export type MetricKey = keyof typeof metrics
export const metricKeys = Object.keys(metrics) as MetricKey[]

export function isMetricKey(key: string): key is MetricKey {
  return Object.hasOwn(metrics, key)
}

/** A chart of a device page: the metrics it draws together on one scale. */
export interface ChartLayout {
  id: string
  title: string
  metrics: readonly MetricKey[]
}

const emergencyLight: ChartLayout[] = [
  { id: 'battery', title: 'Battery voltage', metrics: ['batteryVoltage'] },
  { id: 'lamp', title: 'Lamp power', metrics: ['lampPower'] },
]
const boiler: ChartLayout[] = [
  { id: 'flowReturn', title: 'Flow and return temperature', metrics: ['flowTemperature', 'returnTemperature'] },
  { id: 'pressure', title: 'System pressure', metrics: ['systemPressure'] },
]
const heatPump: ChartLayout[] = [
  { id: 'flowReturn', title: 'Flow and return temperature', metrics: ['flowTemperature', 'returnTemperature'] },
  { id: 'electricity', title: 'Electricity consumption', metrics: ['electricityConsumption'] },
]
const gateway: ChartLayout[] = [
  { id: 'signal', title: 'Signal strength', metrics: ['gsmSignal'] },
  { id: 'children', title: 'Connected devices', metrics: ['connectedDevices'] },
]
const extender: ChartLayout[] = [
  { id: 'link', title: 'Link quality', metrics: ['linkQuality'] },
  { id: 'children', title: 'Connected devices', metrics: ['connectedDevices'] },
]
const room: ChartLayout[] = [
  { id: 'temperature', title: 'Temperature', metrics: ['temperature'] },
  { id: 'humidity', title: 'Humidity', metrics: ['humidity'] },
]

/** The charts of a device page by product, in their order. Products without a page of their own have none. */
export const chartLayouts: Partial<Record<Product, ChartLayout[]>> = {
  EM: emergencyLight,
  EL: emergencyLight,
  BC: boiler,
  BX: boiler,
  ASHP: heatPump,
  HIU: boiler,
  MG: gateway,
  ZG: gateway,
  ZR: extender,
  MD: room,
  ED: [...room, { id: 'co2', title: 'CO2', metrics: ['co2'] }],
  TH: [{ id: 'temperature', title: 'Temperature and set point', metrics: ['temperature', 'setPoint'] }, room[1]!],
  PM: [{ id: 'power', title: 'Power', metrics: ['power', 'power1', 'power2', 'power3'] }],
}
