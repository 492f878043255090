import type { Chart } from '@caretaker/contract/telemetry.ts'
import { getDeviceTelemetryCharts } from '@caretaker/contract/telemetry.ts'
import { rangeShortcuts } from '@caretaker/rules/telemetry/ranges.ts'
import { call } from '../api/call.ts'
import { devicePageKey } from '../api/device.ts'
import type { TelemetrySource } from '../telemetry/source.ts'

/** What a device and its home measured, and what went on. */
export const deviceSource = (tenant: string, deviceId: string, name: string): TelemetrySource => ({
  id: deviceId,
  name,
  key: devicePageKey(tenant, deviceId),
  lastingKey: [tenant, 'telemetry', deviceId],
  shortcuts: rangeShortcuts,
  empty: { chart: 'No data available.', figure: 'No data available.', events: 'No events' },
  fetchViews: async (signal) =>
    (await call(getDeviceTelemetryCharts, { body: { tenant, deviceId, charts: [] } }, { signal })).views,
  fetchCard: async ({ view, chart: wanted, range }, signal) => {
    const body = { tenant, deviceId, view, charts: [wanted], ...range }
    const data = (await call(getDeviceTelemetryCharts, { body }, { signal })) as Answer | null
    const chart = data?.charts?.[0]
    return data && chart ? { from: Date.parse(data.from), to: Date.parse(data.to), chart } : null
  },
})

/** As it may come from a server that has nothing to tell. */
type Answer = { from: string; to: string; charts: Chart[] | null }
