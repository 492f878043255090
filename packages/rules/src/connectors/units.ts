import type { MetricKey } from '../telemetry/metrics.ts'
import { metrics } from '../telemetry/metrics.ts'

/** Value in the metric's unit = value × factor + offset. */
interface Conversion {
  factor: number
  offset?: number
}

/** Units that can be converted, by the metric's own unit. */
const conversions: Readonly<Record<string, Readonly<Record<string, Conversion>>>> = {
  '°C': { '°F': { factor: 5 / 9, offset: -160 / 9 }, K: { factor: 1, offset: -273.15 } },
  hPa: { kPa: { factor: 10 }, Pa: { factor: 0.01 }, mbar: { factor: 1 } },
  V: { mV: { factor: 0.001 } },
  A: { mA: { factor: 0.001 } },
  mA: { A: { factor: 1000 } },
  W: { kW: { factor: 1000 } },
  kW: { W: { factor: 0.001 } },
  l: { 'm³': { factor: 1000 }, ml: { factor: 0.001 } },
  'l/min': { 'l/h': { factor: 1 / 60 }, 'm³/h': { factor: 1000 / 60 } },
  bar: { kPa: { factor: 0.01 }, mbar: { factor: 0.001 } },
  ppb: { ppm: { factor: 1000 } },
  ppm: { ppb: { factor: 0.001 } },
  'µg/m³': { 'mg/m³': { factor: 1000 } },
}

/** The units in which a sensor may report a metric, the metric's own first. */
export function unitsOf(metric: MetricKey): string[] {
  const { unit } = metrics[metric]
  return [unit, ...Object.keys(conversions[unit] ?? {})]
}

/** A value in the metric's own unit; undefined if the unit cannot be converted. */
export function toOwnUnit(metric: MetricKey, value: number, unit: string): number | undefined {
  const own = metrics[metric].unit
  if (unit === own) return value
  const conversion = conversions[own]?.[unit]
  return conversion && value * conversion.factor + (conversion.offset ?? 0)
}
