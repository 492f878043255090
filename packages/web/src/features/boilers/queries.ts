import { queryOptions } from '@tanstack/react-query'
import type { BoilerFault } from '@caretaker/contract/faults.ts'
import { getBoilerFaults } from '@caretaker/contract/calls/faults.ts'
import { getBcmConnectedDevice } from '@caretaker/contract/calls/links.ts'
import { getDeviceEvents, getDeviceMetrics, getDevicesMetrics } from '@caretaker/contract/calls/telemetry.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import { call } from '../../api/call.ts'
import { devicePageKey } from '../../api/device.ts'
import type { LiveSource } from './live-values.ts'

/** The boiler control module that a device is connected to. */
export const bcmQuery = (tenant: string, deviceId: string) =>
  queryOptions({
    queryKey: [tenant, 'bcm', deviceId],
    queryFn: ({ signal }) => call(getBcmConnectedDevice, { body: { tenant, deviceId } }, { signal }),
  })

/** Faults of the boiler and its autofills of so many last days, newest first. */
export const faultsQuery = (tenant: string, deviceId: string, days: number) =>
  queryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'faults', days],
    // Autofills are devices of their own, of which one may have its first; a reset that ended a fault is told with it.
    meta: {
      shows: {
        subjects: ['device'],
        products: ['BX', 'BC', 'ASHP', 'AF', 'AZ'],
        rowsIn: (faults) => [deviceId, ...((faults as BoilerFault[]) ?? []).map((fault) => fault.deviceId)],
      },
    },
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - days * 86_400_000).toISOString()
      return call(getBoilerFaults, { body: { tenant, deviceId, from } }, { signal })
    },
  })

/** What a connected device measured in so many last days. */
export const connectedReadingsQuery = (
  tenant: string,
  deviceId: string,
  { metrics, days }: { metrics: MetricKey[]; days: number },
) =>
  queryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'readings', days, ...metrics],
    meta: { shows: { subjects: ['device readings'], deviceId } },
    enabled: metrics.length > 0,
    queryFn: async ({ signal }) => {
      const to = Date.now()
      const from = to - days * 86_400_000
      return {
        from,
        to,
        series: await call(getDeviceMetrics, { body: { tenant, deviceId, from, to, metrics } }, { signal }),
      }
    },
  })

/** What an autofill told of in so many last days, its fills among it. */
export const topUpsQuery = (tenant: string, deviceId: string, days: number) =>
  queryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'events', days],
    meta: { shows: { subjects: ['device events'], deviceId } },
    queryFn: ({ signal }) => {
      const to = Date.now()
      return call(getDeviceEvents, { body: { tenant, deviceId, from: to - days * 86_400_000, to } }, { signal })
    },
  })

/** What the live values cover, in ms. */
const liveRange = 6 * 3_600_000
/** Its range moves on, also when nothing is heard, in ms. */
const liveEvery = 60_000

/** What devices of a home measured in the last hours. */
export const liveQuery = (tenant: string, deviceId: string, sources: readonly LiveSource[]) =>
  queryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'live', sources],
    meta: { shows: { subjects: ['device readings'], deviceIds: sources.map((source) => source.deviceId) } },
    refetchInterval: liveEvery,
    queryFn: async ({ signal }) => {
      const to = Date.now()
      const from = to - liveRange
      const body = { tenant, from, to, devices: [...sources] }
      return { from, to, devices: await call(getDevicesMetrics, { body }, { signal }) }
    },
  })
