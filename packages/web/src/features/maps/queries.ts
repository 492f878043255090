import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { getMapPoints } from '@caretaker/contract/calls/devices.ts'
import { getMapBuilding, getMapDevices, getMapDevicesExtent } from '@caretaker/contract/calls/maps.ts'
import type { Frame } from '@caretaker/rules/maps/mercator.ts'
import { call } from '../../api/call.ts'
import { mapShows, type AskedOfMap } from '../../map/buildings-query.ts'

/** The part of a client that a map shows; everything by default. */
interface Part {
  building?: string
  floor?: string
}

/** The whole world: requested before the map has a view, to find the extent. */
export const wholeWorld: Frame = { west: -180, south: -90, east: 180, north: 90 }

export const devicesQuery = (tenant: string, of: Part, asked: AskedOfMap) =>
  queryOptions({
    queryKey: [tenant, 'map devices', of, asked],
    meta: { shows: mapShows },
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => call(getMapDevices, { body: { tenant, ...of, ...asked } }, { signal }),
  })

/** The number and extent of devices on the map, in total, in a building or on a floor. */
export const devicesExtentQuery = (tenant: string, of: Part) =>
  queryOptions({
    queryKey: [tenant, 'map devices extent', of],
    meta: { shows: { subjects: ['device'], apart: 5000 } },
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => call(getMapDevicesExtent, { body: { tenant, ...of } }, { signal }),
  })

/** An opened building with its visible floors. */
export const openedQuery = (tenant: string, building: string) =>
  queryOptions({
    queryKey: [tenant, 'map building', building],
    meta: { shows: { subjects: ['building', 'device'], apart: 5000 } },
    queryFn: ({ signal }) => call(getMapBuilding, { body: { tenant, building } }, { signal }),
  })

/** A device with its position, even outside the view; undefined if it has none. */
export const pointQuery = (tenant: string, deviceId: string) =>
  queryOptions({
    queryKey: [tenant, 'map point', deviceId],
    meta: { shows: mapShows },
    queryFn: async ({ signal }) => {
      const { points } = await call(getMapPoints, { body: { tenant, deviceId } }, { signal })
      return points.find((point) => point.deviceId === deviceId) ?? null
    },
  })
