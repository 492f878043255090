import type { QueryClient } from '@tanstack/react-query'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  fetchViewData,
  getBoiler,
  getEmered,
  getNetworkingDevice,
  shouldUpdateDevice,
  shouldUpdateView,
} from '@caretaker/contract/devices.ts'
import type { ViewData } from '@caretaker/contract/devices.ts'
import { getBcmConnectedDevice } from '@caretaker/contract/handover.ts'
import { getAllDeviceTests, getDeviceCommands, runT0Test } from '@caretaker/contract/lighting.ts'
import type { Command } from '@caretaker/contract/lighting.ts'
import { getDeviceTelemetryCharts } from '@caretaker/contract/telemetry.ts'
import type { ListingName } from '@caretaker/rules/views/listings.ts'
import { devicePoll, listingRefresh, listings } from '@caretaker/rules/views/listings.ts'
import { call } from '../../api/call.ts'
import type { ListingPlace } from './listing-place.ts'

/** Milliseconds after which a listing is fetched anew even though nothing seems to have changed (core, section 9). */
const viewDataStaleness = 5 * 60_000

/**
 * One page of a listing. Fetched again, it first asks whether a device has changed, and keeps what it has when none has;
 * TanStack Query leaves out a refresh while an earlier one is still on its way.
 */
export const listingQuery = (tenant: string, listing: ListingName, place: ListingPlace) => {
  const { page, sort, descending } = place
  const key = [tenant, 'listing', listing, { page, sort, descending }] as const
  return queryOptions({
    queryKey: key,
    queryFn: async ({ client, signal }): Promise<ViewData> => {
      const known = client.getQueryData<ViewData>(key)
      if (known && !(await isOutdated(tenant, listing, known, signal))) return known
      return call(fetchViewData, { body: { tenant, listing, page, sort, descending } }, { signal })
    },
    // While another page or order loads, what was there stays; but never the rows of another listing.
    placeholderData: (previous, query) =>
      query?.queryKey[0] === tenant && query.queryKey[2] === listing ? previous : undefined,
    refetchInterval: listingRefresh,
  })
}

async function isOutdated(tenant: string, listing: ListingName, known: ViewData, signal: AbortSignal) {
  if (Date.now() - Date.parse(known.updatedAt) > viewDataStaleness) return true
  const deviceTypes = [...listings[listing].products]
  const { shouldUpdate } = await call(
    shouldUpdateView,
    { body: { tenant, deviceTypes, date: known.updatedAt } },
    { signal },
  )
  return shouldUpdate
}

const readers = { EmergencyLights: getEmered, Boilers: getBoiler, NetworkingDevices: getNetworkingDevice }

/** The boiler control module that a device is connected to. */
export const bcmQuery = (tenant: string, deviceId: string) =>
  queryOptions({
    queryKey: [tenant, 'bcm', deviceId],
    queryFn: ({ signal }) => call(getBcmConnectedDevice, { body: { tenant, deviceId } }, { signal }),
  })

/** Everything of a device's page has this at the beginning of its key. */
const pageKey = (tenant: string, deviceId: string) => [tenant, 'device', deviceId] as const

export const deviceQuery = (tenant: string, listing: ListingName, deviceId: string) =>
  queryOptions({
    queryKey: [...pageKey(tenant, deviceId), 'details', listing],
    queryFn: ({ signal }) => call(readers[listing], { body: { tenant, deviceId } }, { signal }),
  })

export const chartsQuery = (tenant: string, deviceId: string) =>
  queryOptions({
    queryKey: [...pageKey(tenant, deviceId), 'charts'],
    queryFn: ({ signal }) => call(getDeviceTelemetryCharts, { body: { tenant, deviceId } }, { signal }),
  })

export const testsQuery = (tenant: string, deviceId: string) =>
  queryOptions({
    queryKey: [...pageKey(tenant, deviceId), 'tests'],
    queryFn: ({ signal }) => call(getAllDeviceTests, { body: { tenant, deviceId } }, { signal }),
  })

/** The device's commands; while one is on its way they are asked for as often as the device itself. */
export const commandsQuery = (tenant: string, deviceId: string) =>
  queryOptions({
    queryKey: [...pageKey(tenant, deviceId), 'commands'],
    queryFn: ({ signal }) => call(getDeviceCommands, { body: { tenant, deviceId } }, { signal }),
    refetchInterval: ({ state }) => (state.data?.some(isOnItsWay) ? devicePoll : false),
  })

export function isOnItsWay(command: Pick<Command, 'status'>): boolean {
  return command.status === 'queued' || command.status === 'sent'
}

/** Fetches what a device's page shows first, because the person is about to open it. */
export function prefetchDevice(client: QueryClient, tenant: string, listing: ListingName, deviceId: string): void {
  void client.prefetchQuery(deviceQuery(tenant, listing, deviceId))
}

/**
 * Keeps the page of a device current: asks every 3 s whether the device or what it said has changed, and when it has,
 * fetches everything of the page again. It does not ask while an update is pending.
 */
export function useDeviceUpdates(tenant: string, deviceId: string, enabled: boolean): void {
  const client = useQueryClient()
  const page = pageKey(tenant, deviceId)
  const key = [...page, 'changes'] as const
  const rest = {
    queryKey: page,
    predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[3] !== 'changes',
  }
  useQuery({
    queryKey: key,
    enabled,
    staleTime: 0,
    refetchInterval: devicePoll,
    retry: false,
    queryFn: async ({ signal }): Promise<{ seen: string }> => {
      const known = client.getQueryData<{ seen: string }>(key)
      if (known && client.isFetching(rest) > 0) return known
      const asked = Date.now()
      const date = known?.seen ?? 0
      const { shouldUpdate, updatedAt } = await call(
        shouldUpdateDevice,
        { body: { tenant, deviceId, date } },
        { signal },
      )
      // The first answer only says how new the device is: it concerns what was fetched before the question was asked.
      const concerned = known ? rest : { ...rest, predicate: isOlderThan(asked, rest.predicate) }
      if (shouldUpdate) void client.invalidateQueries(concerned)
      return { seen: updatedAt }
    },
  })
}

interface Fetched {
  queryKey: readonly unknown[]
  state: { dataUpdatedAt: number }
}

function isOlderThan(time: number, also: (query: Fetched) => boolean) {
  return (query: Fetched) => also(query) && query.state.dataUpdatedAt > 0 && query.state.dataUpdatedAt < time
}

/** Sends a flick test to an emergency light. */
export function sendFlickTest(tenant: string, deviceId: string) {
  return call(runT0Test, { form: { tenant, deviceId } })
}
