import { useMemo, useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { useDebouncedValue } from '@mantine/hooks'
import type { MapPoint } from '@caretaker/contract/devices.ts'
import { cornersOf } from '@caretaker/rules/buildings/geometry.ts'
import { listed } from '@caretaker/rules/maps/listed.ts'
import { startView } from '@caretaker/rules/maps/mercator.ts'
import { buildingsExtentQuery, buildingsQuery } from '../../map/buildings-query.ts'
import { usePlanPicture } from '../../plans/plan-picture.ts'
import { devicesExtentQuery, devicesQuery, wholeWorld } from './queries.ts'
import { isDevice, type Shown } from './shown.ts'
import type { MapCamera } from './use-map-camera.ts'
import type { MapSubject } from './use-map-subject.ts'

/** Milliseconds after the last keystroke before a search starts. */
const findDelay = 250

/** The devices or buildings within the view, search results, and the plan of the floor. */
export function useMapContents(subject: MapSubject, { seen, isLeaving, lookedAt }: MapCamera) {
  const { tenant, search, by, building, floor, part, hasBuilding, isOfDevices, areDevicesKnown, preselected } = subject
  const [find, setFind] = useState('')
  const [debouncedFind] = useDebouncedValue(find.trim(), findDelay)
  const listOf = [search.building, search.floor, debouncedFind].join()
  const [rows, setRows] = useState({ of: listOf, most: listed.first as number })
  const most = rows.of === listOf ? rows.most : listed.first
  const asked = {
    ...(most > listed.first && { most }),
    ...{ frame: seen?.frame ?? wholeWorld, zoom: seen?.zoom ?? startView.zoom, by },
    ...(debouncedFind && { find: debouncedFind }),
  }
  const devicesExtent = useQuery({ ...devicesExtentQuery(tenant, part), enabled: areDevicesKnown })
  const buildingsExtent = useQuery({ ...buildingsExtentQuery(tenant), enabled: !isOfDevices })
  const { data: all, isError: isExtentUnknown, refetch: refetchExtent } = isOfDevices ? devicesExtent : buildingsExtent
  // Nothing is requested for a view that the map leaves at once for the extent.
  const staysHere =
    seen !== undefined &&
    !isLeaving &&
    (lookedAt !== undefined || hasBuilding || search.deviceId !== undefined || all !== undefined)
  const deviceAnswer = useQuery({ ...devicesQuery(tenant, part, asked), enabled: staysHere && areDevicesKnown })
  const buildingsAnswer = useQuery({ ...buildingsQuery(tenant, asked), enabled: staysHere && !isOfDevices })
  const { data, isError, isFetching, refetch } = isOfDevices ? deviceAnswer : buildingsAnswer
  const points: readonly Shown[] = data?.points ?? []
  const list: readonly Shown[] = data?.list ?? []
  const device =
    search.deviceId === undefined
      ? undefined
      : ([...list, ...points].find((one): one is MapPoint => isDevice(one) && one.deviceId === search.deviceId) ??
        preselected)

  const picture = usePlanPicture(building?.building ?? '', floor)
  const plans = useMemo(
    () =>
      floor && picture && floor.lat !== null && floor.lng !== null
        ? [{ id: floor.floor, src: picture, corners: cornersOf({ ...floor, lat: floor.lat, lng: floor.lng }) }]
        : [],
    [floor, picture],
  )
  return {
    ...{ data, points, list, all, device, plans, isFetching, find, setFind, debouncedFind },
    isExtentOfAnother: devicesExtent.isPlaceholderData,
    hasFailed: (isError && !data) || (isExtentUnknown && !all),
    retry: () => void Promise.all([refetch(), refetchExtent()]),
    most,
    /** Doubles the number of rows; undefined at the limit of a map. */
    showMore: most < listed.most ? () => setRows({ of: listOf, most: Math.min(listed.most, most * 2) }) : undefined,
  }
}

export type MapContents = ReturnType<typeof useMapContents>
