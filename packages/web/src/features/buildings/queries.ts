import type { QueryClient } from '@tanstack/react-query'
import { queryOptions } from '@tanstack/react-query'
import { getBuilding, getTenantBuildingSummary } from '@caretaker/contract/calls/buildings.ts'
import { call } from '../../api/call.ts'

export const summaryQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'buildings', 'summary'],
    meta: { shows: { subjects: ['building', 'device'], apart: 10_000 } },
    queryFn: ({ signal }) => call(getTenantBuildingSummary, { body: { tenant } }, { signal }),
  })

/** One building by its id or name. */
export const buildingQuery = (tenant: string, building: string) =>
  queryOptions({
    queryKey: [tenant, 'buildings', 'one', building],
    meta: { shows: { subjects: ['building', 'device'], apart: 10_000 } },
    queryFn: ({ signal }) => call(getBuilding, { body: { tenant, building } }, { signal }),
  })

/** Refetches the shown data about buildings, and the rest when shown. */
export const renewBuildings = (client: QueryClient, tenant: string) =>
  client.invalidateQueries({ queryKey: [tenant, 'buildings'] })
