import { queryOptions } from '@tanstack/react-query'
import { getSession, getTenants } from '@caretaker/contract/calls/session.ts'
import { getCapabilities, getFeatures, getTenantInfo } from '@caretaker/contract/calls/tenants.ts'
import { call } from '../api/call.ts'

/** The signed-in user. */
export const sessionQuery = queryOptions({
  queryKey: [getSession.path],
  queryFn: ({ signal }) => call(getSession, {}, { signal }),
  staleTime: 60_000,
  // There is no screen yet to show a lost connection, so this query fails instead of pausing.
  networkMode: 'always',
})

/** The clients to choose from. */
export const clientsQuery = queryOptions({
  queryKey: [getTenants.path],
  queryFn: ({ signal }) => call(getTenants, { body: { tenant: null } }, { signal }),
})

/**
 * The feature flags of a client. Query keys of a client's data begin with its id, so that leaving it drops them all.
 */
export const featuresQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'features'],
    meta: { shows: { subjects: ['client'] } },
    queryFn: ({ signal }) => call(getFeatures, { params: { tenant } }, { signal }),
    staleTime: 60_000,
    networkMode: 'always',
  })

export const capabilitiesQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'capabilities'],
    meta: { shows: { subjects: ['client'] } },
    queryFn: ({ signal }) => call(getCapabilities, { params: { tenant } }, { signal }),
    staleTime: 60_000,
    networkMode: 'always',
  })

/** The id, name, contacts and settings of a client; they rarely change. */
export const tenantInfoQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'info'],
    meta: { shows: { subjects: ['client'] } },
    queryFn: ({ signal }) => call(getTenantInfo, { body: { tenant } }, { signal }),
    staleTime: 5 * 60_000,
  })
