import type { ReactNode } from 'react'
import type { Frame, Place, Size, View } from '@caretaker/rules/maps/mercator.ts'
import type { MapKind } from './map-style.ts'

/** What is on a map at a place, as a button with a name. */
export interface MapMarker {
  id: string
  place: Place
  /** What it says to those who do not see it, and as a hint to those who do. */
  name: string
  /** Drawn about the place. */
  look: ReactNode
  /** Pixels across. */
  size: number
  /** Written below it. */
  caption?: string | undefined
  selected?: boolean
  /** Markers of a higher order lie above others, and come first for the keyboard. */
  order?: number
  /** It is moved by the pointer. */
  draggable?: boolean
  /** Arrow keys move it by a pixel, with Shift by ten, and do not go to the next marker. */
  movable?: boolean
}

/** A plan that lies on the map. */
export interface MapPlan {
  id: string
  /** The address of the image, of this origin or `blob:`. */
  src: string
  /** Where its corners are: its own top left, top right, bottom right and bottom left, however it is turned. */
  corners: readonly [Place, Place, Place, Place]
  /** 0 to 1; 1 unless given. */
  opacity?: number
}

export interface MapViewProps {
  /** What the map is called, e.g. 'Map of buildings'. */
  label: string
  /** What it looks at; `startView` as long as no position is known. */
  view: View
  /** It came to rest somewhere else: by gestures, keys or its buttons. Also once at first, with what the frame shows and its pixels. */
  onView: (view: View, frame: Frame, size: Size) => void
  markers?: readonly MapMarker[]
  plans?: readonly MapPlan[]
  kind?: MapKind
  /** A marker was pressed: `byKeys` also by whatever else presses without a pointer. */
  onMarker?: (id: string, byKeys: boolean) => void
  /** A marker is being dragged, and then dropped. */
  onMarkerDrag?: (id: string, place: Place, dropped: boolean) => void
  /** Somebody pressed the map beside everything. */
  onPress?: (place: Place) => void
  /** A picture of a place: nobody moves it. */
  still?: boolean
  /** 'Show all' beside the zoom buttons. */
  onShowAll?: (() => void) | undefined
  /** Drawn on the map and moved with it; below it `useMapCamera` says where. */
  children?: ReactNode
}
