import { queryOptions } from '@tanstack/react-query'
import { getReportRuns, getReports, getReportSchedules } from '@caretaker/contract/calls/reports.ts'
import { call } from '../../api/call.ts'

/** The reports that there are for the person, and the tags to narrow them by. */
export const reportsQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'reports'],
    meta: { shows: { subjects: ['access rights tag'], edited: true } },
    queryFn: ({ signal }) => call(getReports, { params: { tenant } }, { signal }),
  })

/** Milliseconds after which a report that is being written is asked after, should nobody tell of it. */
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
