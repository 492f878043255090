import { createContext, useContext, useSyncExternalStore } from 'react'
import type { Pixels, Place, Size, View } from '@caretaker/rules/maps/mercator.ts'
import { pixelOf, placeAt } from '@caretaker/rules/maps/mercator.ts'

/** The camera of a map, for items drawn on it. */
export interface MapCamera {
  view: View
  pixelOf: (place: Place) => Pixels
  placeAt: (pixel: Pixels) => Place
  /** While an item on the map is dragged, the map is not. */
  hold: (held: boolean) => void
}

/** The camera of a map, also during movement. */
export class Camera {
  view: View
  size: Size = { width: 0, height: 0 }
  #hold: (held: boolean) => void = () => {}
  #listeners = new Set<() => void>()
  #shown: MapCamera | undefined

  constructor(view: View) {
    this.view = view
  }

  move(view: View, size: Size = this.size): void {
    this.view = view
    this.size = size
    this.#shown = undefined
    for (const listener of this.#listeners) listener()
  }

  /** Sets how the map is fixed while an item on it is dragged. */
  holdBy(hold: (held: boolean) => void): void {
    this.#hold = hold
  }

  readonly hold = (held: boolean): void => this.#hold(held)

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Stable until the map moves. */
  readonly shown = (): MapCamera => {
    const { view, size } = this
    this.#shown ??= {
      view,
      pixelOf: (place: Place) => pixelOf(view, size, place),
      placeAt: (pixel: Pixels) => placeAt(view, size, pixel),
      hold: this.hold,
    }
    return this.#shown
  }
}

export const CameraContext = createContext<Camera | undefined>(undefined)

/** Below a `MapView`: the current camera. The component re-renders at each step of a movement. */
export function useMapCamera(): MapCamera {
  const camera = useContext(CameraContext)
  if (!camera) throw new Error('useMapCamera must be used inside a MapView.')
  return useSyncExternalStore(camera.subscribe, camera.shown)
}
