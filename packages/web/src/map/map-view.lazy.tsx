import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { ActionIcon, Button } from '@mantine/core'
import { IconCurrentLocation, IconFocusCentered, IconMinus, IconPlus } from '../icons/index.ts'
import { useQuery } from '@tanstack/react-query'
import { AttributionControl, Map as LandMap, ScaleControl, setWorkerUrl, type GeoJSONSource } from 'maplibre-gl'
import 'maplibre-gl/dist/maplibre-gl.css'
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url'
import type { Frame, View } from '@caretaker/rules/maps/mercator.ts'
import { frameOf, wrapped } from '@caretaker/rules/maps/mercator.ts'
import { mapZooms } from '@caretaker/rules/maps/zooms.ts'
import { useActor } from '../api/actor.ts'
import { settingsQuery } from '../api/settings.ts'
import { useSchemeSwitch } from '../ui/colour-scheme.ts'
import { Camera, CameraContext } from './camera.ts'
import { Me, useFindMe } from './find-me.tsx'
import { isBuiltIn, plainLand, styleOf, type MapKind } from './map-style.ts'
import type { MapViewProps } from './map-props.ts'
import { Markers } from './markers.tsx'
import { Plans } from './plans.tsx'
import { sketchQuery } from './sketch-query.ts'
import classes from './map-view.module.css'

setWorkerUrl(workerUrl)

/** The library counts zoom by tiles of 512 pixels, the product by tiles of 256. */
const program = { zoomOf: (zoom: number) => zoom - 1, ofZoom: (zoom: number) => zoom + 1 }

const isSame = (a: View, b: View) =>
  Math.abs(a.lat - b.lat) < 1e-9 && Math.abs(a.lng - b.lng) < 1e-9 && Math.abs(a.zoom - b.zoom) < 1e-6

const bounded = (view: View): View => ({ ...view, zoom: Math.min(mapZooms.most, Math.max(mapZooms.start, view.zoom)) })

/** The part of the background that failed to load. */
type Fault = 'tiles' | 'program'
const faultWords: Record<Fault, string> = {
  tiles: 'The background map could not be loaded. The items on it are correct.',
  program: 'This browser cannot draw the background map. The items on it are correct.',
}

export default function MapCanvas(props: MapViewProps) {
  const { label, view, kind = 'roadmap', still = false, onShowAll, children } = props
  const { tenant } = useActor()
  const holder = useRef<HTMLDivElement>(null)
  const [camera] = useState(() => new Camera(bounded(view)))
  const [land, setLand] = useState<LandMap>()
  const [fault, setFault] = useState<Fault>()
  const { data: settings } = useQuery(settingsQuery)
  const { shown: scheme } = useSchemeSwitch()
  const [seen, setSeen] = useState<{ frame: Frame; zoom: number }>()
  const { data: sketch } = useQuery({
    ...sketchQuery(tenant, seen),
    enabled: settings?.map.sketch === true && isBuiltIn(settings.map, kind) && seen !== undefined,
  })
  const reportedView = useRef<View>(undefined)

  const reportView = useEffectEvent(() => {
    reportedView.current = camera.view
    const frame = frameOf(camera.view, camera.size)
    setSeen({ frame, zoom: camera.view.zoom })
    props.onView(camera.view, frame, camera.size)
  })
  const press = useEffectEvent((x: number, y: number) => props.onPress?.(camera.shown().placeAt({ x, y })))

  // The map library, created once and destroyed with the page.
  useEffect(() => {
    const element = holder.current!
    let made: LandMap | undefined
    try {
      made = landMap(element, camera.view, !still)
    } catch {
      setFault('program')
    }
    const map = made
    const fit = () => {
      camera.move(camera.view, { width: element.clientWidth, height: element.clientHeight })
      map?.resize()
    }
    fit()
    const observer = new ResizeObserver(() => {
      fit()
      reportView()
    })
    observer.observe(element)
    if (!map) return () => observer.disconnect()
    map.on('move', () => {
      const { lat, lng } = map.getCenter()
      camera.move({ lat, lng: wrapped(lng), zoom: program.ofZoom(map.getZoom()) })
    })
    map.on('moveend', () => reportView())
    map.on('click', ({ point, originalEvent }) => {
      if (originalEvent.target === map.getCanvas()) press(point.x, point.y)
    })
    map.on('error', () => setFault('tiles'))
    camera.holdBy((held) => (held ? map.dragPan.disable() : map.dragPan.enable()))
    setLand(map)
    return () => {
      observer.disconnect()
      map.remove()
    }
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the name of a map does not change
  }, [camera])

  const redraw = useEffectEvent(async (map: LandMap, isCurrent: () => boolean) => {
    if (!settings) return
    const style = await styleOf(settings.map, kind, scheme)
    if (!isCurrent()) return
    setFault(undefined)
    map.setStyle(style, { diff: false })
    map.once('style.load', () => showSketch(map))
  })
  const showSketch = useEffectEvent((map: LandMap) => {
    const source = map.getSource<GeoJSONSource>('sketch')
    if (source) void source.setData(sketch ?? { type: 'FeatureCollection', features: [] })
  })
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    if (!land) return undefined
    let current = true
    void redraw(land, () => current)
    return () => {
      current = false
    }
  }, [land, settings, kind, scheme, attempt])
  useEffect(() => {
    // There is no check for a loaded style: any loading source would make it "not loaded", without a later event.
    if (land) showSketch(land)
  }, [land, sketch])

  const { lat, lng, zoom } = view
  useEffect(() => {
    const wanted = bounded({ lat, lng, zoom })
    // A view reported by the map itself comes back as a prop.
    if (isSame(wanted, camera.view) || (reportedView.current && isSame(wanted, reportedView.current))) return
    reportedView.current = undefined
    go(land, camera, wanted, reportView)
  }, [land, camera, lat, lng, zoom])

  const {
    position,
    fault: notFound,
    isLooking,
    find,
  } = useFindMe((found) =>
    go(land, camera, bounded({ ...found, zoom: Math.max(camera.view.zoom, mapZooms.building) }), reportView),
  )
  const step = (by: number) =>
    go(land, camera, bounded({ ...camera.view, zoom: Math.round(camera.view.zoom) + by }), reportView)
  const overlay = (
    <CameraContext value={camera}>
      <Plans plans={props.plans ?? []} />
      {position && <Me position={position} />}
      {children}
      <Markers markers={props.markers ?? []} onMarker={props.onMarker} onMarkerDrag={props.onMarkerDrag} />
    </CameraContext>
  )
  const builtIn = settings && isBuiltIn(settings.map, kind)
  return (
    <section aria-label={label} className={classes.whole} style={{ background: plainLand(kind, scheme) }}>
      <div
        ref={holder}
        className={classes.holder}
        data-dimmed={(scheme === 'dark' && kind === 'roadmap' && Boolean(settings?.map.styleUrl)) || undefined}
      />
      {land ? (
        createPortal(overlay, land.getCanvasContainer())
      ) : (
        <Still camera={camera} onMoved={reportView}>
          {overlay}
        </Still>
      )}
      {fault && (
        <p className={classes.fault} role="status">
          {faultWords[fault]}
          {fault === 'tiles' && (
            <Button variant="subtle" size="compact-sm" onClick={() => setAttempt(attempt + 1)}>
              Retry
            </Button>
          )}
        </p>
      )}
      {notFound && (
        <p className={classes.fault} role="status">
          {notFound}
        </p>
      )}
      <div className={classes.foot} data-still={still || undefined}>
        {builtIn && (
          <p className={classes.note}>
            {noteOf(
              kind,
              sketch?.features.some(({ properties }) => properties.kind === 'house')
                ? 'streets and houses'
                : sketch?.features.length
                  ? 'towns and roads'
                  : undefined,
            )}
          </p>
        )}
      </div>
      <div className={classes.buttons} hidden={still}>
        <ActionIcon variant="subtle" size="lg" aria-label="Zoom in" onClick={() => step(1)}>
          <IconPlus size={18} aria-hidden />
        </ActionIcon>
        <ActionIcon variant="subtle" size="lg" aria-label="Zoom out" onClick={() => step(-1)}>
          <IconMinus size={18} aria-hidden />
        </ActionIcon>
        {'geolocation' in navigator && (
          <ActionIcon
            variant="subtle"
            size="lg"
            aria-label="Find me"
            title="Find me"
            loading={isLooking}
            onClick={find}
          >
            <IconCurrentLocation size={18} aria-hidden />
          </ActionIcon>
        )}
        {onShowAll && (
          <ActionIcon variant="subtle" size="lg" aria-label="Show all" onClick={onShowAll}>
            <IconFocusCentered size={18} aria-hidden />
          </ActionIcon>
        )}
      </div>
    </section>
  )
}

/** Explains that the built-in map is simplified. */
function noteOf(kind: MapKind, sketched: string | undefined): string | undefined {
  if (kind === 'satellite') return 'Satellite images are not set up'
  return sketched && `Sketch: ${sketched} are not real`
}

function landMap(container: HTMLElement, view: View, interactive: boolean): LandMap {
  const map = new LandMap({
    container,
    interactive,
    style: { version: 8, sources: {}, layers: [] },
    center: view,
    zoom: program.zoomOf(view.zoom),
    minZoom: program.zoomOf(mapZooms.start),
    maxZoom: program.zoomOf(mapZooms.most),
    // Allows a view larger than the world: if there is no position, the map starts with the whole world.
    transformConstrain: (center, zoom) => ({
      center,
      zoom: Math.min(program.zoomOf(mapZooms.most), Math.max(0, zoom ?? 0)),
    }),
    dragRotate: false,
    pitchWithRotate: false,
    touchPitch: false,
    attributionControl: false,
    fadeDuration: 0,
    locale: { 'Map.Title': 'Map: arrow keys move it, plus and minus zoom' },
  })
  map.touchZoomRotate.disableRotation()
  map.keyboard.disableRotation()
  map.addControl(new AttributionControl({ compact: false }), 'bottom-right')
  if (interactive) map.addControl(new ScaleControl({ maxWidth: 90 }), 'bottom-right')
  return map
}

/** Moves the map, with an animation if it is near. */
function go(land: LandMap | undefined, camera: Camera, view: View, reportView: () => void): void {
  if (!land) {
    camera.move(view)
    reportView()
    return
  }
  const target = { center: view, zoom: program.zoomOf(view.zoom) }
  const { x, y } = camera.shown().pixelOf(view)
  const isNear = Math.hypot(x - camera.size.width / 2, y - camera.size.height / 2) < 4 * camera.size.width
  const still = window.matchMedia('(prefers-reduced-motion: reduce)').matches
  if (isNear && !still && Math.abs(view.zoom - camera.view.zoom) < 6) land.easeTo({ ...target, duration: 300 })
  else land.jumpTo(target)
}

interface StillProps {
  camera: Camera
  onMoved: () => void
  children: React.ReactNode
}

/** A map without background can still be moved. */
function Still({ camera, onMoved, children }: StillProps) {
  const surface = useRef<HTMLDivElement>(null)
  const from = useRef<{ x: number; y: number }>(undefined)
  useLayoutEffect(() => {
    camera.holdBy(() => {
      from.current = undefined
    })
  }, [camera])
  const moved = (x: number, y: number) => {
    const { width, height } = camera.size
    camera.move({ ...camera.view, ...camera.shown().placeAt({ x: width / 2 - x, y: height / 2 - y }) })
  }
  return (
    <div
      ref={surface}
      className={classes.still}
      onPointerDown={(event) => {
        if (event.target !== surface.current) return
        from.current = { x: event.clientX, y: event.clientY }
        surface.current!.setPointerCapture(event.pointerId)
      }}
      onPointerMove={(event) => {
        if (!from.current) return
        moved(event.clientX - from.current.x, event.clientY - from.current.y)
        from.current = { x: event.clientX, y: event.clientY }
      }}
      onPointerUp={() => {
        if (from.current) onMoved()
        from.current = undefined
      }}
    >
      {children}
    </div>
  )
}
