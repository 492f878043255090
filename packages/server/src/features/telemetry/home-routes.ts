import type { FastifyInstance } from 'fastify'
import { refuse } from '@caretaker/contract/refusal.ts'
import {
  getPowerMeter,
  getPropertyEvents,
  getPropertyMetrics,
  getPropertyTelemetryChart,
  getPropertyTelemetryViews,
} from '@caretaker/contract/telemetry.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { monitoringOfHome } from '@caretaker/rules/properties/details.ts'
import { measures, metrics, powerMetrics } from '@caretaker/rules/telemetry/metrics.ts'
import { homeTelemetryViews } from '@caretaker/rules/telemetry/views.ts'
import { serveTenant } from '../../http/serve.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { findDevice } from '../devices/store.ts'
import { findProperty } from '../properties/store.ts'
import { chartsOf, shapesOf } from './charts.ts'
import { devicesOfHome } from './home.ts'
import { readEvents, readSeries } from './store.ts'

/** Telemetry of all devices of a property in one call. */
export function homeTelemetryRoutes(app: FastifyInstance): void {
  serveTenant(app, getPropertyTelemetryViews, async ({ tx, actor, params }) => {
    const { views, devices } = await homeOf(tx, actor, params.propertyId)
    return { results: await shapesOf(tx, views, devices) }
  })

  serveTenant(app, getPropertyTelemetryChart, async ({ tx, actor, params, query }) => {
    const { views, devices } = await homeOf(tx, actor, params.propertyId)
    const view = views.find(({ id }) => id === query.view)
    const card = view?.cards.find(({ id }) => id === query.chart)
    if (!card) throw refuse('not found')
    const [chart] = await chartsOf(tx, [card], devices, { from: +query.from, to: +query.to })
    return { from: query.from.toISOString(), to: query.to.toISOString(), chart: chart! }
  })

  serveTenant(app, getPropertyMetrics, async ({ tx, actor, query }) => {
    await findProperty(tx, actor, query.propertyId)
    const { metricKey, propertyLocationId: place } = query
    const devices = (await devicesOfHome(tx, actor, query.propertyId)).filter(
      (device) => measures(device.product, metricKey) && (place === undefined || device.place === place),
    )
    const sources = devices.map((device) => ({ ...device, metrics: [metricKey] }))
    const series = await readSeries(tx, sources, query)
    return {
      results: devices.flatMap((device, at) =>
        series[at]!.map((one) => ({ ...one, deviceId: device.id, propertyLocationId: device.place })),
      ),
    }
  })

  serveTenant(app, getPropertyEvents, async ({ tx, actor, query }) => {
    await findProperty(tx, actor, query.propertyId)
    const devices = await devicesOfHome(tx, actor, query.propertyId)
    const results = []
    for (const device of devices) {
      const { events } = await readEvents(tx, [device], { from: +query.from, to: +query.to })
      results.push({ deviceId: device.id, events })
    }
    return { results }
  })

  serveTenant(app, getPowerMeter, async ({ tx, actor, params }) => {
    const { id, product } = await findDevice(tx, actor, params.deviceId)
    if (product !== 'PM') throw refuse('not found')
    const device = await tx
      .selectFrom('device')
      .select(['serial', 'model', 'property_id', 'location', 'power_clamps'])
      .where('tenant_id', '=', tx.tenant)
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const powerClamps = device.power_clamps as Record<string, string> | null
    return {
      deviceId: id,
      serialNumber: device.serial,
      product,
      model: device.model,
      propertyId: device.property_id,
      propertyLocationId: device.location,
      powerClamps,
      series: powerMetrics(device.model).map((metricKey) => ({
        metricKey,
        label: powerClamps?.[metricKey.slice('power'.length)] ?? metrics[metricKey].label,
      })),
    }
  })
}

/** The views of a property and the devices that they show; refuses as `findProperty` does. */
async function homeOf(tx: TenantTx, actor: Actor, propertyId: string) {
  await findProperty(tx, actor, propertyId)
  const devices = await devicesOfHome(tx, actor, propertyId)
  // The heating state is shown to everyone, including users who see none of the devices.
  const heating = await tx
    .selectFrom('device')
    .select('monitoring')
    .distinct()
    .where('tenant_id', '=', tx.tenant)
    .where('property_id', '=', propertyId)
    .execute()
  const monitoring = monitoringOfHome(heating.map((row) => row.monitoring))
  return { devices, views: homeTelemetryViews({ monitoring, devices }, actor.features) }
}
