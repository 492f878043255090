import type { QueryClient } from '@tanstack/react-query'
import { queryOptions } from '@tanstack/react-query'
import type { Tag } from '@caretaker/contract/tags.ts'
import { getAccessRightsTags, getTenantTags, tenantCreateTag } from '@caretaker/contract/calls/tags.ts'
import { call } from './call.ts'

/** The client's access rights tags: users, devices and settings all speak of them. */
export const accessRightsTagsQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'access rights tags'],
    meta: { shows: { subjects: ['access rights tag'], edited: true } },
    queryFn: ({ signal }) => call(getAccessRightsTags, { params: { tenant } }, { signal }),
  })

/** The client's tags, and the alerts defined on them. */
export const tagsQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'tags'],
    meta: { shows: { subjects: ['tag'], edited: true } },
    queryFn: ({ signal }) => call(getTenantTags, { body: { tenant } }, { signal }),
  })

/** Makes a tag, which is then in the list at hand. */
export async function createTag(queryClient: QueryClient, tenant: string, name: string): Promise<Tag> {
  const tag = await call(tenantCreateTag, { body: { tenant, name } })
  const { queryKey } = tagsQuery(tenant)
  queryClient.setQueryData(queryKey, (data) => data && { ...data, tags: [...data.tags, tag] })
  return tag
}
