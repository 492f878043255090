import { queryOptions } from '@tanstack/react-query'
import type { BoilerFault } from '@caretaker/contract/faults.ts'
import { getBoilerFaults } from '@caretaker/contract/calls/faults.ts'
import { getBcmConnectedDevice } from '@caretaker/contract/calls/links.ts'
import { getDeviceEvents, getDeviceMetrics, getDevicesMetrics } from '@caretaker/contract/calls/telemetry.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import { call } from '../../api/call.ts'
import { devicePageKey } from '../../api/device.ts'
import type { LiveSource } from './live-values.ts'

/** The boiler control module of a connected device. */
export const bcmQuery = (tenant: string, deviceId: string) =>
  queryOptions({
    queryKey: [tenant, 'bcm', deviceId],
    queryFn: ({ signal }) => call(getBcmConnectedDevice, { body: { tenant, deviceId } }, { signal }),
  })

/** Faults of the boiler and its autofills over the last days, newest first. */
export const faultsQuery = (tenant: string, deviceId: string, days: number) =>
  queryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'faults', days],
    // Autofills are separate devices, and one may get its first fault; a reset that ended a fault is included.
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

/** The readings of a connected device over the last days. */
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

/** The events of an autofill over the last days, including fills. */
export const topUpsQuery = (tenant: string, deviceId: string, days: number) =>
  queryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'events', days],
    meta: { shows: { subjects: ['device events'], deviceId } },
    queryFn: ({ signal }) => {
      const to = Date.now()
      return call(getDeviceEvents, { body: { tenant, deviceId, from: to - days * 86_400_000, to } }, { signal })
    },
  })

/** The time range of live values, in ms. */
const liveRange = 6 * 3_600_000
/** How often the range moves without new data, in ms. */
const liveEvery = 60_000

/** Recent readings of a property's devices. */
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
