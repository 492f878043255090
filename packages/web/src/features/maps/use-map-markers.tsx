import { useMemo, useState } from 'react'
import type { MapPoint } from '@caretaker/contract/devices.ts'
import type { MapStatusFilter } from '@caretaker/rules/maps/status.ts'
import { buildingMarker, clusterMarker, orderOf } from '../../map/map-markers.tsx'
import type { MapMarker } from '../../map/map-props.ts'
import { DevicePin, StackPin } from '../../map/pins.tsx'
import { idOf, isDevice, lookAlone, nameOf, wordOf, type Shown } from './shown.ts'
import { stacksOf } from './stacks.ts'
import type { MapCamera } from './use-map-camera.ts'
import type { MapContents } from './use-map-contents.ts'
import type { MapSubject } from './use-map-subject.ts'

/** The markers of the map, and the opened stack of markers. */
export function useMapMarkers(
  subject: MapSubject,
  contents: MapContents,
  camera: MapCamera,
  choose: (one: Shown) => void,
) {
  const { search, building, by, isOfDevices } = subject
  const { data, points } = contents
  const { zoom } = camera.view
  // An address may name a building by its name.
  const chosenId = search.deviceId ?? building?.building ?? search.building
  // The selected marker is above the others and in no stack.
  const stacks = useMemo(
    () =>
      stacksOf(
        points.filter((one) => idOf(one) !== chosenId),
        zoom,
      ),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- points are those of data
    [data, chosenId, zoom],
  )
  const markers = useMemo(
    () => [
      ...(data?.clusters ?? []).map((cluster) => clusterMarker(cluster, by, isOfDevices ? 'devices' : 'buildings')),
      ...points.filter((one) => idOf(one) === chosenId).map((one) => markerOf(one, by, true, zoom)),
      ...stacks.map((stack) => (stack.length > 1 ? stackMarker(stack, by) : markerOf(stack[0]!, by, false, zoom))),
    ],
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- points are those of data
    [data, stacks, by, isOfDevices, chosenId, zoom],
  )
  const [openedId, setOpenedId] = useState<string>()
  const stack = stacks.find((spot) => spot.length > 1 && idOf(spot[0]!) === openedId)
  const press = (id: string) => {
    const cluster = data?.clusters.find((one) => one.id === id)
    const spot = stacks.find(([first]) => idOf(first!) === id)
    const one = points.find((point) => idOf(point) === id)
    setOpenedId(undefined)
    if (spot && spot.length > 1) setOpenedId(id)
    else if (one) choose(one)
    else if (cluster) camera.zoomInto(cluster)
  }
  return { markers, chosenId, stack, openedId, closeStack: () => setOpenedId(undefined), press }
}

export type MapMarkers = ReturnType<typeof useMapMarkers>

const markerOf = (one: Shown, by: MapStatusFilter, selected: boolean, zoom: number): MapMarker =>
  isDevice(one) ? deviceMarker(one, by, selected) : buildingMarker(one, by, selected, zoom)

/** Markers at one place as a single marker with the look of the worst; it opens as a list. */
function stackMarker(stack: readonly Shown[], by: MapStatusFilter): MapMarker {
  const looks = stack.map((one) => lookAlone(one, by)).toSorted((a, b) => orderOf[b.tone] - orderOf[a.tone])
  const counted = [...Map.groupBy(looks, ({ word }) => word)].map(
    ([word, all]) => `${all.length} ${word.toLowerCase()}`,
  )
  const [first] = stack as [Shown]
  const size = 28
  return {
    id: idOf(first),
    place: first,
    name: `${[`${stack.length} ${wordOf(stack)}`, ...counted].join(', ')}. Show the list`,
    look: <StackPin look={looks[0]!} size={size} count={stack.length} square={!isDevice(first)} />,
    size,
    order: 6,
  }
}

function deviceMarker(point: MapPoint, by: MapStatusFilter, selected: boolean): MapMarker {
  const look = lookAlone(point, by)
  const size = look.tone === 'passed' ? 20 : 26
  const reason = by === 'device' && point.deviceStatusReason
  const unreached = by === 'device' && point.connectionStatus === 'NotConnected'
  return {
    id: point.deviceId,
    place: point,
    name: [nameOf(point), look.word.toLowerCase(), reason, unreached && 'not connected'].filter(Boolean).join(', '),
    look: <DevicePin look={look} size={selected ? 28 : size} selected={selected} unreached={unreached} />,
    size,
    selected,
    order: orderOf[look.tone],
  }
}
