import { usePresence } from '../../api/actor.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { FloorScreen } from '../../plans/floor-screen.tsx'
import { FloorEditor } from './floor-editor.tsx'

/** The map on which the plan of a floor is laid over its building. */
export function PositionFloorPage() {
  usePageTitle('Position floor', usePresence().client.displayName)
  return (
    <FloorScreen>
      {(building, floor) => <FloorEditor key={floor.floor} building={building} floor={floor} />}
    </FloorScreen>
  )
}
