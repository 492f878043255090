import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { getBuilding } from '@caretaker/contract/calls/buildings.ts'
import { getDevicesWithoutFloor, getFloorDevices } from '@caretaker/contract/calls/devices.ts'
import type { Answer } from '@caretaker/contract/route.ts'
import type { RouteOf } from '@caretaker/contract/routes.ts'
import { call } from '../api/call.ts'

export type BuildingInFull = NonNullable<Answer<RouteOf<typeof getBuilding>>['data']>

/** A building with its floors, by id or name. */
export const buildingQuery = (tenant: string, building: string) =>
  queryOptions({
    queryKey: [tenant, 'building', building],
    meta: { shows: { subjects: ['building'] } },
    queryFn: ({ signal }) => call(getBuilding, { body: { tenant, building } }, { signal }),
  })

/** The devices of a floor, placed and unplaced. */
export const floorDevicesQuery = (tenant: string, building: string, floor: string) =>
  queryOptions({
    queryKey: [tenant, 'floor devices', building, floor],
    meta: { shows: { subjects: ['device'] } },
    queryFn: ({ signal }) => call(getFloorDevices, { body: { tenant, building, floor } }, { signal }),
  })

/** At most `most` devices that could be added to a building's floor, filtered by a search. */
export const devicesWithoutFloorQuery = (tenant: string, building: string, find: string, most: number) =>
  queryOptions({
    queryKey: [tenant, 'devices without floor', building, find, most],
    meta: { shows: { subjects: ['device'], apart: 5000 } },
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call(getDevicesWithoutFloor, { body: { tenant, building, most, ...(find && { find }) } }, { signal }),
  })
