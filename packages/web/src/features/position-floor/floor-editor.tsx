import { useEffect, useRef, useState } from 'react'
import { Button, Select, Slider, Switch, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { IconArrowBackUp, IconStack2 } from '../../icons/index.ts'
import type { Floor } from '@caretaker/contract/buildings.ts'
import { updateFloorPosition } from '@caretaker/contract/calls/buildings.ts'
import type { FloorDevice } from '@caretaker/contract/devices.ts'
import { buildingTexts, planSize } from '@caretaker/rules/buildings/building.ts'
import type { Plan } from '@caretaker/rules/buildings/geometry.ts'
import {
  boundedSide,
  contains,
  matched,
  movedWords,
  signedTurn,
  takenAlong,
} from '@caretaker/rules/buildings/geometry.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import type { Place } from '@caretaker/rules/maps/mercator.ts'
import { startView } from '@caretaker/rules/maps/mercator.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import type { BuildingInFull } from '../../plans/queries.ts'
import { buildingQuery, floorDevicesQuery } from '../../plans/queries.ts'
import { floorWords } from '../../plans/device-look.tsx'
import { usePlanPicture } from '../../plans/plan-picture.ts'
import { useLeave } from '../../plans/use-leave.ts'
import { Where } from '../../plans/where.tsx'
import { Problems } from '../../ui/dialog.tsx'
import { useMapUndoKey } from '../../ui/undo-key.ts'
import { LeaveQuestion } from '../../ui/leave-question.tsx'
import { NumberField } from '../../ui/forms/number-field.tsx'
import type { Form } from '../../ui/forms/use-form.ts'
import { useSubmission, useValidForm } from '../../ui/forms/use-form.ts'
import { z } from '../../ui/zod.ts'
import { Stage } from './stage.tsx'
import classes from './position-floor.module.css'

type Values = Plan
const names = ['width', 'height', 'rotation', 'lat', 'lng'] as const

/** Degrees: half a turn either way; what goes on from there comes from the other side. */
const halfTurn = 180
const marks = [-halfTurn, -halfTurn / 2, 0, halfTurn / 2, halfTurn].map((value) => ({
  value,
  label: `${value}°`.replace('-', '−'),
}))
const sized = `Between ${planSize.least} and ${planSize.most} m`
const side = z.number().min(planSize.least, sized).max(planSize.most, sized)
const turned = `Between −${halfTurn} and ${halfTurn}°`
const schema = z.object({
  width: side,
  height: side,
  rotation: z.number().min(-halfTurn, turned).max(halfTurn, turned),
  lat: z.number(),
  lng: z.number(),
})

interface FloorEditorProps {
  building: BuildingInFull
  floor: Floor
}

const rounded = (value: number, digits: number) => Number(value.toFixed(digits))

/** Centimetres, tenths of a degree, and millimetres of place: no more is meant, and no more is shown or sent. */
const tidy = (plan: Values): Values => ({
  width: rounded(plan.width, 2),
  height: rounded(plan.height, 2),
  rotation: rounded(signedTurn(plan.rotation), 1),
  lat: rounded(plan.lat, 8),
  lng: rounded(plan.lng, 8),
})

const placeOf = ({ lat, lng }: { lat: number | null; lng: number | null }): Place | undefined =>
  lat === null || lng === null ? undefined : { lat, lng }

const planOf = ({ width, height, rotation }: Floor, place: Place): Values => ({
  ...place,
  ...{ width, height, rotation: signedTurn(rotation) },
})

/** One plan, that is dragged and typed: both change the same values. */
export function FloorEditor({ building, floor }: FloorEditorProps) {
  const actor = useActor()
  const { tenant } = actor
  const mayEdit = can(actor, 'edit buildings')
  const queryClient = useQueryClient()
  const toBuilding = pathTo(tenant, 'Buildings', building.building)
  const leave = useLeave(toBuilding)
  const leaveUnasked = useLeave(toBuilding, { unasked: true })
  const [opened, setOpened] = useState(floor)
  const known = placeOf(opened)
  const [isPlaced, setPlaced] = useState(known !== undefined)
  const first = planOf(opened, known ?? placeOf(building) ?? startView)
  const form = useValidForm<Values, Values>({ schema, defaultValues: first })
  const values = form.watch()
  const [past, setPast] = useState<readonly Values[]>([])
  const history = useHistory(form, [past, setPast])
  const isChanged = isPlaced !== (known !== undefined) || !isSame(values, first)
  const isOvertaken = floor.version !== opened.version
  useEffect(() => {
    // Somebody else has moved it, and nothing would be lost by showing that.
    if (!isOvertaken || isChanged) return
    // oxlint-disable-next-line react/set-state-in-effect -- the form keeps its own state, and what stands beside it goes with it
    setOpened(floor)
    setPlaced(placeOf(floor) !== undefined)
    form.reset(planOf(floor, placeOf(floor) ?? placeOf(building) ?? startView))
    setPast([])
  }, [isOvertaken, isChanged, floor, building, form])

  const picture = usePlanPicture(building.building, floor)
  const [opacity, setOpacity] = useState(86)
  const [outlined, setOutlined] = useState<string | null>(null)
  const [showsPins, setShowsPins] = useState(false)
  const { data: devices } = useQuery(floorDevicesQuery(tenant, building.building, floor.floor))
  const others = building.floors.filter((other) => other.floor !== floor.floor && placeOf(other))
  const outline = others.find((other) => other.floor === outlined)
  const pins = (devices ?? []).filter((device) => placeOf({ lat: device.lat, lng: device.long }))
  const alike = mayEdit ? others.filter((other) => isUnlaid(other, building) && isAsLarge(other, opened)) : []
  const [laysAlike, setLaysAlike] = useState(true)
  const lying = known && isChanged ? pins.filter((device) => isOnPlan(first, device)) : []
  const goers = mayEdit ? lying.filter(({ mayPlace }) => mayPlace) : []
  const stayers = lying.length - goers.length
  const [takesDevices, setTakesDevices] = useState(false)
  const shown = takesDevices
    ? pins.map((device) => (goers.includes(device) ? along(first, values, device) : device))
    : pins
  const submission = useSubmission(
    form,
    ({ lng, ...rest }) => {
      const body = { tenant, building: building.building, ...rest, long: lng }
      const takes = takesDevices && goers.length > 0
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
      leaveUnasked()
    },
  )
  useMapUndoKey(mayEdit && history.steps > 0 ? history.undo : undefined)
  const change = (plan: Plan) => {
    const next = tidy(plan)
    for (const name of names) form.setValue(name, next[name], { shouldValidate: true, shouldDirty: true })
  }
  const [proportion, setProportion] = useState<number>()
  useProportion(form, proportion)
  const words = movedWords(first, values)

  return (
    <form
      className={classes.page}
      aria-label="Position floor"
      noValidate
      onSubmit={(event) => void submission.onSubmit(event)}
    >
      <Stage
        name={floor.name}
        plan={
          isPlaced ? { ...values, width: boundedSide(values.width), height: boundedSide(values.height) } : undefined
        }
        picture={picture}
        start={known ?? placeOf(building)}
        opacity={opacity / 100}
        outline={outline && { plan: planOf(outline, placeOf(outline)!), name: outline.name }}
        pins={showsPins ? shown : []}
        mayEdit={mayEdit}
        onBegin={history.begin}
        onPlan={change}
        onPut={(place) => {
          change({ ...values, ...place })
          setPlaced(true)
        }}
      >
        <Where building={building.name} floor={`${floorWords(floor.name)}, ${floor.image}`} onBack={leave} />
      </Stage>
      <aside className={classes.panel}>
        <header>
          <h1>Position floor</h1>
          <p>
            {mayEdit
              ? 'Lay the plan over its building. Devices keep their own places, unless you take them along; show their pins to check the fit.'
              : 'You may see how the plan lies, and not move it: managers and lighting engineers do.'}
          </p>
        </header>
        <fieldset
          className={classes.numbers}
          disabled={!mayEdit}
          onPointerDownCapture={history.begin}
          onKeyDownCapture={history.begin}
        >
          <NumberField
            form={form}
            name="width"
            label="Width"
            description="Metres"
            min={planSize.least}
            max={planSize.most}
            step={0.1}
            disabled={!mayEdit}
          />
          <NumberField
            form={form}
            name="height"
            label="Height"
            description="Metres"
            min={planSize.least}
            max={planSize.most}
            step={0.1}
            disabled={!mayEdit}
          />
          <Switch
            className={`${classes.wide} ${classes.switch}`}
            labelPosition="left"
            label="Keep proportions"
            disabled={!mayEdit}
            checked={proportion !== undefined}
            onChange={(event) => setProportion(event.currentTarget.checked ? values.width / values.height : undefined)}
          />
          <div className={classes.wide}>
            <NumberField
              form={form}
              name="rotation"
              label="Rotation"
              description="Degrees clockwise"
              min={-halfTurn}
              max={halfTurn}
              disabled={!mayEdit}
            />
            <Slider
              className={classes.turning}
              thumbLabel="Rotation"
              label={null}
              size="xs"
              thumbSize={20}
              // From its middle, where nothing is turned.
              startPointValue={0}
              min={-halfTurn}
              max={halfTurn}
              step={1}
              marks={marks}
              disabled={!mayEdit}
              value={Math.min(halfTurn, Math.max(-halfTurn, Math.round(values.rotation) || 0))}
              onChange={(rotation) => change({ ...values, rotation })}
            />
          </div>
          <TextInput label="Latitude" readOnly value={isPlaced ? values.lat.toFixed(6) : ''} />
          <TextInput label="Longitude" readOnly value={isPlaced ? values.lng.toFixed(6) : ''} />
        </fieldset>
        <div className={classes.checks}>
          <div>
            <span id="opacity">Plan over map</span>
            <Slider
              className={classes.slider}
              thumbLabel="Plan over map"
              label={null}
              value={opacity}
              onChange={setOpacity}
            />
            <output>{opacity} %</output>
          </div>
          {others.length > 0 && (
            <div>
              <span aria-hidden>Outline of another floor</span>
              <Select
                className={classes.select}
                aria-label="Outline of another floor"
                placeholder="None"
                clearable
                data={others.map((other) => ({ value: other.floor, label: floorWords(other.name) }))}
                value={outlined}
                onChange={setOutlined}
              />
            </div>
          )}
          {outline && mayEdit && (
            <div>
              <span>Same place as {floorWords(outline.name)}</span>
              <Button
                variant="default"
                leftSection={<IconStack2 size={16} aria-hidden />}
                onClick={() => {
                  history.begin()
                  change(matched(values, planOf(outline, placeOf(outline)!)))
                  setPlaced(true)
                }}
              >
                Match
              </Button>
            </div>
          )}
          <div>
            <Switch
              className={classes.switch}
              labelPosition="left"
              label={`Pins of this floor ${pins.length}`}
              checked={showsPins}
              onChange={(event) => setShowsPins(event.currentTarget.checked)}
            />
          </div>
          {goers.length > 0 && (
            <div>
              <Switch
                className={classes.switch}
                labelPosition="left"
                label={`Take ${counted(goers.length)} along`}
                description={
                  takesDevices
                    ? `Each keeps its spot on the drawing.${stayers ? ` ${counted(stayers)} that you may not place ${stayers === 1 ? 'stays' : 'stay'}.` : ''}`
                    : 'They stay where they are on the map, and not on the drawing.'
                }
                checked={takesDevices}
                onChange={(event) => {
                  setTakesDevices(event.currentTarget.checked)
                  // What goes along is seen to do so.
                  setShowsPins(true)
                }}
              />
            </div>
          )}
          {alike.length > 0 && (
            <div>
              <Switch
                className={classes.switch}
                labelPosition="left"
                label={
                  alike.length === 1
                    ? `Lay ${floorWords(alike[0]!.name)} likewise`
                    : `Lay ${alike.length} other floors likewise`
                }
                description={`${alike.map((other) => floorWords(other.name)).join(', ')}: nobody has positioned ${alike.length === 1 ? 'it' : 'them'} yet.`}
                checked={laysAlike}
                onChange={(event) => setLaysAlike(event.currentTarget.checked)}
              />
            </div>
          )}
        </div>
        <footer>
          <Problems
            texts={
              submission.problems.length
                ? submission.problems
                : isOvertaken && isChanged
                  ? [buildingTexts.floorMovedMeanwhile]
                  : []
            }
          />
          {mayEdit && (
            <p role="status">
              {words ? `${words} since the last save.` : isPlaced ? 'Nothing is changed.' : 'The plan is nowhere yet.'}
              {history.steps > 0 && (
                <button type="button" className={classes.undo} onClick={history.undo}>
                  <IconArrowBackUp size={14} aria-hidden /> Undo
                </button>
              )}
            </p>
          )}
          {isOvertaken && isChanged && (
            <Button
              variant="default"
              fullWidth
              onClick={() => {
                form.reset(first)
                setPlaced(known !== undefined)
              }}
            >
              Show where it is now
            </Button>
          )}
          <div className={classes.buttons}>
            <Button variant="default" onClick={leaveUnasked}>
              Cancel
            </Button>
            {mayEdit && (
              <Button type="submit" loading={submission.status === 'loading'} disabled={!isPlaced}>
                Save
              </Button>
            )}
          </div>
        </footer>
      </aside>
      <LeaveQuestion isUnsaved={mayEdit && isChanged} />
    </form>
  )
}

interface History {
  /** To be called before what can be undone in one step. */
  begin: () => void
  undo: () => void
  steps: number
}

/** Lets the other side follow the one that is typed or dragged. */
function useProportion(form: Form<Values, Values>, proportion: number | undefined): void {
  const { width, height } = form.watch()
  const last = useRef({ width, height })
  useEffect(() => {
    const [isWider, isHigher] = [width !== last.current.width, height !== last.current.height]
    last.current = { width, height }
    // Both together are a plan that was matched or an undo, and are meant as they are.
    if (proportion === undefined || isWider === isHigher) return
    const name = isWider ? 'height' : 'width'
    const side = rounded(isWider ? width / proportion : height * proportion, 2)
    last.current[name] = side
    form.setValue(name, side, { shouldValidate: true, shouldDirty: true })
  }, [form, proportion, width, height])
}

const counted = (count: number) => `${count} ${count === 1 ? 'device' : 'devices'}`

const isOnPlan = (plan: Plan, { lat, long }: FloorDevice) =>
  lat !== null && long !== null && contains(plan, { lat, lng: long })

/** A device that keeps its spot on the drawing. */
function along(before: Plan, after: Plan, device: FloorDevice): FloorDevice {
  const { lat, lng } = takenAlong(before, after, { lat: device.lat!, lng: device.long! })
  return { ...device, lat, long: lng }
}

/** Whether a floor with a plan lies where each lies that is new, and nothing hangs on it that would not fit any more. */
const isUnlaid = (floor: Floor, { lat, lng, counts }: BuildingInFull) =>
  floor.hasFloorPlan &&
  floor.rotation === 0 &&
  floor.lat === lat &&
  floor.lng === lng &&
  !counts.some((one) => one.floor === floor.floor && one.devices > 0)

/** Whether two drawings have one shape. */
const isAsLarge = (one: Floor, other: Floor) => one.width === other.width && one.height === other.height

const isSame = (one: Values, other: Values) => names.every((name) => one[name] === other[name])

/** What the form held before each drag, key and typing, so that each can be taken back. */
function useHistory(
  form: Form<Values, Values>,
  [past, setPast]: [readonly Values[], (past: readonly Values[]) => void],
): History {
  const now = form.watch()
  const last = past.findLastIndex((step) => !isSame(step, now))
  return {
    steps: last + 1,
    begin: () => {
      const values = { ...form.getValues() }
      if (!past.length || !isSame(past.at(-1)!, values)) setPast([...past.slice(-99), values])
    },
    undo: () => {
      const before = past[last]
      if (!before) return
      setPast(past.slice(0, last))
      for (const name of names) form.setValue(name, before[name], { shouldValidate: true, shouldDirty: true })
    },
  }
}
