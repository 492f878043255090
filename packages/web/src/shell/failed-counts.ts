import { useQuery } from '@tanstack/react-query'
import { getTenantDashboardData } from '@caretaker/contract/calls/dashboard.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { listingRefresh } from '@caretaker/rules/lists/staleness.ts'
import type { PlaceArea } from '@caretaker/rules/links/places.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'

/** The sidebar count of an area: failed devices, or properties that need attention. */
export interface AreaCount {
  count: number
  words: string
}

const none: AreaCount = { count: 0, words: '' }

/**
 * The number of failed devices per listing (as in its view of failed ones), and of properties that need attention (as
 * on the dashboard).
 */
export function useFailedCounts(): (area: PlaceArea) => AreaCount {
  const { tenant } = useActor()
  const { data } = useQuery({
    queryKey: [tenant, 'failed counts'],
    // Shown on every page, so refreshed less often than on the dashboard.
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
