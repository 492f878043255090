import { useEffect, useEffectEvent } from 'react'
import { isIn } from '@caretaker/rules/maps/mercator.ts'
import { mapZooms } from '@caretaker/rules/maps/zooms.ts'
import { keyOf } from './map-place.ts'
import { targetOf } from './map-target.ts'
import { idOf } from './shown.ts'
import type { MapCamera } from './use-map-camera.ts'
import type { MapContents } from './use-map-contents.ts'
import type { MapSubject } from './use-map-subject.ts'

/**
 * Moves the map to the selection once its position is known: once per selection, so that the user can move on, and
 * never away from a view in the address. The only building of a client opens automatically.
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
    // Another floor of the same building keeps the view.
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
