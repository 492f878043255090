import { createContext, useContext, useSyncExternalStore } from 'react'
import type { Pixels, Place, Size, View } from '@caretaker/rules/maps/mercator.ts'
import { pixelOf, placeAt } from '@caretaker/rules/maps/mercator.ts'

/** What lies on a map asks this where to be. */
export interface MapCamera {
  view: View
  pixelOf: (place: Place) => Pixels
  placeAt: (pixel: Pixels) => Place
  /** While something on the map is dragged, the map itself is not. */
  hold: (held: boolean) => void
}

/** Where a map is, also while it moves. */
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

  /** Says how the map is kept where it is while something on it is dragged. */
  holdBy(hold: (held: boolean) => void): void {
    this.#hold = hold
  }

  readonly hold = (held: boolean): void => this.#hold(held)

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The same until it moves. */
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

/** Below a `MapView`: where the map is now. Whoever asks is drawn anew at each step of a movement. */
export function useMapCamera(): MapCamera {
  const camera = useContext(CameraContext)
  if (!camera) throw new Error('There is no map around this.')
  return useSyncExternalStore(camera.subscribe, camera.shown)
}
