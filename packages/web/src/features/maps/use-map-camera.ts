import { useState } from 'react'
import type { MapCluster } from '@caretaker/contract/maps.ts'
import type { Frame, Size, View } from '@caretaker/rules/maps/mercator.ts'
import { startView, viewOf } from '@caretaker/rules/maps/mercator.ts'
import { mapZooms } from '@caretaker/rules/maps/zooms.ts'
import { atText, keyOf, viewIn } from './map-place.ts'
import type { MapSubject } from './use-map-subject.ts'

/** The view of the map, and the part of the world that it has drawn. */
export function useMapCamera({ search, change }: MapSubject) {
  const [seen, setSeen] = useState<{ frame: Frame; size: Size; zoom: number }>()
  /** Whether the map is moving to another place. */
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
