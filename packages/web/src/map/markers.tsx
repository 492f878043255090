import { useContext, useLayoutEffect, useRef, type CSSProperties, type KeyboardEvent, type PointerEvent } from 'react'
import type { Size, View } from '@caretaker/rules/maps/mercator.ts'
import { hoverDistance } from '@caretaker/rules/maps/mercator.ts'
import { CameraContext } from './camera.ts'
import { captionAt } from './caption-at.ts'
import type { MapMarker, MapViewProps } from './map-props.ts'
import classes from './map-view.module.css'

interface MarkersProps extends Pick<MapViewProps, 'onMarker' | 'onMarkerDrag'> {
  markers: readonly MapMarker[]
}

const arrows: Record<string, readonly [x: number, y: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** Pixels by which markers are moved together before each is positioned again. */
const farthest = 200

/**
 * Markers as buttons at their places. They are one Tab stop; arrow keys go to the nearest in a direction, or move a
 * movable one.
 */
export function Markers({ markers, onMarker, onMarkerDrag }: MarkersProps) {
  const camera = useContext(CameraContext)!
  const buttons = useRef(new Map<string, HTMLButtonElement>())
  const dragged = useRef<{ id: string; x: number; y: number; moved: boolean }>(undefined)
  const wasDragged = useRef(false)

  const layer = useRef<HTMLDivElement>(null)
  const placeAll = useRef(() => {})

  useLayoutEffect(() => {
    let placed: View | undefined
    let placedIn: Size | undefined
    const captioned = markers.flatMap(({ id, place: at, size }) => {
      const caption = buttons.current.get(id)?.querySelector<HTMLElement>('[data-caption]')
      if (!caption) return []
      const { offsetWidth: width, offsetHeight: height } = caption
      return { caption, at, words: { width, height, below: size } }
    })
    const caption = () => {
      const { pixelOf } = camera.shown()
      for (const { caption: element, at, words } of captioned) {
        const { aside, isAbove } = captionAt(pixelOf(at), words, camera.size)
        element.style.setProperty('--aside', `${aside}px`)
        element.toggleAttribute('data-above', isAbove)
      }
    }
    const place = () => {
      const { view, pixelOf } = camera.shown()
      ;[placed, placedIn] = [view, camera.size]
      layer.current!.style.transform = ''
      for (const marker of markers) {
        const button = buttons.current.get(marker.id)
        if (!button || dragged.current?.id === marker.id) continue
        const { x, y } = pixelOf(marker.place)
        button.style.transform = `translate(${x}px, ${y}px) translate(-50%, -50%)`
      }
      caption()
    }
    /** While the map is dragged, its markers move as one layer: positioning each is too slow for a frame. */
    const follow = () => {
      if (!placed || placed.zoom !== camera.view.zoom || placedIn !== camera.size) return place()
      const { x, y } = camera.shown().pixelOf(placed)
      const [right, down] = [x - placedIn.width / 2, y - placedIn.height / 2]
      // Beyond this distance, a marker past the edge of the world would appear on the other side.
      if (Math.abs(right) > farthest || Math.abs(down) > farthest) return place()
      layer.current!.style.transform = `translate(${right}px, ${down}px)`
      caption()
    }
    placeAll.current = place
    place()
    return camera.subscribe(follow)
  }, [camera, markers])

  const dragTo = (id: string, x: number, y: number, dropped: boolean) => {
    if (layer.current?.style.transform) placeAll.current()
    const button = buttons.current.get(id)
    if (button) button.style.transform = `translate(${x}px, ${y}px) translate(-50%, -50%)`
    onMarkerDrag?.(id, camera.shown().placeAt({ x, y }), dropped)
  }

  const drag = (marker: MapMarker) =>
    !marker.draggable
      ? {}
      : {
          onPointerDown: (event: PointerEvent) => {
            const { x, y } = camera.shown().pixelOf(marker.place)
            dragged.current = { id: marker.id, x: x - event.clientX, y: y - event.clientY, moved: false }
            event.currentTarget.setPointerCapture(event.pointerId)
            camera.hold(true)
          },
          onPointerMove: (event: PointerEvent) => {
            const from = dragged.current
            if (from?.id !== marker.id) return
            from.moved = true
            dragTo(marker.id, from.x + event.clientX, from.y + event.clientY, false)
          },
          onPointerUp: (event: PointerEvent) => {
            const from = dragged.current
            if (from?.id !== marker.id) return
            dragged.current = undefined
            camera.hold(false)
            wasDragged.current = from.moved
            if (from.moved) dragTo(marker.id, from.x + event.clientX, from.y + event.clientY, true)
          },
          onPointerCancel: () => {
            dragged.current = undefined
            camera.hold(false)
          },
        }

  const arrow = (event: KeyboardEvent, marker: MapMarker) => {
    // A held key activates once.
    if (event.key === 'Enter' && event.repeat) event.preventDefault()
    const step = arrows[event.key]
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    event.stopPropagation()
    const { pixelOf } = camera.shown()
    const at = pixelOf(marker.place)
    if (marker.movable) {
      const by = event.shiftKey ? 10 : 1
      dragTo(marker.id, at.x + step[0] * by, at.y + step[1] * by, true)
      return
    }
    const next = nearest(
      at,
      step,
      markers.flatMap((other) => (other.id === marker.id ? [] : [{ id: other.id, ...pixelOf(other.place) }])),
    )
    if (next) buttons.current.get(next)?.focus()
  }

  const ordered = markers.toSorted((a, b) => (b.order ?? 0) - (a.order ?? 0))
  const entrance = ordered.find(({ selected }) => selected)?.id ?? ordered[0]?.id
  return (
    <div ref={layer} className={classes.markers}>
      {ordered.map((marker) => (
        <button
          key={marker.id}
          ref={(button) => {
            if (button) buttons.current.set(marker.id, button)
            else buttons.current.delete(marker.id)
          }}
          type="button"
          className={classes.marker}
          aria-label={marker.name}
          aria-pressed={marker.selected ?? false}
          title={marker.name}
          tabIndex={marker.id === entrance ? 0 : -1}
          data-marker={marker.id}
          data-draggable={marker.draggable || undefined}
          style={
            {
              zIndex: marker.selected ? 1000 : (marker.order ?? 0) + 1,
              '--size': `${marker.size}px`,
              '--reach': `${Math.max(2 * hoverDistance, marker.size)}px`,
            } as CSSProperties
          }
          onClick={(event) => {
            event.stopPropagation()
            if (wasDragged.current) wasDragged.current = false
            else onMarker?.(marker.id, event.detail === 0)
          }}
          onKeyDown={(event) => arrow(event, marker)}
          {...drag(marker)}
        >
          {marker.look}
          {marker.caption && (
            <span className={classes.caption} data-caption aria-hidden>
              {marker.caption}
            </span>
          )}
        </button>
      ))}
    </div>
  )
}

/** The nearest marker in a direction, within 45 degrees. */
function nearest(
  from: { x: number; y: number },
  [right, down]: readonly [number, number],
  others: readonly { id: string; x: number; y: number }[],
): string | undefined {
  let best: { id: string; away: number } | undefined
  for (const { id, x, y } of others) {
    const ahead = (x - from.x) * right + (y - from.y) * down
    const aside = Math.abs((x - from.x) * down) + Math.abs((y - from.y) * right)
    if (ahead <= 0 || aside > ahead) continue
    const away = Math.hypot(ahead, aside)
    if (!best || away < best.away) best = { id, away }
  }
  return best?.id
}
