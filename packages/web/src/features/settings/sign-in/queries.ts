import { queryOptions } from '@tanstack/react-query'
import { getGroupAccess } from '@caretaker/contract/calls/group-access.ts'
import { getProvisioning } from '@caretaker/contract/calls/provisioning.ts'
import { call } from '../../../api/call.ts'

/** The roles that groups in the directory grant. */
export const groupAccessQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'group access'],
    meta: { shows: { subjects: ['client'], edited: true } },
    queryFn: async ({ signal }) => (await call(getGroupAccess, { params: { tenant } }, { signal })).rows,
  })

/** How the directory provisions users. */
export const provisioningQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'provisioning'],
    meta: { shows: { subjects: ['client', 'api key', 'user'] } },
    queryFn: ({ signal }) => call(getProvisioning, { params: { tenant } }, { signal }),
  })
