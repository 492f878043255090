import type { FastifyInstance } from 'fastify'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import {
  getDeviceEvents,
  getDeviceMetrics,
  getDevicesMetrics,
  getDeviceTelemetryCharts,
} from '@caretaker/contract/telemetry.ts'
import { lastWeek } from '@caretaker/rules/telemetry/ranges.ts'
import { extraViews, telemetryViews } from '@caretaker/rules/telemetry/views.ts'
import { serveTenant } from '../../http/serve.ts'
import { findDevice, findDevices } from '../devices/store.ts'
import { chartsOf, shapesOf } from './charts.ts'
import { homeTelemetryRoutes } from './home-routes.ts'
import { findHome } from './home.ts'
import { extraSeriesOf, readEvents, readSeries } from './store.ts'

export function telemetryRoutes(app: FastifyInstance): void {
  homeTelemetryRoutes(app)

  serveTenant(app, getDeviceTelemetryCharts, async ({ tx, actor, body }) => {
    const home = await findHome(tx, actor, body.deviceId)
    const views = [...telemetryViews(home[0]!, actor.features), ...extraViews(await extraSeriesOf(tx, home[0]!.id))]
    const view = body.view === undefined ? views[0] : views.find(({ id }) => id === body.view)
    const range = body.from && body.to ? { from: +body.from, to: +body.to } : lastWeek(Date.now())
    const ids = body.charts ?? view?.cards.map(({ id }) => id) ?? []
    const cards = ids.flatMap((id) => view?.cards.find((card) => card.id === id) ?? [])
    if ((body.view !== undefined && !view) || cards.length < ids.length) throw refuse('not found')
    const charts = await chartsOf(tx, cards, home, range)
    return success({
      from: new Date(range.from).toISOString(),
      to: new Date(range.to).toISOString(),
      views: body.views ? await shapesOf(tx, views, home) : [],
      view: view?.id ?? null,
      charts,
    })
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
    const { events } = await readEvents(tx, [device], { from: +body.from, to: +body.to })
    return success(events)
  })
}
