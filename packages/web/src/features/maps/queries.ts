import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { getBuilding } from '@caretaker/contract/buildings.ts'
import { getMapPoints } from '@caretaker/contract/devices.ts'
import { getMapDevices, getMapDevicesExtent, getMapSketch } from '@caretaker/contract/maps.ts'
import type { Frame } from '@caretaker/rules/maps/mercator.ts'
import { call } from '../../api/call.ts'
import { mapShows, type AskedOfMap } from '../../map/buildings-query.ts'

/** What of a client a map is of; all of it unless something is named. */
interface Part {
  building?: string
  floor?: string
}

/** All of the world: what is asked before the map says what it shows, for where things are. */
export const wholeWorld: Frame = { west: -180, south: -90, east: 180, north: 90 }

export const devicesQuery = (tenant: string, of: Part, asked: AskedOfMap) =>
  queryOptions({
    queryKey: [tenant, 'map devices', of, asked],
    meta: { shows: mapShows },
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => call(getMapDevices, { body: { tenant, ...of, ...asked } }, { signal }),
  })

/** How many devices are on the map, of all, of a building or of a floor, and where. */
export const devicesExtentQuery = (tenant: string, of: Part) =>
  queryOptions({
    queryKey: [tenant, 'map devices extent', of],
    meta: { shows: { subjects: ['device'], apart: 5000 } },
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => call(getMapDevicesExtent, { body: { tenant, ...of } }, { signal }),
  })

export const buildingQuery = (tenant: string, building: string) =>
  queryOptions({
    queryKey: [tenant, 'building', building],
    meta: { shows: { subjects: ['building', 'device'], apart: 5000 } },
    queryFn: ({ signal }) => call(getBuilding, { body: { tenant, building } }, { signal }),
  })

/** Degrees: a sketch is asked for by pieces, so that it is not asked anew with each step. */
const piece = 0.05

export const sketchQuery = (tenant: string, { west, south, east, north }: Frame) => {
  const frame = {
    west: Math.max(-180, Math.floor(west / piece) * piece),
    south: Math.max(-90, Math.floor(south / piece) * piece),
    east: Math.min(180, Math.ceil(east / piece) * piece),
    north: Math.min(90, Math.ceil(north / piece) * piece),
  }
  return queryOptions({
    queryKey: [tenant, 'map sketch', frame],
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    queryFn: ({ signal }) => call(getMapSketch, { body: { tenant, frame } }, { signal }),
  })
}

/** A device with its place, also where the map is somewhere else; undefined where it has none. */
export const pointQuery = (tenant: string, deviceId: string) =>
  queryOptions({
    queryKey: [tenant, 'map point', deviceId],
    meta: { shows: mapShows },
    queryFn: async ({ signal }) => {
      const { points } = await call(getMapPoints, { body: { tenant, deviceId } }, { signal })
      return points.find((point) => point.deviceId === deviceId) ?? null
    },
  })
