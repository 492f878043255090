import { queryOptions } from '@tanstack/react-query'
import { getDeviceTestSchedule } from '@caretaker/contract/calls/groups.ts'
import type { NetworkingDevice } from '@caretaker/contract/devices.ts'
import { getDeviceMetrics } from '@caretaker/contract/calls/telemetry.ts'
import { measures } from '@caretaker/rules/telemetry/metrics.ts'
import { signalFall } from '@caretaker/rules/telemetry/signal-fall.ts'
import { call } from '../../api/call.ts'
import { devicePageKey } from '../../api/device.ts'

/** The tests of the lights connected through a gateway or extender. */
export const testsQuery = (tenant: string, deviceId: string) =>
  queryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'tests through it'],
    meta: { shows: { subjects: ['group', 'device tests'] } },
    queryFn: ({ signal }) => call(getDeviceTestSchedule, { body: { tenant, deviceId } }, { signal }),
  })

/** How far back the usual signal is computed, in ms. */
const usualRange = 7 * 86_400_000

/** Whether the signal of a gateway or extender fell before contact was lost, and in which metric; null if not. */
export const signalFallQuery = (
  tenant: string,
  { deviceId, productId, lastHeard }: Pick<NetworkingDevice, 'deviceId' | 'productId' | 'lastHeard'>,
) =>
  queryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'signal before', lastHeard],
    enabled: lastHeard !== null,
    queryFn: async ({ signal }) => {
      const to = Date.parse(lastHeard!)
      const metric: 'gsmSignal' | 'linkQuality' = measures(productId, 'gsmSignal') ? 'gsmSignal' : 'linkQuality'
      const range = { from: to - usualRange, to: to + 1 }
      const [series] = await call(
        getDeviceMetrics,
        { body: { tenant, deviceId, ...range, metrics: [metric] } },
        { signal },
      )
      const fall = signalFall(metric, series?.series ?? [])
      return fall ? { metric, ...fall } : null
    },
  })
