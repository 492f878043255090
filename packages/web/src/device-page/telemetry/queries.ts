import { queryOptions } from '@tanstack/react-query'
import type { Chart, TelemetryView } from '@caretaker/contract/telemetry.ts'
import { getDeviceTelemetryCharts } from '@caretaker/contract/telemetry.ts'
import { call } from '../../api/call.ts'
import { devicePageKey } from '../../api/device.ts'
import type { TimeRange } from '@caretaker/rules/telemetry/ranges.ts'

/** The views that the device has, without what they show. */
export const viewsQuery = (tenant: string, deviceId: string) =>
  queryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'telemetry'],
    queryFn: async ({ signal }) =>
      (await call(getDeviceTelemetryCharts, { body: { tenant, deviceId, charts: [] } }, { signal })).views,
  })

export interface CardAsked {
  tenant: string
  deviceId: string
  view: TelemetryView['id']
  card: TelemetryView['cards'][number]
  /** Undefined for the last week, up to the moment of asking. */
  range: TimeRange | undefined
}

/** One card with what it shows: null where the server has nothing for it. What is long over is not asked for again. */
export const cardQuery = ({ tenant, deviceId, view, card, range }: CardAsked) => {
  const isOver = range !== undefined && range.to < Date.now()
  return queryOptions({
    queryKey: [
      ...(isOver ? ([tenant, 'telemetry', deviceId] as const) : devicePageKey(tenant, deviceId)),
      'card',
      view,
      card.id,
      range,
    ],
    meta: isOver
      ? {}
      : {
          shows: {
            subjects: card.type === 'lineGraph' ? ['device readings'] : ['device readings', 'device events'],
            deviceIds: card.deviceIds,
          },
        },
    queryFn: async ({ signal }): Promise<{ from: number; to: number; chart: Chart } | null> => {
      const body = { tenant, deviceId, view, charts: [card.id], ...range }
      const data = (await call(getDeviceTelemetryCharts, { body }, { signal })) as Answer | null
      const chart = data?.charts?.[0]
      return data && chart ? { from: Date.parse(data.from), to: Date.parse(data.to), chart } : null
    },
  })
}

/** As it may come from a server that has nothing to tell. */
type Answer = { from: string; to: string; charts: Chart[] | null }
