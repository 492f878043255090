import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { getMapBuildings, getMapBuildingsExtent } from '@caretaker/contract/calls/maps.ts'
import type { Frame } from '@caretaker/rules/maps/mercator.ts'
import type { MapStatusFilter } from '@caretaker/rules/maps/status.ts'
import { call } from '../api/call.ts'

/** The query of a map: the frame and zoom, and the sort key of the list or the search text. */
export interface AskedOfMap {
  frame: Frame
  zoom: number
  by: MapStatusFilter
  find?: string | undefined
  /** Rows of the list; 100 by default. */
  most?: number
}

interface AskedOfBuildings extends AskedOfMap {
  /** The ids to show; all by default. */
  only?: readonly string[] | undefined
}

/** The subjects of map pages; frequent changes of a large client are combined. */
export const mapShows = { subjects: ['device', 'reach', 'building'], apart: 5000 } as const

export const buildingsQuery = (tenant: string, { only, ...asked }: AskedOfBuildings) =>
  queryOptions({
    queryKey: [tenant, 'map buildings', asked, only],
    meta: { shows: mapShows },
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => call(getMapBuildings, { body: { tenant, ...asked, ...named(only) } }, { signal }),
  })

/** The number and extent of buildings on the map, of all or of some. */
export const buildingsExtentQuery = (tenant: string, only?: readonly string[]) =>
  queryOptions({
    queryKey: [tenant, 'map buildings extent', only],
    meta: { shows: { subjects: ['building'], apart: 5000 } },
    queryFn: ({ signal }) => call(getMapBuildingsExtent, { body: { tenant, ...named(only) } }, { signal }),
  })

const named = (only: readonly string[] | undefined) => (only ? { only: [...only] } : {})
