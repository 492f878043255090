import type { ReactNode } from 'react'
import type { Frame, Place, Size, View } from '@caretaker/rules/maps/mercator.ts'
import type { MapKind } from './map-style.ts'

/** A marker: an item at a place on the map, as a named button. */
export interface MapMarker {
  id: string
  place: Place
  /** The accessible name and tooltip. */
  name: string
  /** Centred on the place. */
  look: ReactNode
  /** The diameter in pixels. */
  size: number
  /** The label below it. */
  caption?: string | undefined
  selected?: boolean
  /** Markers of a higher order are on top, and come first for the keyboard. */
  order?: number
  /** The pointer can move it. */
  draggable?: boolean
  /** Arrow keys move it by a pixel, with Shift by ten, instead of going to the next marker. */
  movable?: boolean
}

/** A floor plan on the map. */
export interface MapPlan {
  id: string
  /** The address of the image, of this origin or `blob:`. */
  src: string
  /** The corners of the drawing in its own orientation: top left, top right, bottom right and bottom left. */
  corners: readonly [Place, Place, Place, Place]
  /** 0 to 1; 1 by default. */
  opacity?: number
}

export interface MapViewProps {
  /** The accessible name, for example 'Map of buildings'. */
  label: string
  /** The shown view; `startView` until a position is known. */
  view: View
  /**
   * The map has moved: by gestures, keys or its buttons. Also called once at first, with the frame and its size in
   * pixels.
   */
  onView: (view: View, frame: Frame, size: Size) => void
  markers?: readonly MapMarker[]
  plans?: readonly MapPlan[]
  kind?: MapKind
  /** A marker was activated: `byKeys` for any activation without a pointer. */
  onMarker?: (id: string, byKeys: boolean) => void
  /** A marker is being dragged, or was dropped. */
  onMarkerDrag?: (id: string, place: Place, dropped: boolean) => void
  /** The map was clicked outside of markers. */
  onPress?: (place: Place) => void
  /** A static picture that cannot be moved. */
  still?: boolean
  /** 'Show all' beside the zoom buttons. */
  onShowAll?: (() => void) | undefined
  /** Drawn on the map and moved with it; `useMapCamera` returns the position. */
  children?: ReactNode
}
