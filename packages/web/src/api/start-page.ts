import type { QueryClient } from '@tanstack/react-query'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { getStartPage, setStartPage } from '@caretaker/contract/calls/views.ts'
import { useActor } from './actor.ts'
import { call } from './call.ts'

/** The id of the view that opens at sign-in; null for the Dashboard. */
export const startPageQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'start page'],
    meta: { shows: { subjects: ['view'] } },
    queryFn: async ({ signal }) => (await call(getStartPage, { body: { tenant } }, { signal })).viewId,
    staleTime: 60_000,
  })

/** The id of the view that opens at sign-in to this client, and a setter; null for the Dashboard. */
export function useStartPage(): [string | null, (viewId: string | null) => Promise<void>] {
  const { tenant } = useActor()
  const client = useQueryClient()
  const { data = null } = useQuery(startPageQuery(tenant))
  return [data, (viewId) => changeStartPage(client, tenant, viewId)]
}

async function changeStartPage(client: QueryClient, tenant: string, viewId: string | null): Promise<void> {
  await call(setStartPage, { body: { tenant, viewId } })
  client.setQueryData(startPageQuery(tenant).queryKey, viewId)
}
