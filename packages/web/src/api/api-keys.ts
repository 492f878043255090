import { queryOptions } from '@tanstack/react-query'
import { getApiKeys } from '@caretaker/contract/calls/api-keys.ts'
import { call } from './call.ts'

/** The API keys of a client: listed in the settings, and shown when a user is removed, because the user's keys stay. */
export const apiKeysQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'api keys'],
    meta: { shows: { subjects: ['api key', 'user'] } },
    queryFn: async ({ signal }) => (await call(getApiKeys, { params: { tenant } }, { signal })).results,
  })
