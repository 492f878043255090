import { queryOptions } from '@tanstack/react-query'
import { getTenantDashboardData, getWorklist } from '@caretaker/contract/dashboard.ts'
import { listingRefresh } from '@caretaker/rules/lists/staleness.ts'
import { call } from '../../api/call.ts'

/** The counts of every widget, kept current. */
export const dashboardQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'dashboard'],
    queryFn: ({ signal }) => call(getTenantDashboardData, { body: { tenant } }, { signal }),
    refetchInterval: listingRefresh,
  })

/** What needs the person today, kept current. */
export const worklistQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'worklist'],
    queryFn: ({ signal }) => call(getWorklist, { body: { tenant } }, { signal }),
    refetchInterval: listingRefresh,
  })
