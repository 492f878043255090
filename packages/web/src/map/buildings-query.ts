import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { getMapBuildings, getMapBuildingsExtent } from '@caretaker/contract/calls/maps.ts'
import type { Frame } from '@caretaker/rules/maps/mercator.ts'
import type { MapStatusFilter } from '@caretaker/rules/maps/status.ts'
import { call } from '../api/call.ts'

/** What is asked of a map: what its frame shows at a zoom, and by what its list is in order, or what is looked for. */
export interface AskedOfMap {
  frame: Frame
  zoom: number
  by: MapStatusFilter
  find?: string | undefined
  /** Rows of the list; a hundred unless given. */
  most?: number
}

interface AskedOfBuildings extends AskedOfMap {
  /** Ids of those that it shows; all unless given. */
  only?: readonly string[] | undefined
}

/** What pages of a map show; a large client's many changes are gathered. */
export const mapShows = { subjects: ['device', 'reach', 'building'], apart: 5000 } as const

export const buildingsQuery = (tenant: string, { only, ...asked }: AskedOfBuildings) =>
  queryOptions({
    queryKey: [tenant, 'map buildings', asked, only],
    meta: { shows: mapShows },
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => call(getMapBuildings, { body: { tenant, ...asked, ...named(only) } }, { signal }),
  })

/** How many buildings are on the map, of all or of some, and where. */
export const buildingsExtentQuery = (tenant: string, only?: readonly string[]) =>
  queryOptions({
    queryKey: [tenant, 'map buildings extent', only],
    meta: { shows: { subjects: ['building'], apart: 5000 } },
    queryFn: ({ signal }) => call(getMapBuildingsExtent, { body: { tenant, ...named(only) } }, { signal }),
  })

const named = (only: readonly string[] | undefined) => (only ? { only: [...only] } : {})
