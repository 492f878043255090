import { queryOptions } from '@tanstack/react-query'
import { getResidentAppKeys, getResidentAppSettings, getResidents } from '@caretaker/contract/calls/residents.ts'
import { call } from '../../../api/call.ts'

/** The support contacts of the resident app. */
export const contactsQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'resident app'],
    queryFn: ({ signal }) => call(getResidentAppSettings, { params: { tenant } }, { signal }),
  })

/** The keys of the resident app. */
export const appKeysQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'resident app keys'],
    meta: { shows: { subjects: ['api key'] } },
    queryFn: async ({ signal }) => (await call(getResidentAppKeys, { params: { tenant } }, { signal })).results,
  })

export const residentsQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'residents'],
    meta: { shows: { subjects: ['resident'] } },
    queryFn: async ({ signal }) => (await call(getResidents, { params: { tenant }, query: {} }, { signal })).results,
  })
