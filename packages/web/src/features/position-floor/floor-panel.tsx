import { useState } from 'react'
import { Button, Select, Slider, Switch, TextInput } from '@mantine/core'
import { IconArrowBackUp, IconStack2 } from '../../icons/index.ts'
import { buildingTexts, planSize } from '@caretaker/rules/buildings/building.ts'
import { matched, movedWords } from '@caretaker/rules/buildings/geometry.ts'
import { floorWords } from '../../plans/device-look.tsx'
import { Problems } from '../../ui/dialog.tsx'
import { NumberField } from '../../ui/forms/number-field.tsx'
import { halfTurn, placeOf, planOf } from './plan-values.ts'
import type { FloorEditing } from './use-floor-editor.ts'
import { useProportion } from './use-floor-editor.ts'
import classes from './position-floor.module.css'

const marks = [-halfTurn, -halfTurn / 2, 0, halfTurn / 2, halfTurn].map((value) => ({
  value,
  label: `${value}°`.replace('-', '−'),
}))

/** The size, rotation and coordinates of the plan as numbers. */
export function PlanNumbers({ editing }: { editing: FloorEditing }) {
  const { form, values, change, history, mayEdit, isPlaced } = editing
  const [proportion, setProportion] = useState<number>()
  useProportion(form, proportion)
  const side = { form, min: planSize.least, max: planSize.most, step: 0.1, description: 'Metres', disabled: !mayEdit }
  return (
    <fieldset
      className={classes.numbers}
      disabled={!mayEdit}
      onPointerDownCapture={history.begin}
      onKeyDownCapture={history.begin}
    >
      <NumberField {...side} name="width" label="Width" />
      <NumberField {...side} name="height" label="Height" />
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
          // The slider starts in the middle, at no rotation.
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
  )
}

/** The items that the stage shows next to the plan, to check the fit. */
export interface StageLook {
  /** In per cent. */
  opacity: number
  /** The id of the floor whose outline is shown. */
  outlined: string | null
  showsPins: boolean
}

interface PlanChecksProps {
  editing: FloorEditing
  look: StageLook
  setLook: (more: Partial<StageLook>) => void
}

/** The controls to check the fit, and the items that move with the plan. */
export function PlanChecks({ editing, look, setLook }: PlanChecksProps) {
  const { others, pins, mayEdit, values, history } = editing
  const { opacity, outlined, showsPins } = look
  const outline = others.find(({ floor }) => floor === outlined)
  return (
    <div className={classes.checks}>
      <div>
        <span id="opacity">Plan over map</span>
        <Slider
          className={classes.slider}
          thumbLabel="Plan over map"
          label={null}
          value={opacity}
          onChange={(value) => setLook({ opacity: value })}
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
            onChange={(id) => setLook({ outlined: id })}
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
              editing.place(matched(values, planOf(outline, placeOf(outline)!)))
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
          onChange={(event) => setLook({ showsPins: event.currentTarget.checked })}
        />
      </div>
      <Companions {...{ editing, setLook }} />
    </div>
  )
}

const counted = (count: number) => `${count} ${count === 1 ? 'device' : 'devices'}`

/** The switches for devices and floors that move with the plan. */
function Companions({ editing, setLook }: Pick<PlanChecksProps, 'editing' | 'setLook'>) {
  const { movable, fixedCount, takesDevices, setTakesDevices, alike, laysAlike, setLaysAlike } = editing
  const fixedText = fixedCount
    ? ` ${counted(fixedCount)} that you cannot place ${fixedCount === 1 ? 'stays' : 'stay'}.`
    : ''
  return (
    <>
      {movable.length > 0 && (
        <div>
          <Switch
            className={classes.switch}
            labelPosition="left"
            label={`Take ${counted(movable.length)} along`}
            description={
              takesDevices
                ? `Each device keeps its place on the drawing.${fixedText}`
                : 'They keep their places on the map, not on the drawing.'
            }
            checked={takesDevices}
            onChange={(event) => {
              setTakesDevices(event.currentTarget.checked)
              // Shows the pins, so that the devices are seen moving.
              setLook({ showsPins: true })
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
                ? `Position ${floorWords(alike[0]!.name)} the same way`
                : `Position ${alike.length} other floors the same way`
            }
            description={`${alike.map((other) => floorWords(other.name)).join(', ')}: not positioned yet.`}
            checked={laysAlike}
            onChange={(event) => setLaysAlike(event.currentTarget.checked)}
          />
        </div>
      )}
    </>
  )
}

/** Changes since the last save, errors, and the buttons of the form. */
export function PlanFooter({ editing, onCancel }: { editing: FloorEditing; onCancel: () => void }) {
  const { submission, isInConflict, mayEdit, history, first, values, isPlaced, dropChanges } = editing
  const words = movedWords(first, values)
  const problems = submission.problems.length
    ? submission.problems
    : isInConflict
      ? [buildingTexts.floorMovedMeanwhile]
      : []
  return (
    <footer>
      <Problems texts={problems} />
      {mayEdit && (
        <p role="status">
          {words ? `${words} since the last save.` : isPlaced ? 'No changes.' : 'The plan has no position yet.'}
          {history.steps > 0 && (
            <button type="button" className={classes.undo} onClick={history.undo}>
              <IconArrowBackUp size={14} aria-hidden /> Undo
            </button>
          )}
        </p>
      )}
      {isInConflict && (
        <Button variant="default" fullWidth onClick={dropChanges}>
          Show the current position
        </Button>
      )}
      <div className={classes.buttons}>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        {mayEdit && (
          <Button type="submit" loading={submission.status === 'loading'} disabled={!isPlaced}>
            Save
          </Button>
        )}
      </div>
    </footer>
  )
}
