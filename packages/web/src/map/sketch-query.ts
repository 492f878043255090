import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { getMapSketch } from '@caretaker/contract/calls/maps.ts'
import type { Frame } from '@caretaker/rules/maps/mercator.ts'
import { call } from '../api/call.ts'

/** Streets are drawn from this zoom on, towns below it. */
const streetsFrom = 13

/** Degrees: a sketch is requested in pieces, so that a small movement needs no request. */
const piece = 0.05

/** The sketch of a demo's map. */
export function sketchQuery(tenant: string, seen: { frame: Frame; zoom: number } | undefined) {
  const frame = seen && seen.zoom >= streetsFrom ? piecesAround(seen.frame) : undefined
  return queryOptions({
    queryKey: [tenant, 'map sketch', frame],
    meta: { shows: { subjects: ['building'], apart: 60_000 } },
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    queryFn: ({ signal }) => call(getMapSketch, { body: { tenant, ...(frame && { frame }) } }, { signal }),
  })
}

const piecesAround = ({ west, south, east, north }: Frame): Frame => ({
  west: Math.max(-180, Math.floor(west / piece) * piece),
  south: Math.max(-90, Math.floor(south / piece) * piece),
  east: Math.min(180, Math.ceil(east / piece) * piece),
  north: Math.min(90, Math.ceil(north / piece) * piece),
})
