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
  /** How the floor that it opens with lies; none where that has no plan. */
  plan?: Plan | undefined
  /** It is the middle of a whole district. */
  isApproximate?: boolean
}

const nobody = () => {}

/** Where a building is, as a picture: its coordinates stand beside it, and it is moved in a dialog. */
export const PositionMap = ({ position: { lat, lng }, plan, isApproximate = false }: PositionMapProps) => (
  <div className={classes.spot} inert>
    <MapView
      label="Where the building is"
      still
      view={{ lat, lng, zoom: isApproximate ? mapZooms.district : mapZooms.building - 1 }}
      onView={nobody}
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
      {plan && <Walls plan={plan} />}
    </MapView>
  </div>
)

const Walls = ({ plan }: { plan: Plan }) => <div className={classes.walls} style={boxOf(useMapCamera(), plan)} />
