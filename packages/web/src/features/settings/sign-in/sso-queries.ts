import { queryOptions } from '@tanstack/react-query'
import { getSsoConnections } from '@caretaker/contract/calls/single-sign-on.ts'
import { call } from '../../../api/call.ts'

export const ssoQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'single sign-on'],
    meta: { shows: { subjects: ['client'] } },
    queryFn: ({ signal }) => call(getSsoConnections, { params: { tenant } }, { signal }),
  })
