import type { FastifyInstance } from 'fastify'
import { success } from '@caretaker/contract/refusal.ts'
import type { Chart, Series } from '@caretaker/contract/telemetry.ts'
import {
  getDeviceEvents,
  getDeviceMetrics,
  getDevicesMetrics,
  getDeviceTelemetryCharts,
} from '@caretaker/contract/telemetry.ts'
import type { ChartLayout } from '@caretaker/rules/telemetry/metrics.ts'
import { chartLayouts, metrics } from '@caretaker/rules/telemetry/metrics.ts'
import { serveTenant } from '../../http/serve.ts'
import { findDevice, findDevices } from '../devices/store.ts'
import { readEvents, readSeries } from './store.ts'

/** The default range of charts: from one week back to now (devices specification, section 4, Charts). */
const week = 7 * 86_400_000

export function telemetryRoutes(app: FastifyInstance): void {
  serveTenant(app, getDeviceTelemetryCharts, async ({ tx, actor, body }) => {
    const device = await findDevice(tx, actor, body.deviceId)
    const layouts = chartLayouts[device.product] ?? []
    const to = new Date()
    const from = new Date(to.getTime() - week)
    const keys = layouts.flatMap((layout) => layout.metrics)
    const [series = []] = await readSeries(tx, [{ ...device, metrics: keys }], { from, to })
    const charts = layouts.map((layout) => asChart(layout, series))
    return success({ from: from.toISOString(), to: to.toISOString(), charts })
  })

  serveTenant(app, getDeviceMetrics, async ({ tx, actor, body }) => {
    const device = await findDevice(tx, actor, body.deviceId)
    const [series = []] = await readSeries(tx, [{ ...device, metrics: body.metrics }], body)
    return success(series)
  })

  serveTenant(app, getDevicesMetrics, async ({ tx, actor, body }) => {
    const ids = body.devices.map((one) => one.deviceId)
    const devices = await findDevices(tx, actor, ids)
    const sources = body.devices.map(({ deviceId, metrics }) => ({ ...devices.get(deviceId)!, metrics }))
    const series = await readSeries(tx, sources, body)
    return success(ids.map((deviceId, at) => ({ deviceId, series: series[at]! })))
  })

  serveTenant(app, getDeviceEvents, async ({ tx, actor, body }) => {
    const device = await findDevice(tx, actor, body.deviceId)
    return success(await readEvents(tx, device.id, body))
  })
}

function asChart({ id, title, metrics: keys }: ChartLayout, series: readonly Series[]): Chart {
  return {
    id,
    type: 'Linear',
    title,
    units: [...new Set(keys.map((key) => metrics[key].unit))].join(', '),
    gridWidth: 12,
    metrics: [...keys],
    dataSeries: keys.map((key) => series.find((one) => one.metric === key)!),
  }
}
