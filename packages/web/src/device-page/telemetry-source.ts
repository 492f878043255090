import type { Chart } from '@caretaker/contract/telemetry.ts'
import { getDeviceTelemetryCharts } from '@caretaker/contract/calls/telemetry.ts'
import { rangeShortcuts } from '@caretaker/rules/telemetry/ranges.ts'
import { call } from '../api/call.ts'
import { devicePageKey } from '../api/device.ts'
import type { TelemetrySource } from '../telemetry/source.ts'
import { fetchTogether } from '../telemetry/together.ts'

/** The readings and events of a device and its property. */
export const deviceSource = (tenant: string, deviceId: string, name: string): TelemetrySource => ({
  id: deviceId,
  name,
  key: devicePageKey(tenant, deviceId),
  lastingKey: [tenant, 'telemetry', deviceId],
  shortcuts: rangeShortcuts,
  empty: { chart: 'No data available.', figure: 'No data available.', events: 'No events' },
  fetchViews: async (signal) =>
    (await call(getDeviceTelemetryCharts, { body: { tenant, deviceId, charts: [] } }, { signal })).views,
  fetchCard: fetchTogether(async (wanted, signal) => {
    const { view, range } = wanted[0]!
    const body = { tenant, deviceId, view, charts: wanted.map(({ card }) => card.id), views: false, ...range }
    const data = (await call(getDeviceTelemetryCharts, { body }, { signal })) as Answer | null
    return wanted.map((_, at) => {
      const chart = data?.charts?.[at]
      return data && chart ? { from: Date.parse(data.from), to: Date.parse(data.to), chart } : null
    })
  }),
})

/** As returned by a server without data. */
type Answer = { from: string; to: string; charts: Chart[] | null }
