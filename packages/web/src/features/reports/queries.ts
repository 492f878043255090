import { queryOptions } from '@tanstack/react-query'
import { getReportRuns, getReports, getReportSchedules } from '@caretaker/contract/calls/reports.ts'
import { call } from '../../api/call.ts'

/** The reports available to the user, and the tags to filter them. */
export const reportsQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'reports'],
    meta: { shows: { subjects: ['access rights tag'], edited: true } },
    queryFn: ({ signal }) => call(getReports, { params: { tenant } }, { signal }),
  })

/** Milliseconds after which a pending report is polled, if no change event arrives. */
const askedAgain = 3_000

export const runsQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'report runs'],
    meta: { shows: { subjects: ['report'], edited: true } },
    queryFn: ({ signal }) => call(getReportRuns, { params: { tenant } }, { signal }),
    refetchInterval: ({ state }) => (state.data?.runs.some(({ finishedAt }) => !finishedAt) ? askedAgain : false),
  })

export const schedulesQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'report schedules'],
    meta: { shows: { subjects: ['report'], edited: true } },
    queryFn: ({ signal }) => call(getReportSchedules, { params: { tenant } }, { signal }),
  })
