import { useQuery } from '@tanstack/react-query'
import { getTenantDashboardData } from '@caretaker/contract/calls/dashboard.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { listingRefresh } from '@caretaker/rules/lists/staleness.ts'
import type { PlaceArea } from '@caretaker/rules/links/places.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'

/** How many devices of each listing have failed, as its view of failed ones shows; undefined of what is no listing, or not loaded. */
export function useFailedCounts(): (area: PlaceArea) => number | undefined {
  const { tenant } = useActor()
  const { data } = useQuery({
    queryKey: [tenant, 'failed counts'],
    // On every page, so less often than the dashboard asks.
    meta: { shows: { subjects: ['device'], apart: 15_000 } },
    queryFn: ({ signal }) => call(getTenantDashboardData, { body: { tenant } }, { signal }),
    refetchInterval: listingRefresh,
  })
  return (area) => data?.listings[area as ListingName]?.fail
}
