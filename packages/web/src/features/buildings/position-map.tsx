import { IconMapPin } from '../../icons/index.ts'
import type { Plan } from '@caretaker/rules/buildings/geometry.ts'
import { mapZooms } from '@caretaker/rules/maps/zooms.ts'
import { useMapCamera } from '../../map/camera.ts'
import { MapView } from '../../map/map-view.tsx'
import { boxOf } from '../../plans/plan-box.ts'
import type { Position } from './edits.ts'
import classes from './buildings.module.css'

interface PositionMapProps {
  position: Position
  /** The position of the default floor plan; undefined without a plan. */
  plan?: Plan | undefined
  /** The position is the centre of a district. */
  isApproximate?: boolean
}

const noop = () => {}

/** The position of a building as a picture beside its coordinates; it is changed in a dialog. */
export const PositionMap = ({ position: { lat, lng }, plan, isApproximate = false }: PositionMapProps) => (
  <div className={classes.spot} inert>
    <MapView
      label="Where the building is"
      still
      view={{ lat, lng, zoom: isApproximate ? mapZooms.district : mapZooms.building - 1 }}
      onView={noop}
      markers={[
        {
          id: 'building',
          place: { lat, lng },
          name: 'The building',
          look: <IconMapPin className={classes.pin} size={32} aria-hidden />,
          size: 32,
          selected: true,
        },
      ]}
    >
      {plan && <PlanOutline plan={plan} />}
    </MapView>
  </div>
)

const PlanOutline = ({ plan }: { plan: Plan }) => (
  <div className={classes.planOutline} style={boxOf(useMapCamera(), plan)} />
)
