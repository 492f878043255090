import type { QueryClient } from '@tanstack/react-query'
import { queryOptions } from '@tanstack/react-query'
import type { Tag } from '@caretaker/contract/tags.ts'
import { getAccessRightsTags, getTenantTags, tenantCreateTag } from '@caretaker/contract/calls/tags.ts'
import { call } from './call.ts'

/** The access rights tags of the client, shared by users, devices and settings. */
export const accessRightsTagsQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'access rights tags'],
    meta: { shows: { subjects: ['access rights tag'], edited: true } },
    queryFn: ({ signal }) => call(getAccessRightsTags, { params: { tenant } }, { signal }),
  })

/** The tags of the client and their alerts. */
export const tagsQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'tags'],
    meta: { shows: { subjects: ['tag'], edited: true } },
    queryFn: ({ signal }) => call(getTenantTags, { body: { tenant } }, { signal }),
  })

/** Creates a tag and adds it to the cached list. */
export async function createTag(queryClient: QueryClient, tenant: string, name: string): Promise<Tag> {
  const tag = await call(tenantCreateTag, { body: { tenant, name } })
  const { queryKey } = tagsQuery(tenant)
  queryClient.setQueryData(queryKey, (data) => data && { ...data, tags: [...data.tags, tag] })
  return tag
}
