import { useEffect, useEffectEvent, useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { openingFloor } from '@caretaker/rules/buildings/default-floor.ts'
import type { MapStatusFilter } from '@caretaker/rules/maps/status.ts'
import { usePresence } from '../../api/actor.ts'
import type { FloorOf } from './floors.ts'
import type { MapSearch } from './map-place.ts'
import { openedQuery, pointQuery } from './queries.ts'

/** The overview that a map page shows until a floor is selected. */
export type MapKind = 'buildings' | 'devices'

const noFloors: readonly FloorOf[] = []

/** The subject of the map, which is part of the URL: the overview, a building, a floor or a device. */
export function useMapSubject(kind: MapKind) {
  const { actor, client } = usePresence()
  const { tenant } = actor
  const search = useSearch({ strict: false }) as MapSearch
  const navigate = useNavigate()
  const { history } = useRouter()
  const change = (more: { [Part in keyof MapSearch]: MapSearch[Part] | undefined }, replace = false) =>
    void navigate({
      to: '.',
      search: ((before: MapSearch) => ({ ...before, ...more })) as never,
      replace,
      resetScroll: false,
    })

  const hasBuilding = search.building !== undefined
  const buildingAnswer = useQuery({ ...openedQuery(tenant, search.building ?? ''), enabled: hasBuilding })
  const building = hasBuilding ? buildingAnswer.data : undefined
  const floors = building?.floors ?? noFloors
  const floor = floors.find(({ index }) => index === search.floor)
  const pointAnswer = useQuery({
    ...pointQuery(tenant, search.deviceId ?? ''),
    enabled: search.deviceId !== undefined,
  })
  const preselected = pointAnswer.data ?? undefined
  // An address with a device, or with a building on the map of devices, opens the floor; an address with a view does
  // not.
  const [openedFor, setOpenedFor] = useState(hasBuilding || search.at ? undefined : search.deviceId)
  const isFetchingDevice = openedFor !== undefined && openedFor === search.deviceId && !hasBuilding
  const floorOfDevice = preselected?.deviceId === search.deviceId ? preselected?.floorId : undefined
  const opening =
    floors.find((one) => one.floor === floorOfDevice) ??
    openingFloor(
      floors,
      floors.find((one) => one.floor === building?.defaultFloor),
    )
  const isOpening =
    kind === 'devices' &&
    search.floor === undefined &&
    (hasBuilding
      ? !buildingAnswer.isError && (!building || opening !== undefined)
      : isFetchingDevice && (pointAnswer.isPending || Boolean(preselected?.buildingId && preselected.floorId)))

  const openFloor = useEffectEvent((at: number) => change({ floor: at }, true))
  const openBuilding = useEffectEvent((id: string) => change({ building: id }, true))
  const isDeviceAwaited = search.deviceId !== undefined && pointAnswer.isPending
  const awaited = isDeviceAwaited ? undefined : hasBuilding ? opening?.index : (preselected?.buildingId ?? undefined)
  useEffect(() => {
    if (!isOpening || awaited === undefined) return
    if (typeof awaited === 'number') openFloor(awaited)
    else openBuilding(awaited)
  }, [isOpening, awaited])

  const goBack = () => {
    setOpenedFor(undefined)
    if (hasBuilding || search.deviceId !== undefined)
      change({ building: undefined, floor: undefined, deviceId: undefined })
    else history.back()
  }
  const isOfDevices = kind === 'devices' || search.floor !== undefined
  const by: MapStatusFilter = search.by ?? 'device'
  return {
    ...{ kind, actor, client, tenant, search, by, change, goBack },
    ...{ hasBuilding, building, buildingAnswer, floors, floor, opening, isOpening, preselected },
    /** Whether the markers are devices rather than buildings. */
    isOfDevices,
    part: floor && building ? { building: building.building, floor: floor.floor } : {},
    areDevicesKnown: isOfDevices && !isOpening && (search.floor === undefined || floor !== undefined),
  }
}

export type MapSubject = ReturnType<typeof useMapSubject>
