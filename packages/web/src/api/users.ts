import { queryOptions } from '@tanstack/react-query'
import { listUsers } from '@caretaker/contract/calls/people.ts'
import { call } from './call.ts'

/** The members of a client, for administration and for selection. */
export const usersQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'users'],
    meta: { shows: { subjects: ['user'], edited: true } },
    queryFn: async ({ signal }) => (await call(listUsers, { params: { tenant } }, { signal })).results,
  })
