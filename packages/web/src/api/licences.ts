import { queryOptions } from '@tanstack/react-query'
import { getLicenceSummary } from '@caretaker/contract/calls/dashboard.ts'
import { call } from './call.ts'

/** The licences of the managed service; they change with the day. */
export const licencesQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'licences'],
    queryFn: ({ signal }) => call(getLicenceSummary, { params: { tenant } }, { signal }),
  })
