import type { QueryClient } from '@tanstack/react-query'
import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query'
import { getDocument, getDocuments } from '@caretaker/contract/calls/documents.ts'
import { getPropertyAudit } from '@caretaker/contract/calls/property-audit.ts'
import { getPropertyLicences } from '@caretaker/contract/calls/property-licences.ts'
import { getProperty, getPropertyDevices, putPropertyDetails } from '@caretaker/contract/calls/properties.ts'
import { getHomeApplianceRecords, getPropertySafety } from '@caretaker/contract/calls/property-safety.ts'
import type { Property, PropertyChanges, PropertyDevice } from '@caretaker/contract/properties.ts'
import { getResidents } from '@caretaker/contract/calls/residents.ts'
import { getPropertyDamp, getPropertyDampCells } from '@caretaker/contract/calls/damp.ts'
import {
  getDevicesMetrics,
  getPowerMeter,
  getPropertyMetrics,
  getPropertyTelemetryChart,
  telemetryLimits,
} from '@caretaker/contract/calls/telemetry.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import { measures } from '@caretaker/rules/telemetry/metrics.ts'
import type { TimeRange } from '@caretaker/rules/telemetry/ranges.ts'
import { homeRangeShortcuts, homeZone, rangeOfDays } from '@caretaker/rules/telemetry/ranges.ts'
import { askVoidAgain, getPropertyVoid } from '@caretaker/contract/calls/void-mode.ts'
import type { HeldEffect } from '@caretaker/rules/properties/void.ts'
import { refreshTenant } from '../../actions/refresh.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { textsOf } from '../../api/errors.ts'

/** The prefix of all query keys of a property page. */
export const propertyPageKey = (tenant: string, propertyId: string) => [tenant, 'property', propertyId] as const

export const propertyQuery = (tenant: string, propertyId: string) =>
  queryOptions({
    queryKey: [...propertyPageKey(tenant, propertyId), 'details'],
    // Data about its devices changes with them.
    meta: { shows: { subjects: ['property', 'device'] } },
    queryFn: ({ signal }) => call(getProperty, { params: { tenant, propertyId } }, { signal }),
  })

export const propertySafetyQuery = (tenant: string, propertyId: string) =>
  queryOptions({
    queryKey: [...propertyPageKey(tenant, propertyId), 'safety'],
    meta: { shows: { subjects: ['property', 'device'] } },
    queryFn: ({ signal }) => call(getPropertySafety, { params: { tenant, propertyId } }, { signal }),
  })

/** The records of a gas appliance without a connected device. */
export const applianceRecordsQuery = (tenant: string, propertyId: string, applianceId: string) =>
  queryOptions({
    queryKey: [...propertyPageKey(tenant, propertyId), 'appliance', applianceId],
    meta: { shows: { subjects: ['property'] } },
    queryFn: async ({ signal }) =>
      (await call(getHomeApplianceRecords, { params: { tenant, propertyId, applianceId } }, { signal })).records,
  })

export const propertyDevicesQuery = (tenant: string, propertyId: string) =>
  queryOptions({
    queryKey: [...propertyPageKey(tenant, propertyId), 'devices'],
    meta: { shows: { subjects: ['property', 'device'] } },
    queryFn: async ({ signal }) =>
      (await call(getPropertyDevices, { params: { tenant, propertyId } }, { signal })).results,
  })

const airMetrics: readonly MetricKey[] = ['temperature', 'humidity', 'co2', 'batteryLevel', 'linkQuality']

/** Whether a device measures the air of a room. */
export const isSensor = ({ product }: PropertyDevice) => measures(product, 'temperature')

/** The largest number of sensors per call. */
const sensorsAtOnce = telemetryLimits.series / airMetrics.length

/** The last sensor readings of a property, by id and metric. */
export const sensorReadingsQuery = (tenant: string, propertyId: string, sensors: readonly PropertyDevice[]) => {
  const deviceIds = sensors.map(({ deviceId }) => deviceId)
  return queryOptions({
    queryKey: [...propertyPageKey(tenant, propertyId), 'sensors', ...deviceIds],
    meta: { shows: { subjects: ['device readings'], deviceIds } },
    queryFn: async ({ signal }) => {
      const to = Date.now()
      const wanted = sensors.map(({ deviceId, product }) => ({
        deviceId,
        metrics: airMetrics.filter((key) => measures(product, key)),
      }))
      const parts = Array.from({ length: Math.ceil(wanted.length / sensorsAtOnce) }, (_, part) =>
        wanted.slice(part * sensorsAtOnce, (part + 1) * sensorsAtOnce),
      )
      // The newest reading of each series is included whatever the range.
      const answers = await Promise.all(
        parts.map((devices) => call(getDevicesMetrics, { body: { tenant, from: to - 1, to, devices } }, { signal })),
      )
      return new Map(
        answers
          .flat()
          .map(({ deviceId, series }) => [
            deviceId,
            new Map(series.flatMap(({ metric, latest }) => (metric && latest ? [[metric, latest] as const] : []))),
          ]),
      )
    },
  })
}

/** The measurements of a property's power meter, by series. */
export const powerMeterQuery = (tenant: string, deviceId: string) =>
  queryOptions({
    queryKey: [tenant, 'power meter', deviceId],
    meta: { shows: { subjects: ['device'], deviceId } },
    queryFn: ({ signal }) => call(getPowerMeter, { params: { tenant, deviceId } }, { signal }),
  })

/** The effects of void mode change with commands to the devices and with their reports. */
export const propertyVoidQuery = (tenant: string, propertyId: string) =>
  queryOptions({
    queryKey: [...propertyPageKey(tenant, propertyId), 'void'],
    meta: { shows: { subjects: ['property', 'device', 'device commands', 'device state'] } },
    queryFn: ({ signal }) => call(getPropertyVoid, { params: { tenant, propertyId } }, { signal }),
  })

/** The damp and mould estimate changes over days, so recent readings do not refresh it. */
export const propertyDampQuery = (tenant: string, propertyId: string) =>
  queryOptions({
    queryKey: [...propertyPageKey(tenant, propertyId), 'damp'],
    meta: { shows: { subjects: ['property', 'device'] } },
    queryFn: ({ signal }) => call(getPropertyDamp, { params: { tenant, propertyId } }, { signal }),
  })

/** The last seven days for the property page, in ms. */
export const thisWeek = (): TimeRange =>
  rangeOfDays(homeRangeShortcuts.last7Days.days(dayAt(Date.now(), homeZone)), homeZone)

const instants = ({ from, to }: TimeRange) => ({ from: new Date(from).toISOString(), to: new Date(to).toISOString() })

/** How near each room came to mould conditions; by default for the last seven days. New data is added every hour. */
export const propertyDampCellsQuery = (tenant: string, propertyId: string, range: TimeRange | undefined) =>
  queryOptions({
    queryKey: [...propertyPageKey(tenant, propertyId), 'damp', 'cells', range?.from, range?.to],
    queryFn: async ({ signal }) => {
      const asked = range ?? thisWeek()
      const query = instants(asked)
      // As in the charts around it, the rest of today has no data yet.
      const to = Math.max(asked.from + 1, Math.min(asked.to, Date.now()))
      return {
        from: asked.from,
        to,
        ...(await call(getPropertyDampCells, { params: { tenant, propertyId }, query }, { signal })),
      }
    },
  })

/** The energy use of a property on each of the last seven days, and the burner time, if known. */
export const propertyEnergyQuery = (
  tenant: string,
  { propertyId, monitoring }: Pick<Property, 'propertyId' | 'monitoring'>,
) =>
  queryOptions({
    queryKey: [...propertyPageKey(tenant, propertyId), 'energy'],
    queryFn: async ({ signal }) => {
      const range = thisWeek()
      const days = async (view: 'property' | 'assets', chart: string) => {
        const query = { view, chart, ...instants(range) }
        const answer = await call(getPropertyTelemetryChart, { params: { tenant, propertyId }, query }, { signal })
        return answer.chart.dataSeries[0]?.series ?? []
      }
      const [energy, heating] = await Promise.all([
        days('property', 'energyBars'),
        monitoring === 'Boiler' ? days('assets', 'burnerBars') : [],
      ])
      return { ...range, energy, heating }
    },
  })

/** The residents who have requested the property in the resident app. */
export const propertyResidentsQuery = (tenant: string, propertyId: string) =>
  queryOptions({
    queryKey: [...propertyPageKey(tenant, propertyId), 'residents'],
    meta: { shows: { subjects: ['resident'] } },
    queryFn: async ({ signal }) =>
      (await call(getResidents, { params: { tenant }, query: { propertyId } }, { signal })).results,
  })

const week = 7 * 86_400_000

/** The temperature and humidity of a property's rooms over the last week. */
export const propertyAirQuery = (tenant: string, propertyId: string) =>
  queryOptions({
    queryKey: [...propertyPageKey(tenant, propertyId), 'air'],
    meta: { shows: { subjects: ['device'] } },
    refetchInterval: 60_000,
    queryFn: async ({ signal }) => {
      const to = Date.now()
      const range = { propertyId, from: new Date(to - week).toISOString(), to: new Date(to).toISOString() }
      const [temperature, humidity] = await Promise.all(
        (['temperature', 'humidity'] as const).map((metricKey) =>
          call(getPropertyMetrics, { params: { tenant }, query: { ...range, metricKey } }, { signal }),
        ),
      )
      return { from: to - week, to, temperature: temperature!.results, humidity: humidity!.results }
    },
  })

/**
 * Sends the command of a void effect to a device again; the page then shows the current state, even after a refusal.
 */
export async function askAgain(
  client: QueryClient,
  tenant: string,
  propertyId: string,
  body: { deviceId: string; effect: HeldEffect },
): Promise<void> {
  try {
    await call(askVoidAgain, { params: { tenant, propertyId }, body })
  } finally {
    await client.invalidateQueries({ queryKey: [...propertyPageKey(tenant, propertyId), 'void'] })
  }
}

/** Licences change by the day. */
export const propertyLicencesQuery = (tenant: string, propertyId: string) =>
  queryOptions({
    queryKey: [...propertyPageKey(tenant, propertyId), 'licences'],
    queryFn: ({ signal }) => call(getPropertyLicences, { params: { tenant, propertyId } }, { signal }),
  })

/** The photographs of a property, newest first. */
export const propertyRecordsQuery = (tenant: string, propertyId: string) =>
  queryOptions({
    queryKey: [...propertyPageKey(tenant, propertyId), 'records'],
    meta: { shows: { subjects: ['property'] } },
    queryFn: async ({ signal }) => {
      const query = { propertyId, contentType: 'image/jpeg', documentType: 'PropertyRecords' } as const
      const { results } = await call(getDocuments, { params: { tenant }, query }, { signal })
      return results.filter((document) => document.documentType === 'PropertyRecords')
    },
  })

/** The image, which never changes. */
export const photographQuery = (tenant: string, id: string) =>
  queryOptions({
    queryKey: [tenant, 'photograph', id],
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
    queryFn: ({ signal }) => photograph(tenant, id, signal),
  })

export async function photograph(tenant: string, id: string, signal?: AbortSignal): Promise<File> {
  const content = await call(getDocument, { params: { tenant, id } }, signal ? { signal } : {})
  if (content instanceof File) return content
  throw new Error('The file is not a photograph')
}

export const propertyAuditQuery = (tenant: string, propertyId: string, page: { page: number; pageSize: number }) =>
  queryOptions({
    queryKey: [...propertyPageKey(tenant, propertyId), 'audit', page.page, page.pageSize],
    meta: { shows: { subjects: ['property', 'device', 'audit'] } },
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => call(getPropertyAudit, { params: { tenant }, query: { propertyId, ...page } }, { signal }),
  })

/** Sends a change to a property: resolves when the page shows the stored value, rejects with the server's messages. */
export function usePropertyEdit({ propertyId, version }: Pick<Property, 'propertyId' | 'version'>) {
  const { tenant } = useActor()
  const client = useQueryClient()
  const edit = async (sent: Promise<unknown>): Promise<void> => {
    try {
      await sent
    } catch (error) {
      // After a refusal the page shows the current state.
      void client.invalidateQueries({ queryKey: propertyPageKey(tenant, propertyId) })
      throw new Error(textsOf(error).join(' '), { cause: error })
    }
    await client.invalidateQueries({ queryKey: [...propertyPageKey(tenant, propertyId), 'details'] })
    void client.invalidateQueries({ queryKey: [...propertyPageKey(tenant, propertyId), 'void'] })
    // Listings and counts are refreshed in the background.
    void refreshTenant(client, tenant)
  }
  const change = (changes: PropertyChanges) =>
    edit(call(putPropertyDetails, { params: { tenant, propertyId }, body: { ...changes, version } as never }))
  return { edit, change }
}
