import { useMemo } from 'react'
import type { Property } from '@caretaker/contract/properties.ts'
import { getPropertyTelemetryChart, getPropertyTelemetryViews } from '@caretaker/contract/calls/telemetry.ts'
import { homeRangeShortcuts, homeZone } from '@caretaker/rules/telemetry/ranges.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import type { TelemetrySource } from '../../../telemetry/source.ts'
import { Telemetry } from '../../../telemetry/telemetry.tsx'
import { propertyPageKey, thisWeek } from '../queries.ts'
import { dampStripOf } from './damp-strip.tsx'
import { sensorsOf } from './sensors.tsx'

/** The readings and events of a property's devices: separate charts, one call. */
export function PropertyTelemetry({ property: { propertyId, propertyReference } }: { property: Property }) {
  const { tenant } = useActor()
  const source = useMemo(
    () => sourceOf(tenant, propertyId, propertyReference || 'property'),
    [tenant, propertyId, propertyReference],
  )
  return <Telemetry source={source} />
}

const sourceOf = (tenant: string, propertyId: string, name: string): TelemetrySource => ({
  id: propertyId,
  name,
  key: [...propertyPageKey(tenant, propertyId), 'telemetry'],
  lastingKey: [tenant, 'telemetry', propertyId],
  shortcuts: homeRangeShortcuts,
  zone: homeZone,
  below: { humidity: dampStripOf(tenant, propertyId), events: sensorsOf(tenant, propertyId) },
  empty: { chart: 'No data available', figure: 'No Data', events: 'No data available' },
  fetchViews: async (signal) =>
    (await call(getPropertyTelemetryViews, { params: { tenant, propertyId } }, { signal })).results,
  fetchCard: async ({ view, card, range }, signal) => {
    const { from, to } = range ?? thisWeek()
    const query = { view, chart: card.id, from: new Date(from).toISOString(), to: new Date(to).toISOString() }
    const { chart } = await call(getPropertyTelemetryChart, { params: { tenant, propertyId }, query }, { signal })
    return { from, to, chart }
  },
})
