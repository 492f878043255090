import { queryOptions } from '@tanstack/react-query'
import { getTenantDashboardData, getWorklist } from '@caretaker/contract/calls/dashboard.ts'
import { listingRefresh } from '@caretaker/rules/lists/staleness.ts'
import { call } from '../../api/call.ts'

/** The counts of every widget, kept up to date. */
export const dashboardQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'dashboard'],
    meta: { shows: { subjects: ['device'], apart: 5000 } },
    queryFn: ({ signal }) => call(getTenantDashboardData, { body: { tenant } }, { signal }),
    refetchInterval: listingRefresh,
  })

/** The worklist, kept up to date. */
export const worklistQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'worklist'],
    meta: { shows: { subjects: ['device', 'property'], apart: 5000 } },
    queryFn: ({ signal }) => call(getWorklist, { body: { tenant } }, { signal }),
    refetchInterval: listingRefresh,
  })
