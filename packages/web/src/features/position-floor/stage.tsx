import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button, Kbd } from '@mantine/core'
import { IconArrowsMove } from '../../icons/index.ts'
import type { FloorDevice } from '@caretaker/contract/devices.ts'
import type { Plan } from '@caretaker/rules/buildings/geometry.ts'
import { cornersOf } from '@caretaker/rules/buildings/geometry.ts'
import type { Place, View } from '@caretaker/rules/maps/mercator.ts'
import { startView } from '@caretaker/rules/maps/mercator.ts'
import { mapZooms } from '@caretaker/rules/maps/zooms.ts'
import { useMapCamera } from '../../map/camera.ts'
import { LandSwitch } from '../../map/land-switch.tsx'
import type { MapKind } from '../../map/map-style.ts'
import { MapView } from '../../map/map-view.tsx'
import { floorWords, pinsOf } from '../../plans/device-look.tsx'
import { boxOf } from '../../plans/plan-box.ts'
import { PlanFrame } from './plan-frame.tsx'
import classes from './position-floor.module.css'

interface StageProps {
  /** The name of the floor. */
  name: string
  /** Undefined without a position. */
  plan: Plan | undefined
  /** The address of its picture; undefined until loaded. */
  picture: string | undefined
  /** Where the map opens; undefined if unknown. */
  start: Place | undefined
  /** 0 to 1. */
  opacity: number
  outline: { plan: Plan; name: string } | undefined
  pins: readonly FloorDevice[]
  mayEdit: boolean
  onBegin: () => void
  onPlan: (plan: Plan) => void
  onPut: (place: Place) => void
  children: ReactNode
}

/** The map with the plan on it. */
export function Stage({ name, plan, picture, start, opacity, outline, pins, mayEdit, ...does }: StageProps) {
  const { onBegin, onPlan, onPut, children } = does
  const [view, setView] = useState<View>(start ? { ...start, zoom: mapZooms.building } : startView)
  const [kind, setKind] = useState<MapKind>('roadmap')
  return (
    <div className={classes.stage}>
      <MapView
        label="Map of the floor"
        view={view}
        onView={setView}
        kind={kind}
        plans={plan && picture ? [{ id: 'plan', src: picture, corners: cornersOf(plan), opacity }] : []}
        markers={pinsOf(pins)}
      >
        {outline && <Outline {...outline} />}
        {plan && mayEdit && <PlanFrame name={`Plan of ${floorWords(name)}`} {...{ plan, onBegin, onPlan }} />}
      </MapView>
      {children}
      <div className={classes.land}>
        <LandSwitch kind={kind} onKind={setKind} />
      </div>
      {!plan && (
        <div className={classes.nowhere}>
          <p>This plan has no position yet. Move the map to the building, then place the plan there.</p>
          {mayEdit && <Button onClick={() => onPut({ lat: view.lat, lng: view.lng })}>Place the plan here</Button>}
        </div>
      )}
      {plan && mayEdit && (
        <p className={classes.keys} aria-hidden>
          <IconArrowsMove size={16} /> Drag to move <Kbd>←</Kbd> <Kbd>→</Kbd> 10 cm, with <Kbd>Shift</Kbd> 1 m
          <Kbd>[</Kbd> <Kbd>]</Kbd> turn 1°
        </p>
      )}
    </div>
  )
}

/** The outline of another floor, dashed. */
function Outline({ plan, name }: { plan: Plan; name: string }) {
  return (
    <div className={classes.outline} style={boxOf(useMapCamera(), plan)} data-outline>
      <span>Outline of {floorWords(name)}</span>
    </div>
  )
}
