import { useQuery } from '@tanstack/react-query'
import { getTenantDashboardData } from '@caretaker/contract/calls/dashboard.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { listingRefresh } from '@caretaker/rules/lists/staleness.ts'
import type { PlaceArea } from '@caretaker/rules/links/places.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'

/** What the sidebar counts of an area: devices that have failed, or homes that need attention. */
export interface AreaCount {
  count: number
  words: string
}

const none: AreaCount = { count: 0, words: '' }

/** How many devices of each listing have failed, as its view of failed ones shows, and how many homes need attention, as the dashboard says. */
export function useFailedCounts(): (area: PlaceArea) => AreaCount {
  const { tenant } = useActor()
  const { data } = useQuery({
    queryKey: [tenant, 'failed counts'],
    // On every page, so less often than the dashboard asks.
    meta: { shows: { subjects: ['device', 'property'], apart: 15_000 } },
    queryFn: ({ signal }) => call(getTenantDashboardData, { body: { tenant } }, { signal }),
    refetchInterval: listingRefresh,
  })
  return (area) => {
    if (!data) return none
    if (area !== 'Properties') return failed(data.listings[area as ListingName]?.fail ?? 0)
    const count = data.homesNeedingAttention
    return { count, words: `${count.toLocaleString('en-GB')} ${count === 1 ? 'needs' : 'need'} attention` }
  }
}

export const failed = (count: number): AreaCount => ({ count, words: `${count.toLocaleString('en-GB')} failed` })
