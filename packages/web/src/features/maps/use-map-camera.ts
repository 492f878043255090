import { useEffect, useEffectEvent, useState } from 'react'
import type { MapCluster } from '@caretaker/contract/maps.ts'
import type { Frame, Size, View } from '@caretaker/rules/maps/mercator.ts'
import { isIn, startView, viewOf } from '@caretaker/rules/maps/mercator.ts'
import { mapZooms } from '@caretaker/rules/maps/zooms.ts'
import { atText, viewIn, type MapSearch } from './map-place.ts'
import { targetOf } from './map-target.ts'
import { idOf } from './shown.ts'
import type { MapContents } from './use-map-contents.ts'
import type { MapSubject } from './use-map-subject.ts'

/** The chosen building, floor and device as one text. */
const keyOf = ({ building, floor, deviceId }: MapSearch) => [building, floor, deviceId].join()

/** Where the map looks, and which part of the world it has drawn. */
export function useMapCamera({ search, change }: MapSubject) {
  const [seen, setSeen] = useState<{ frame: Frame; size: Size; zoom: number }>()
  /** Whether the map is moving somewhere else. */
  const [isLeaving, setLeaving] = useState(false)
  const [view, setView] = useState<View>(viewIn(search.at) ?? startView)
  const [lookedAt, setLookedAt] = useState(viewIn(search.at) ? keyOf(search) : undefined)
  return {
    ...{ seen, isLeaving, setLeaving, view, setView, lookedAt, setLookedAt },
    onView: (moved: View, frame: Frame, size: Size) => {
      setLeaving(false)
      setSeen({ frame, size, zoom: Math.round(moved.zoom * 100) / 100 })
      setView(moved)
      if (seen) change({ at: atText(moved) }, true)
    },
    zoomInto: (cluster: MapCluster) => {
      const nearer = viewOf(cluster.extent, seen?.size ?? { width: 600, height: 400 }, { most: mapZooms.marker })
      setView({ ...nearer, zoom: Math.max(nearer.zoom, Math.min(view.zoom + 1, mapZooms.marker)) })
    },
  }
}

export type MapCamera = ReturnType<typeof useMapCamera>

/**
 * Moves the map to what is chosen once its place is known: once per choice, so that a person may move on, and never away from a view
 * that the address names. The only building of a client opens by itself.
 */
export function useFollowChoice(subject: MapSubject, contents: MapContents, camera: MapCamera): void {
  const { search, kind, hasBuilding, building, floor, change } = subject
  const { all, list, device } = contents
  const { seen, lookedAt } = camera
  const key = keyOf(search)
  const target = targetOf({
    ...{ size: seen?.size, hasDevice: search.deviceId !== undefined, device, hasBuilding, building, floor },
    ...{ extent: all?.extent, isExtentOfAnother: contents.isExtentOfAnother, hasLooked: lookedAt !== undefined },
  })
  const isOnly = kind === 'buildings' && !hasBuilding && lookedAt === undefined && all?.total === 1
  const only = isOnly ? list[0] : undefined
  const isOverview = !hasBuilding && search.deviceId === undefined
  if (!isOnly && lookedAt !== key && (target || (lookedAt !== undefined && isOverview))) {
    camera.setLookedAt(key)
    // Another floor of the same building is shown from the same place.
    const isThere = floor && seen && target && seen.zoom >= mapZooms.building - 1 && isIn(seen.frame, target)
    if (target && !isThere) {
      camera.setView(target)
      camera.setLeaving(seen !== undefined && Math.abs(target.zoom - seen.zoom) > 1)
    }
  }
  const onlyId = only && idOf(only)
  const openOnly = useEffectEvent((id: string) => change({ building: id }, true))
  useEffect(() => {
    if (onlyId) openOnly(onlyId)
  }, [onlyId])
}
