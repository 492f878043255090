import { useState } from 'react'
import type { Floor } from '@caretaker/contract/buildings.ts'
import { boundedSide } from '@caretaker/rules/buildings/geometry.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { useActor } from '../../api/actor.ts'
import type { BuildingInFull } from '../../plans/queries.ts'
import { floorWords } from '../../plans/device-look.tsx'
import { usePlanPicture } from '../../plans/plan-picture.ts'
import { useLeave } from '../../plans/use-leave.ts'
import { Where } from '../../plans/where.tsx'
import { LeaveQuestion } from '../../ui/leave-question.tsx'
import { useMapUndoKey } from '../../ui/undo-key.ts'
import type { StageLook } from './floor-panel.tsx'
import { PlanChecks, PlanFooter, PlanNumbers } from './floor-panel.tsx'
import { placeOf, planOf } from './plan-values.ts'
import { Stage } from './stage.tsx'
import { useFloorEditor } from './use-floor-editor.ts'
import classes from './position-floor.module.css'

interface FloorEditorProps {
  building: BuildingInFull
  floor: Floor
}

/** The plan of a floor over the map. Dragging and typing change the same values. */
export function FloorEditor({ building, floor }: FloorEditorProps) {
  const { tenant } = useActor()
  const toBuilding = pathTo(tenant, 'Buildings', building.building)
  const leave = useLeave(toBuilding)
  const leaveUnasked = useLeave(toBuilding, { unasked: true })
  const editing = useFloorEditor({ building, floor, onSaved: leaveUnasked })
  const { mayEdit, values, history, known, isPlaced, pins } = editing
  useMapUndoKey(mayEdit && history.steps > 0 ? history.undo : undefined)
  const picture = usePlanPicture(building.building, floor)
  const [look, setLook] = useState<StageLook>({ opacity: 86, outlined: null, showsPins: false })
  // Looked up each time, because another user may move the floor.
  const outline = editing.others.find((other) => other.floor === look.outlined)
  return (
    <form
      className={classes.page}
      aria-label="Position floor"
      noValidate
      onSubmit={(event) => void editing.submission.onSubmit(event)}
    >
      <Stage
        name={floor.name}
        plan={
          isPlaced ? { ...values, width: boundedSide(values.width), height: boundedSide(values.height) } : undefined
        }
        picture={picture}
        start={known ?? placeOf(building)}
        opacity={look.opacity / 100}
        outline={outline && { plan: planOf(outline, placeOf(outline)!), name: outline.name }}
        pins={look.showsPins ? pins : []}
        mayEdit={mayEdit}
        onBegin={history.begin}
        onPlan={editing.change}
        onPut={editing.place}
      >
        <Where building={building.name} floor={`${floorWords(floor.name)}, ${floor.image}`} onBack={leave} />
      </Stage>
      <aside className={classes.panel}>
        <header>
          <h1>Position floor</h1>
          <p>
            {mayEdit
              ? 'Position the plan over its building. Devices keep their places unless you move them along; show their pins to check the fit.'
              : 'You can see the position of the plan but cannot move it. Managers and lighting engineers can.'}
          </p>
        </header>
        <PlanNumbers editing={editing} />
        <PlanChecks editing={editing} look={look} setLook={(more) => setLook({ ...look, ...more })} />
        <PlanFooter editing={editing} onCancel={leaveUnasked} />
      </aside>
      <LeaveQuestion isUnsaved={mayEdit && editing.isChanged} />
    </form>
  )
}
