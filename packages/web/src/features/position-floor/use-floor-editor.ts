import { useEffect, useRef, useState } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Floor } from '@caretaker/contract/buildings.ts'
import { updateFloorPosition } from '@caretaker/contract/calls/buildings.ts'
import type { Plan } from '@caretaker/rules/buildings/geometry.ts'
import { startView } from '@caretaker/rules/maps/mercator.ts'
import type { Place } from '@caretaker/rules/maps/mercator.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import type { BuildingInFull } from '../../plans/queries.ts'
import { buildingQuery, floorDevicesQuery } from '../../plans/queries.ts'
import type { Form } from '../../ui/forms/use-form.ts'
import { useSubmission, useValidForm } from '../../ui/forms/use-form.ts'
import {
  isNotPositioned,
  isOnPlan,
  isSamePlan,
  isSameSize,
  movedWithPlan,
  placeOf,
  planFields,
  planOf,
  planSchema,
  rounded,
  roundedPlan,
} from './plan-values.ts'
import { usePlanHistory } from './use-plan-history.ts'

interface EditorOf {
  building: BuildingInFull
  floor: Floor
  onSaved: () => void
}

/** The state of a floor plan while it is moved: form, undo steps, and items that move with it. */
export function useFloorEditor({ building, floor, onSaved }: EditorOf) {
  const actor = useActor()
  const { tenant } = actor
  const mayEdit = can(actor, 'edit buildings')
  const queryClient = useQueryClient()
  const [opened, setOpened] = useState(floor)
  const known = placeOf(opened)
  const [isPlaced, setPlaced] = useState(known !== undefined)
  const first = planOf(opened, known ?? placeOf(building) ?? startView)
  const form = useValidForm<Plan, Plan>({ schema: planSchema, defaultValues: first })
  const values = form.watch()
  const history = usePlanHistory(form)
  const isChanged = isPlaced !== (known !== undefined) || !isSamePlan(values, first)
  const isOvertaken = floor.version !== opened.version
  const { clear } = history
  useEffect(() => {
    // Another user has moved the plan, and showing the new position loses nothing.
    if (!isOvertaken || isChanged) return
    // oxlint-disable-next-line react/set-state-in-effect -- the form keeps its own state, and the state beside it changes with it
    setOpened(floor)
    setPlaced(placeOf(floor) !== undefined)
    form.reset(planOf(floor, placeOf(floor) ?? placeOf(building) ?? startView))
    clear()
    // oxlint-disable-next-line react/exhaustive-deps -- clear is another function each time, and does the same
  }, [isOvertaken, isChanged, floor, building, form])

  const { data: devices } = useQuery(floorDevicesQuery(tenant, building.building, floor.floor))
  const pins = (devices ?? []).filter((device) => placeOf({ lat: device.lat, lng: device.long }))
  const others = building.floors.filter((other) => other.floor !== floor.floor && placeOf(other))
  const alike = mayEdit ? others.filter((other) => isNotPositioned(other, building) && isSameSize(other, opened)) : []
  const [laysAlike, setLaysAlike] = useState(true)
  const onPlan = known && isChanged ? pins.filter((device) => isOnPlan(first, device)) : []
  const movable = mayEdit ? onPlan.filter(({ mayPlace }) => mayPlace) : []
  const [takesDevices, setTakesDevices] = useState(false)
  const submission = useSubmission(
    form,
    ({ lng, ...rest }) => {
      const body = { tenant, building: building.building, ...rest, long: lng }
      const takes = takesDevices && movable.length > 0
      return [
        call(updateFloorPosition, {
          body: { ...body, floor: floor.floor, takesDevices: takes, version: opened.version },
        }),
        ...(laysAlike ? alike : []).map((other) =>
          call(updateFloorPosition, { body: { ...body, floor: other.floor, version: other.version } }),
        ),
      ]
    },
    () => {
      void queryClient.invalidateQueries({ queryKey: buildingQuery(tenant, building.building).queryKey.slice(0, 2) })
      onSaved()
    },
  )
  const change = (plan: Plan) => {
    const next = roundedPlan(plan)
    for (const name of planFields) form.setValue(name, next[name], { shouldValidate: true, shouldDirty: true })
  }
  return {
    ...{ mayEdit, form, values, first, change, history, submission, isPlaced, isChanged, others },
    /** The stored position of the plan; undefined if there is none. */
    known,
    /** Whether another user has saved a different position while this one is being changed. */
    isInConflict: isOvertaken && isChanged,
    /** Places the plan, or moves all of it. */
    place: (at: Place | Plan) => {
      change({ ...values, ...at })
      setPlaced(true)
    },
    /** Discards the changes, which shows the position saved by another user. */
    dropChanges: () => {
      form.reset(first)
      setPlaced(known !== undefined)
    },
    /** The devices of the floor at their places after saving. */
    pins: takesDevices
      ? pins.map((device) => (movable.includes(device) ? movedWithPlan(first, values, device) : device))
      : pins,
    ...{ movable, takesDevices, setTakesDevices, fixedCount: onPlan.length - movable.length },
    ...{ alike, laysAlike, setLaysAlike },
  }
}

export type FloorEditing = ReturnType<typeof useFloorEditor>

/** Keeps the proportions when one side is typed or dragged. */
export function useProportion(form: Form<Plan, Plan>, proportion: number | undefined): void {
  const { width, height } = form.watch()
  const last = useRef({ width, height })
  useEffect(() => {
    const [isWider, isHigher] = [width !== last.current.width, height !== last.current.height]
    last.current = { width, height }
    // After a match or an undo both sides change together, and are kept.
    if (proportion === undefined || isWider === isHigher) return
    const name = isWider ? 'height' : 'width'
    const side = rounded(isWider ? width / proportion : height * proportion, 2)
    last.current[name] = side
    form.setValue(name, side, { shouldValidate: true, shouldDirty: true })
  }, [form, proportion, width, height])
}
