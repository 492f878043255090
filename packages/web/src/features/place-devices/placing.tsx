import type { Ref } from 'react'
import { useEffect, useImperativeHandle, useRef, useState } from 'react'
import { Button, Select } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { Building, Floor } from '@caretaker/contract/buildings.ts'
import type { FloorDevice } from '@caretaker/contract/devices.ts'
import { besideOn, contains, cornersOf, gridOn } from '@caretaker/rules/buildings/geometry.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import type { Pixels, Place, View } from '@caretaker/rules/maps/mercator.ts'
import { frameAround, pixelsOfMetre, viewOf } from '@caretaker/rules/maps/mercator.ts'
import { mapZooms } from '@caretaker/rules/maps/zooms.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../api/actor.ts'
import { useMapCamera } from '../../map/camera.ts'
import type { MapCamera } from '../../map/camera.ts'
import { MapView } from '../../map/map-view.tsx'
import { DevicePin, floorWords, pinsOf } from '../../plans/device-look.tsx'
import { usePlanPicture } from '../../plans/plan-picture.ts'
import { useLeave } from '../../plans/use-leave.ts'
import { Where } from '../../plans/where.tsx'
import { useMapUndoKey } from '../../ui/undo-key.ts'
import { Carried } from './carried.tsx'
import { DevicePanel } from './device-panel.tsx'
import type { Taken } from './use-placing.ts'
import { placeOf, usePlacing } from './use-placing.ts'
import classes from './place-devices.module.css'

interface PlacingProps {
  building: Building
  floor: Floor & Place
  devices: readonly FloorDevice[]
}

/** A map and a list: a device is dragged onto the plan, or selected and moved by keys; each move is saved at once. */
export function Placing({ building, floor, devices: stored }: PlacingProps) {
  const actor = useActor()
  const { tenant } = actor
  const mayPlace = stored.some((device) => device.mayPlace) || can(actor, 'place device')
  const leave = useLeave(pathTo(tenant, 'Buildings', building.building))
  const { shown, isComing, drop, confirm, put, last } = usePlacing(building.building, floor.floor)
  const devices = shown(stored)
  useMapUndoKey(last?.undo)
  const picture = usePlanPicture(building.building, floor)
  const corners = cornersOf(floor)
  const [view, setView] = useState<View>(() => {
    // Beside the list or, on narrow screens, above it, and below the overlays of the map.
    const isNarrow = matchMedia('(width < 62em)').matches
    const size = isNarrow
      ? { width: innerWidth, height: innerHeight / 2 - 120 }
      : { width: innerWidth - 420, height: innerHeight - 60 }
    const whole = viewOf(frameAround(corners)!, size, { margin: isNarrow ? 40 : 60 })
    return { ...whole, zoom: Math.min(mapZooms.most, whole.zoom) }
  })
  const [carried, setCarried] = useState<{ id: string; at: Place; from: 'row' | 'pin' }>()
  const [selected, setSelected] = useState<string>()
  const stage = useRef<HTMLDivElement>(null)
  const camera = useRef<MapCamera>(null)
  const ghost = useGhost((taken, pointer) => {
    const frame = stage.current?.getBoundingClientRect()
    if (!frame || !camera.current) return
    const isIn =
      pointer.x >= frame.left && pointer.x <= frame.right && pointer.y >= frame.top && pointer.y <= frame.bottom
    if (!isIn) return
    const to = camera.current.placeAt({ x: pointer.x - frame.left, y: pointer.y - frame.top })
    const places = taken.length === 1 ? [to] : besideOn(floor, to, taken.length, pinsApart / pixelsOfMetre(view))
    void drop(taken.map((one, index) => ({ ...one, to: places[index]! })))
  })
  const isOnPlan = ({ lat, long }: FloorDevice) => lat !== null && long !== null && contains(floor, { lat, lng: long })
  const known = new Map(devices.map((device) => [device.deviceId, device]))
  const held = carried && known.get(carried.id)
  const choose = (device: FloorDevice, from: 'row' | 'pin' = 'row') => {
    setSelected(device.deviceId)
    // A row may belong to a device far outside the plan, where it would not be visible.
    const isFar = from === 'row' && device.mayPlace && !isOnPlan(device)
    const { lat, lng } = (!isFar && placeOf(device)) || floor
    if (device.mayPlace) setCarried({ id: device.deviceId, at: { lat, lng }, from })
    else setView({ ...view, lat, lng })
  }
  // Keyboard focus returns to the row it came from.
  const leaves = useRef<string>(undefined)
  useEffect(() => {
    if (carried || leaves.current === undefined) return
    document.querySelector<HTMLElement>(leaves.current)?.focus()
    leaves.current = undefined
  }, [carried])
  const putBack = () => {
    if (carried)
      leaves.current = carried.from === 'row' ? `[data-row="${carried.id}"]` : `[data-marker="${carried.id}"]`
    setCarried(undefined)
  }
  const dropCarried = (to: Place) => {
    const before = held && placeOf(held)
    // Picked up and not moved: nothing to save.
    if (held && (before?.lat !== to.lat || before.lng !== to.lng)) void drop([{ device: held, to }])
    putBack()
  }
  const pins = pinsOf(devices.filter(({ deviceId }) => deviceId !== carried?.id)).map((pin) => ({
    ...pin,
    draggable: known.get(pin.id)!.mayPlace,
    selected: pin.id === selected,
  }))
  return (
    <div className={classes.page}>
      <div className={classes.stage} ref={stage}>
        <MapView
          label="Map of the floor"
          view={view}
          onView={setView}
          plans={picture ? [{ id: 'plan', src: picture, corners }] : []}
          markers={pins}
          onMarker={(id, byKeys) => (byKeys ? choose(known.get(id)!, 'pin') : setSelected(id))}
          onMarkerDrag={(id, to, dropped) => {
            if (dropped) void drop([{ device: known.get(id)!, to }])
          }}
          onPress={(place) => held && dropCarried(place)}
        >
          <CameraRef ref={camera} />
          {held && (
            <Carried
              key={held.deviceId}
              device={held}
              at={carried.at}
              others={devices.filter(({ deviceId }) => deviceId !== held.deviceId)}
              onMove={(at) => setCarried({ ...carried, at })}
              onDrop={() => dropCarried(carried.at)}
              onPutBack={putBack}
            />
          )}
        </MapView>
        <div className={classes.above}>
          <Where building={building.name} floor={<FloorChoice {...{ building, floor }} />} onBack={leave} />
          {mayPlace && (
            <p className={classes.mode}>
              <span>Drag one device, or all selected devices, onto the plan</span>
              <Button size="compact-md" variant="default" onClick={leave}>
                Done
              </Button>
            </p>
          )}
        </div>
      </div>
      <DevicePanel
        building={building.building}
        devices={devices}
        isOnPlan={isOnPlan}
        mayPlace={mayPlace}
        carried={carried?.id}
        selected={selected}
        onChoose={choose}
        onGrip={ghost.take}
        onPull={ghost.pull}
        onLayOut={(some) => {
          const places = gridOn(floor, some.length)
          void drop(some.map((device, index) => ({ device, to: places[index]!, isRough: true })))
        }}
        onConfirm={(some) => void confirm(some)}
        onPut={(taken) => void put(taken)}
        isComing={isComing}
        last={last}
      />
      {ghost.shown && (
        <span className={classes.ghost} style={{ left: ghost.shown.x, top: ghost.shown.y }} aria-hidden>
          <DevicePin status={ghost.shown.taken[0]!.device.deviceStatus} />
          {ghost.shown.taken.length > 1 && <b>{ghost.shown.taken.length}</b>}
        </span>
      )}
    </div>
  )
}

/** The floor, with links to the other floors of the building; the back link is unchanged. */
function FloorChoice({ building, floor }: Pick<PlacingProps, 'building' | 'floor'>) {
  const navigate = useNavigate()
  const { floors } = building
  if (floors.length === 1) return floorWords(floor.name)
  return (
    <Select
      className={classes.floor}
      size="xs"
      aria-label="Floor"
      allowDeselect={false}
      data={floors.map(({ name, hasFloorPlan }, index) => ({
        value: String(index),
        label: hasFloorPlan ? floorWords(name) : `${floorWords(name)}, no plan`,
        disabled: !hasFloorPlan,
      }))}
      value={String(floors.findIndex((one) => one.floor === floor.floor))}
      onChange={(index) =>
        void navigate({
          to: '.',
          search: { building: building.building, floor: Number(index) } as never,
          replace: true,
        })
      }
    />
  )
}

/** Exposes the camera of the map to siblings. */
function CameraRef({ ref }: { ref: Ref<MapCamera> }) {
  const camera = useMapCamera()
  useImperativeHandle(ref, () => camera, [camera])
  return undefined
}

/** Pixels between the centres of arranged pins. */
const pinsApart = 36

interface Ghost extends Pixels {
  taken: readonly Taken[]
}

/** Pixels: a shorter movement is a click. */
const pullDistance = 5

/** Items dragged out of the list follow the pointer until dropped. */
function useGhost(onDrop: (taken: readonly Taken[], pointer: Pixels) => void) {
  const [shown, setShown] = useState<Ghost>()
  const drag = useRef<AbortController>(undefined)
  // Leaving the page ends the drag.
  useEffect(() => () => drag.current?.abort(), [])
  const begin = (taken: readonly Taken[], event: React.PointerEvent, distance: number) => {
    const { pointerId, currentTarget, clientX, clientY } = event
    drag.current?.abort()
    const { signal } = (drag.current = new AbortController())
    let isDragged = false
    const follow = ({ pointerId: id, clientX: x, clientY: y }: PointerEvent) => {
      if (id !== pointerId) return
      if (!isDragged && Math.hypot(x - clientX, y - clientY) < distance) return
      // Capturing the pointer prevents a click on release.
      if (!isDragged) currentTarget.setPointerCapture(pointerId)
      isDragged = true
      setShown({ taken, x, y })
    }
    const end = ({ pointerId: id, type, clientX: x, clientY: y }: PointerEvent) => {
      if (id !== pointerId) return
      drag.current?.abort()
      setShown(undefined)
      if (isDragged && type === 'pointerup') onDrop(taken, { x, y })
    }
    document.addEventListener('pointermove', follow, { signal })
    for (const name of ['pointerup', 'pointercancel'] as const) document.addEventListener(name, end, { signal })
  }
  return {
    shown,
    /** By the grip: starts at once. */
    take: (taken: readonly Taken[], event: React.PointerEvent) => {
      if (event.button !== 0) return
      event.preventDefault()
      begin(taken, event, 0)
    },
    /** By the row itself, which scrolls on touch. */
    pull: (taken: readonly Taken[], event: React.PointerEvent) => {
      if (event.button === 0 && event.pointerType !== 'touch') begin(taken, event, pullDistance)
    },
  }
}
