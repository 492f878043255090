import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { getWebhookDeliveries, getWebhooks } from '@caretaker/contract/calls/webhooks.ts'
import { call } from '../../../api/call.ts'

export const webhooksQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'webhooks'],
    meta: { shows: { subjects: ['webhook'] } },
    queryFn: async ({ signal }) => (await call(getWebhooks, { params: { tenant } }, { signal })).results,
  })

/** The log of an endpoint, page by page. */
export const deliveriesQuery = (tenant: string, endpointId: string) =>
  infiniteQueryOptions({
    queryKey: [tenant, 'webhook deliveries', endpointId],
    meta: { shows: { subjects: ['webhook'] } },
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      call(
        getWebhookDeliveries,
        { params: { tenant, endpointId }, query: pageParam ? { after: pageParam } : {} },
        { signal },
      ),
    getNextPageParam: ({ next }) => next ?? undefined,
  })
