import type { Boiler } from '@caretaker/contract/boilers.ts'
import type { Series } from '@caretaker/contract/telemetry.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import { metrics } from '@caretaker/rules/telemetry/metrics.ts'
import { areOfOneMoment, performanceAt } from '@caretaker/rules/telemetry/performance.ts'

/** A device whose readings the card shows, and the metrics. */
export interface LiveSource {
  deviceId: string
  metrics: MetricKey[]
}

export interface LiveValue {
  id: string
  label: string
  unit: string
  digits: number
  latest: { date: number; value: number } | null
  /** The text shown if there is no value. */
  none: string
  points: readonly { date: number; value: number | null }[]
}

const shown: Record<Boiler['heatingUnit'], readonly [MetricKey, string, digits: number][]> = {
  boiler: [
    ['flowTemperature', 'Flow', 1],
    ['returnTemperature', 'Return', 1],
    ['systemPressure', 'Pressure', 1],
  ],
  'air source heat pump': [
    ['flowTemperature', 'Flow', 1],
    ['returnTemperature', 'Return', 1],
    ['dhwTemperature', 'Hot water', 1],
    ['outsideTemperature', 'Outside', 1],
    ['electricityConsumption', 'Electricity', 2],
  ],
}
/** Shown below the values, or in another card. */
const moreMetrics: readonly MetricKey[] = ['modulation', 'compressorSpeed', 'gsmSignal']

/** Products with a room temperature: a thermostat before a sensor. */
const roomProducts = ['TH', 'MD', 'ED'] as const

function roomOf({ connectedDevices }: Boiler) {
  return roomProducts.flatMap((product) => connectedDevices.find(({ productId }) => productId === product) ?? [])[0]
}

/** The boiler itself and the thermostat of its property. */
export function liveSources(device: Boiler): LiveSource[] {
  const room = roomOf(device)
  const heat = device.heatingUnit === 'air source heat pump' ? (['heatOutput'] as const) : []
  const own = [...shown[device.heatingUnit].map(([metric]) => metric), ...heat, ...moreMetrics]
  return [
    { deviceId: device.deviceId, metrics: own },
    ...(room ? [{ deviceId: room.deviceId, metrics: ['temperature' as const] }] : []),
  ]
}

interface DeviceReadings {
  deviceId: string
  series: readonly Series[]
}

export function liveValues(device: Boiler, readings: readonly DeviceReadings[]): LiveValue[] {
  const of = (deviceId: string, metric: MetricKey) =>
    readings.find((one) => one.deviceId === deviceId)?.series.find((series) => series.metric === metric)
  const value = (deviceId: string, metric: MetricKey, label: string, digits: number): LiveValue => {
    const series = of(deviceId, metric)
    return {
      id: `${deviceId}/${metric}`,
      label,
      unit: metrics[metric].unit,
      digits,
      latest: series?.latest ?? null,
      none: noData,
      points: series?.series ?? [],
    }
  }
  const room = roomOf(device)
  const performance = performanceOf(of(device.deviceId, 'heatOutput'), of(device.deviceId, 'electricityConsumption'))
  return [
    ...shown[device.heatingUnit].map(([metric, label, digits]) => value(device.deviceId, metric, label, digits)),
    ...(performance ? [performance] : []),
    ...(room ? [value(room.deviceId, 'temperature', room.location ?? room.deviceType, 1)] : []),
  ]
}

const noData = 'No data'

/** The heat per kWh of electricity; undefined if either is not reported. */
function performanceOf(heat: Series | undefined, electricity: Series | undefined): LiveValue | undefined {
  if (!heat?.latest || !electricity?.latest) return undefined
  const points = performanceAt({ heat: heat.series, electricity: electricity.series })
  const now = performanceAt({ heat: [heat.latest], electricity: [electricity.latest] })[0]
  const isAtRest = areOfOneMoment(heat.latest.date, electricity.latest.date) && heat.latest.value <= 0
  return {
    id: 'performance',
    label: 'Heat for 1 kWh',
    unit: 'kWh',
    digits: 1,
    latest: now?.value == null ? null : { date: now.date, value: now.value },
    none: isAtRest ? 'No heat output' : noData,
    points,
  }
}

/** The last signal strength of the device, in dBm. */
export function signalIn(readings: readonly DeviceReadings[], deviceId: string): number | undefined {
  const series = readings.find((one) => one.deviceId === deviceId)?.series
  return series?.find(({ metric }) => metric === 'gsmSignal')?.latest?.value
}
