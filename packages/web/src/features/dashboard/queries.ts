import { queryOptions } from '@tanstack/react-query'
import { getTenantDashboardData } from '@caretaker/contract/devices.ts'
import { listingRefresh } from '@caretaker/rules/views/listings.ts'
import { call } from '../../api/call.ts'

/** The counts of every device family, kept current. */
export const dashboardQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'dashboard'],
    queryFn: ({ signal }) => call(getTenantDashboardData, { body: { tenant } }, { signal }),
    refetchInterval: listingRefresh,
  })
